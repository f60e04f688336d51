"""The page bundle, driven in a real Chromium."""
