"""Tests of the skill sandbox, each against the real child."""
