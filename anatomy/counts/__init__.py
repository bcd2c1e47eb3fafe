"""Every figure as a fold over a model's rows; each module states its convention, none words or draws."""
