"""What can go wrong with what is kept.

MemoryStoreError
├── LedgerError         the operator must act: a full disk, missing rights, a damaged file
└── MemoryBudgetError   the task's conversation does not fit the model's window, however short
"""

from states.errors import SgclawError


class MemoryStoreError(SgclawError):
    """Root of this package's errors."""


class LedgerError(MemoryStoreError):
    """The ledger cannot be written or read; nothing may be done without it."""


class MemoryBudgetError(MemoryStoreError):
    """The conversation is too long for the room that is left, with everything shortened."""
