"""Tests of actions/llm."""
