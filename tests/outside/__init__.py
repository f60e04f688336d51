"""Suites of others, run against this product."""
