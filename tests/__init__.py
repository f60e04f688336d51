"""The tests mirror the tree; each module's docstring names the property it holds."""
