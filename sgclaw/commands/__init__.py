"""The commands of the command line, one module each: `add(subparsers)` and what it runs."""
