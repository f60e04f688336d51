"""Numbers of tokens as servers tell them: some tell what cannot be (A4)."""

# More than any window holds. Sums of it over a task, and their cost, stay whole in JSON, which
# the ledger refuses to be written with larger numbers.
TOKENS_MAX = 1_000_000_000


def token_count(told: object) -> int:
    """Return *told* as a number of tokens; what is no number, or below zero, counts nothing."""
    if not isinstance(told, int) or isinstance(told, bool):
        return 0
    return min(max(told, 0), TOKENS_MAX)
