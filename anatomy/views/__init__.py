"""Views: plain functions from the record to markup; they word and draw, and read every figure off the report."""
