"""MCP servers, real ones and hostile ones."""
