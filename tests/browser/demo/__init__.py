"""Tests of the demo company."""
