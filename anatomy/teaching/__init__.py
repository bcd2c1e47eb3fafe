"""What is said about parts and what is asked of a reader, with this model's own numbers; no markup."""
