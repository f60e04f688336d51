"""The pages of MiniWoB++."""
