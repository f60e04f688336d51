"""Perception: the page as text a model reads."""
