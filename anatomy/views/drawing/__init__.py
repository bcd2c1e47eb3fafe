"""What is drawn: the diagram with its boxes and lines, glyphs and plots; no figure is worked out here."""
