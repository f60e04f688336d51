"""The pipe: JSON Lines between browser host and agent; this package alone writes stdout."""
