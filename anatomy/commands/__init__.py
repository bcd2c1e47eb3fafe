"""The commands of the command line, each a module with ``arguments`` and ``run``; what several share; none counts."""
