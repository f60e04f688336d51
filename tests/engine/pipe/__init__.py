"""Tests of the pipe."""
