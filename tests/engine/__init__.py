"""Tests of the same tree as the product."""
