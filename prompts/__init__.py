"""What a model is given (R2): the system text, the tools, and the fence around foreign text."""
