"""Tests of the claims about the shipped charts, and of their proof."""
