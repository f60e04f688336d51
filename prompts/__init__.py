"""Prompt templates and their pure composition; empty until real models are wired."""
