"""Providers: who answers when the task asks a model (R3, R8)."""
