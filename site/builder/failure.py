"""The one error of the build, worded for whoever typed the command."""


class BuildError(Exception):
    """A build that cannot go on; its text is a whole sentence that says what was found and what would be accepted."""
