"""The commands of the command line, each a module with ``arguments`` and ``run``; and what several of them share."""
