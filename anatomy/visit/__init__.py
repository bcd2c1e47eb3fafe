"""What a visitor chose and brought: the state, the acts that change it, the address that leads back; no browser."""
