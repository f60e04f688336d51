"""Real things that tests share."""
