"""Tests of the skills: header, signatures, registry, calls, matcher, sandbox."""
