"""Tools of MCP servers (R6): started over stdio, held to what a person approved, supervised."""
