"""Tests of the Claude family."""
