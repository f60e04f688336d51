"""Ledgers of released versions, each with the charts that it was written under."""
