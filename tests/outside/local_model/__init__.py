"""The product with a real small model on this machine, over real HTTP: `make test-local-model`."""
