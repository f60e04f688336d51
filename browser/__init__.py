"""The browser side of the pipe: host, page bundle and demo company. Only `sgclaw` imports it."""
