"""Skills: signed JavaScript in a process of its own; only JSON text crosses its border (S1-S6)."""
