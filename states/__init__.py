"""Pure data: what the other packages say to each other. It touches nothing."""
