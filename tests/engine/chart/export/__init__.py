"""What a chart looks like to people."""
