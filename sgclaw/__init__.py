"""Composition root and entry points: the one place that knows every other package."""

__version__ = "0.1.0"
