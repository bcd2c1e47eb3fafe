"""Views: plain functions from the anatomy to markup; they word and draw, and count nothing."""
