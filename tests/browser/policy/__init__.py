"""Proofs of the policy in a real browser: nothing that is not listed hears from it."""
