"""The host: it holds policy, key and approvals, and has the last word on every command."""
