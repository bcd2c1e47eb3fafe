"""Text to a checked configuration, or one sentence on what was found and what would be accepted; no model yet."""
