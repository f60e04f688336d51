"""The same pages and the same steps through sgclaw, Playwright MCP and browser-use, interleaved."""
