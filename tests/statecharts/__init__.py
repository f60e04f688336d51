"""Tests of statecharts."""
