"""Perception: the text a model reads."""
