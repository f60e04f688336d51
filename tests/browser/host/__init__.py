"""Tests of `browser.host`."""
