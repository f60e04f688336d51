"""Tests of sgclaw."""
