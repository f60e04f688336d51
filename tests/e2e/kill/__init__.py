"""The kill harness: a task killed at every journaled point, whoever the victim is (L8)."""
