"""The browser as the agent reaches it: one command out, one answer in."""
