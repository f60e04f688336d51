"""The OpenAI-compatible family against real sockets."""
