"""How the shipped charts are walked: by checker, path finder, scenarios and mutants."""
