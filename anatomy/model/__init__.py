"""What a model is: its rows, how its blocks attend and are wired, its parts; no file is read here, nothing worded."""
