"""Scripted transition tests: read them, run them, tell how they differ, record them from a run."""
