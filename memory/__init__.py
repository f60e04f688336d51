"""What is kept: in this version the ledger, as JSON Lines behind the ledger port."""
