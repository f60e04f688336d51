"""What is measured: each module has `measure()`, which returns figures by name (units last)."""
