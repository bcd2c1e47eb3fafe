"""The parts of the build: what they make ends up in the site, they themselves never do."""
