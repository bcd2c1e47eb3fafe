"""What the longer commands of the command line print, a module each; ``cli.py`` reads the arguments."""
