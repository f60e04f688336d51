"""Everything that touches the world: one verb a file, ports in, one event out, no decisions."""
