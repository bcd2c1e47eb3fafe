"""What only a browser can show: the built page, driven as a reader drives it."""
