"""The statechart engine."""
