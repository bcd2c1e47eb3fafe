"""A :class:`Config` that families ask for keys, with one error form.

Nothing is guessed: a value comes from the configuration or from the family's documented default, and a value that
cannot be what the key needs raises :class:`ConfigError`.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from fractions import Fraction
from typing import Any

from anatomy.reading.refusals import (
    AnatomyError,
    ConfigError,
    SequenceLengthError,
    shown,
)
from anatomy.reading.shaping import SHAPING
from anatomy.reading.strict_json import (
    MAX_BYTES,
    MAX_DEPTH,
    deeper_than,
    parse,
)

__all__ = ["MAX_BYTES", "AnatomyError", "Config", "ConfigError", "SequenceLengthError", "parse", "shown"]

MAX_INTEGER = 10**12
# No released model is a tenth as deep; a list that names each block stays cheap to compare with every other.
MAX_LISTED = 1024
_MISSING = object()


class Config:
    """A configuration that families ask for keys; it remembers which defaults were used.

    ``keys`` in every method is the key's spelling, then its older or other spellings; two spellings that disagree are
    an error. A default of None with ``optional`` means that the family computes the value from others.
    """

    def __init__(self, values: Mapping[str, Any], source: str = "config.json") -> None:
        if deeper_than(values, MAX_DEPTH):
            raise ConfigError(source, None, "nested too deeply", f"at most {MAX_DEPTH} levels")
        self.values = values
        self.source = source
        self.defaults: dict[str, object] = {}
        self.asked: set[str] = set()

    def nested(self, key: str) -> Config:
        """The configuration inside ``key``; what it defaults to is told with the whole configuration's defaults.

        >>> Config({"ffn_config": {"moe_top_k": 4}}).nested("ffn_config").integer("moe_top_k")
        4

        Raises ``ConfigError`` where it is missing or no object.
        """
        value = self._value(key)
        if value is None:
            raise ConfigError(self.source, key, "missing", "an object")
        if not isinstance(value, Mapping):
            raise self.error(key, value, "an object")
        inner = Config(value, f"{self.source}: {key}")
        inner.defaults = self.defaults
        return inner

    def text_part(self, model_type: str) -> Config:
        """The ``text_config`` of a multimodal configuration, which must be of this ``model_type`` where it says one.

        >>> whole = Config({"model_type": "llama4", "text_config": {"model_type": "llama4_text", "hidden_size": 5120}})
        >>> whole.text_part("llama4_text").integer("hidden_size")
        5120
        """
        text = self.nested("text_config")
        text.only("model_type", model_type, None)
        return text

    def error(self, key: str, value: object, accepted: str) -> ConfigError:
        """The error for a key whose value cannot be accepted."""
        return ConfigError(self.source, key, shown(value), accepted)

    def _value(self, key: str) -> Any:
        self.asked.add(key)
        return self.values.get(key)

    def _find(self, keys: Sequence[str], null_is_absent: bool) -> tuple[str, Any]:
        self.asked.update(keys)
        present = [
            (key, self.values[key])
            for key in keys
            if key in self.values and not (null_is_absent and self.values[key] is None)
        ]
        if not present:
            return keys[0], _MISSING
        for key, value in present[1:]:
            if value != present[0][1] or type(value) is not type(present[0][1]):
                raise self.error(key, value, f"the same value as {present[0][0]}, {shown(present[0][1])}")
        return present[0]

    def _absent(self, key: str, default: Any, accepted: str) -> Any:
        if default is _MISSING:
            raise ConfigError(self.source, key, "missing", accepted)
        self.defaults[key] = default
        return default

    def integer(
        self, *keys: str, default: Any = _MISSING, null: Any = _MISSING, minimum: int = 1, maximum: int = MAX_INTEGER
    ) -> int:
        """A whole number from ``minimum`` to ``maximum``; a key that is left out takes the default.

        A key that is null takes ``null`` where the family's class gives null a meaning, else it is refused: the default
        of a class never stands for it.

        >>> Config({"n_layer": 12}).integer("n_layer")
        12

        Raises ``ConfigError`` for anything else, and for a missing key without a default.
        """
        accepted = f"an integer from {minimum} to {maximum:,}"
        key, value = self._find(keys, null_is_absent=True)
        if value is _MISSING:
            if any(key in self.values for key in keys):
                if null is _MISSING:
                    raise self.error(key, None, accepted)
                default = null
            return int(self._absent(key, default, accepted))
        if isinstance(value, bool) or not isinstance(value, int) or not minimum <= value <= maximum:
            raise self.error(key, value, accepted)
        return value

    def optional_integer(self, *keys: str, minimum: int = 1) -> int | None:
        """A whole number, or None where the key is null or left out (which no default stands for)."""
        _, value = self._find(keys, null_is_absent=True)
        return None if value is _MISSING else self.integer(*keys, minimum=minimum)

    def integer_or_none(self, key: str, default: int | None) -> int | None:
        """A whole number, or None where the key is null; a key that is left out takes the default.

        >>> Config({"sliding_window": None}).integer_or_none("sliding_window", 4096) is None
        True
        """
        if key in self.values:
            return self.optional_integer(key)
        return None if default is None else self.integer(key, default=default)

    def number(self, *keys: str, default: Fraction | int | None = None) -> Fraction | None:
        """A number above 0, exactly as the configuration writes it, or the default where it is left out or null.

        Such numbers scale and cap: they feed sentences and no figure, so their defaults are not told with the others.

        >>> Config({"logit_scale": 0.0625}).number("logit_scale")
        Fraction(1, 16)

        Raises ``ConfigError`` for anything else.
        """
        key, value = self._find(keys, null_is_absent=True)
        if value is _MISSING:
            return None if default is None else Fraction(default)
        if isinstance(value, bool) or not isinstance(value, int | float) or not 0 < value < MAX_INTEGER:
            raise self.error(key, value, f"a number above 0 and below {MAX_INTEGER:,}")
        return Fraction(str(value))

    def boolean(self, *keys: str, default: Any = _MISSING, null: Any = _MISSING) -> bool:
        """True or false; 0, 1, "true" and the like are refused.

        A default of true stands for a key that is left out, never for one that is null: that is false in a class that
        lets it through (then the family says ``null=False``), and an error in the others.

        >>> Config({"multi_query": None}).boolean("multi_query", default=True, null=False)
        False

        Raises ``ConfigError``.
        """
        key, value = self._find(keys, null_is_absent=True)
        if value is _MISSING:
            if default is True and any(key in self.values for key in keys):
                if null is _MISSING:
                    raise self.error(key, None, "true or false")
                default = null
            return bool(self._absent(key, default, "true or false"))
        if not isinstance(value, bool):
            raise self.error(key, value, "true or false")
        return value

    def on(self, key: str) -> bool:
        """Whether an option is true that almost no configuration has: left out or null, it is off and no default."""
        return self._value(key) is not None and self.boolean(key)

    def choice(self, *keys: str, options: Collection[str], default: Any = _MISSING) -> str:
        """One of ``options``.

        Raises ``ConfigError`` for anything else, and for a missing key without a default.
        """
        accepted = ", ".join(sorted(options))
        key, value = self._find(keys, null_is_absent=True)
        if value is _MISSING:
            return str(self._absent(key, default, accepted))
        if not isinstance(value, str) or value not in options:
            raise self.error(key, value, accepted)
        return value

    def choices(self, key: str, options: Collection[str], length: int) -> list[str] | None:
        """A list with one of ``options`` for each of ``length`` blocks, None where the key is null or left out.

        Raises ``ConfigError`` for another length or item.
        """
        value = self._value(key)
        if value is None:
            return None
        accepted = f"a list of {length:,} items (at most {MAX_LISTED:,}), each one of {', '.join(sorted(options))}"
        if not isinstance(value, list) or len(value) != length or length > MAX_LISTED:
            raise self.error(key, value, accepted)
        for item in value:
            if not isinstance(item, str) or item not in options:
                raise self.error(key, item, accepted)
        return list(value)

    def indices(self, key: str, blocks: int) -> list[int] | None:
        """A list of block indices below ``blocks``, in ascending order; None where the key is null or left out.

        >>> Config({"mlp_only_layers": [2, 0]}).indices("mlp_only_layers", 24)
        [0, 2]

        Raises ``ConfigError`` for anything else.
        """
        value = self._value(key)
        if value is None:
            return None
        accepted = f"a list of block indices from 0 to {blocks - 1:,}, each once and at most {MAX_LISTED:,}"
        if not isinstance(value, list) or len(value) > MAX_LISTED:
            raise self.error(key, value, accepted)
        for item in value:
            if isinstance(item, bool) or not isinstance(item, int) or not 0 <= item < blocks:
                raise self.error(key, item, accepted)
        if len(set(value)) != len(value):
            raise self.error(key, value, accepted)
        return sorted(value)

    def only(self, key: str, *accepted: object, why: str = "") -> None:
        """Refuse an option that changes shapes in a way that no family here handles.

        Raises ``ConfigError`` where ``key`` is there with another value than those ``accepted``.
        """
        value = self._value(key)
        if key not in self.values:
            return
        if not any(value is one or (type(value) is type(one) and value == one) for one in accepted):
            words = " or ".join(dict.fromkeys(shown(one) for one in accepted))
            raise self.error(key, value, words + (f" ({why})" if why else ""))

    def repeats(self, key: str, *unread: str) -> None:
        """Refuse a spelling that the family's class does not read, unless it says again what ``key`` says.

        >>> Config({"num_hidden_layers": 32, "n_layer": 32}).repeats("num_hidden_layers", "n_layer")

        Raises ``ConfigError`` where the spelling stands alone or says something else.
        """
        for other in unread:
            value, said = self._value(other), self.values.get(key)
            if value is not None and said is None:
                raise self.error(other, value, f"null or the same value under {key}, the spelling that is read")
            if value is not None and (type(value) is not type(said) or value != said):
                raise self.error(other, value, f"the same value as {key}, {shown(said)}")

    def ignores(self, *keys: str) -> None:
        """Let these keys say anything: in this configuration the class has no use for them."""
        self.asked.update(keys)

    def refuse_unread(self) -> None:
        """Refuse what shapes the tensors of some class and was not asked for by the family that has been read.

        Raises ``ConfigError`` where such a key says anything but null, false, 0 or nothing.
        """
        for key in SHAPING:
            if key not in self.asked and self.values.get(key):
                why = f"{SHAPING[key]}, which {self.values['model_type']} does not have"
                raise self.error(key, self.values[key], f"null ({why})")

    def architecture(self, accepted: Sequence[str]) -> str:
        """The class that ``architectures`` names: one of ``accepted``, whose first is the family's default.

        Raises ``ConfigError`` for another class, or more than one.
        """
        value = self.values.get("architectures")
        words = ", ".join(accepted)
        if value is None or value == []:
            self.defaults["architectures"] = [accepted[0]]
            return accepted[0]
        if not isinstance(value, list) or len(value) != 1 or not isinstance(value[0], str):
            raise self.error("architectures", value, f"a list of one of {words}")
        # Files saved from inside FSDP name the wrapped class so; what is read instead is told like a default.
        inside = value[0].removeprefix("FSDP")
        if inside not in accepted:
            raise self.error("architectures", value[0], words)
        if inside != value[0]:
            self.defaults["architectures"] = [inside]
        return inside

    def divided(self, key: str, value: int, by_key: str, by: int) -> int:
        """``value // by`` where it divides, else the error that names both keys.

        >>> Config({}).divided("n_embd", 768, "n_head", 12)
        64

        Raises ``ConfigError`` where it does not divide.
        """
        if value % by:
            raise ConfigError(self.source, by_key, f"{by}, which does not divide {key} {value}", f"a divisor of {key}")
        return value // by

    def share(self, key: str, used: int, of_key: str, of: int) -> Fraction:
        """The fraction of experts that a token is routed to: ``used`` of ``of``, else the error that names both keys.

        >>> Config({}).share("num_experts_per_tok", 2, "num_local_experts", 8)
        Fraction(1, 4)

        Raises ``ConfigError`` where more are used than there are.
        """
        if used > of:
            raise self.error(key, used, f"an integer from 1 to {of_key}, {of}")
        return Fraction(used, of)
