"""The site's own files: where each lies, by the name that the template and the modules call it."""

from pathlib import Path

# Where a file lies says when it is for; its name alone says what it is called in the site.
FOLDERS = ("", "page", "start", "keep", "one_file")


def find(site: Path, name: str) -> Path:
    """The file of that name in one of the site's folders; where there is none, the path that it might have."""
    paths = [site / folder / name for folder in FOLDERS]
    return next((path for path in paths if path.is_file()), paths[0])
