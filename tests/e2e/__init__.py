"""Whole runs of the command line, in a real Chromium, as a person starts them."""
