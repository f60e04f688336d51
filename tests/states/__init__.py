"""Tests of states."""
