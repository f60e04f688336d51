"""A chart as text for people: diagrams, tables, outlines. Each module renders one form."""
