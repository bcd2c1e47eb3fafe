"""The folder that a site is written to: what a former build listed there is replaced, and nothing else is touched."""

from collections.abc import Iterator, Mapping
from pathlib import Path, PurePosixPath

from builder import listing, lock
from builder.failure import BuildError

# What a host or a version control of its own puts beside a site; with it go all names that begin with a dot.
OF_HOSTS = ("CNAME",)
# Each file is first written here, then put in its place in one step.
_BESIDE = ".being-written"
# What names the other files comes after them, so that a folder which is being served never names what is not there.
_LAST = ("index.html", "service_worker.js")


def of_a_host(path: str) -> bool:
    """Whether the path, from a site's folder, is a host's or a version control's and none of a build's.

    >>> [of_a_host(path) for path in (".git/config", "CNAME", "index.html")]
    [True, True, False]
    """
    return path.startswith(".") or path in OF_HOSTS


def write(made: Mapping[str, bytes], out: Path) -> None:
    """Make the folder `out` hold these files and the list of them; what a former build listed beside them goes.

    Whoever ends it early leaves a list of all that may be there, so the next call ends what this one began. Raises
    :class:`BuildError` where that would touch what is not a build's: other files, or a place behind a symbolic link.
    """
    if out.is_symlink():
        raise BuildError(f"{out} is a symbolic link; give the folder that it leads to.")
    with lock.alone(out, print):
        hashes = listing.hashes(made)
        former = listing.former(out)
        _refuse(made, former, out)
        (out / _BESIDE).unlink(missing_ok=True)  # of one that was ended early
        old = {path: sha256 for path, sha256 in (former or {}).items() if _may_be_a_builds(path)}
        if old != hashes:
            _put(out, listing.NAME, listing.text(old | hashes))
        for path in sorted(hashes, key=lambda path: (path in _LAST, path)):
            _put(out, path, made[path])
        for path in old.keys() - hashes.keys():
            _remove(out, path)
        _put(out, listing.NAME, listing.text(hashes))


def _refuse(made: Mapping[str, bytes], former: Mapping[str, str] | None, out: Path) -> None:
    if former is None:
        others = sorted(path.name for path in out.iterdir() if not of_a_host(path.name))
        if others:
            raise BuildError(
                f"{out} holds other things than a former build ({others[0]}); an empty or new folder is wanted."
            )
    for path in (*made, listing.NAME):
        if link := _link(out, path):
            raise BuildError(f"{link} is a symbolic link, and nothing is written through one; remove it.")
        target = out / path
        if path != listing.NAME and path not in (former or {}) and target.exists() and not _holds(target, made[path]):
            raise BuildError(f"{target} is not of a former build; it would be lost: move it elsewhere.")


def _may_be_a_builds(path: str) -> bool:
    """Whether a listed path lies in the folder itself: a list is a file that anybody may have changed."""
    parts = PurePosixPath(path).parts
    inside = not path.startswith("/") and ".." not in parts and not any(each in path for each in "\\:\0")
    return inside and not any(of_a_host(part) for part in parts)


def _link(out: Path, path: str) -> Path | None:
    """The first symbolic link on the way to a file."""
    return next((place for place in _way(out, path) if place.is_symlink()), None)


def _way(out: Path, path: str) -> Iterator[Path]:
    place = out
    for part in PurePosixPath(path).parts:
        place /= part
        yield place


def _holds(target: Path, data: bytes) -> bool:
    return target.is_file() and target.stat().st_size == len(data) and target.read_bytes() == data


def _put(out: Path, path: str, data: bytes) -> None:
    """One file, whole or not at all."""
    target, beside = out / path, out / _BESIDE
    if _holds(target, data):
        return
    target.parent.mkdir(parents=True, exist_ok=True)
    beside.write_bytes(data)
    beside.replace(target)


def _remove(out: Path, path: str) -> None:
    """A file of a former build, and the folders that are empty without it."""
    if _link(out, path) or not (out / path).is_file():
        return
    (out / path).unlink()
    for place in list(_way(out, path))[-2::-1]:
        if any(place.iterdir()):
            return
        place.rmdir()
