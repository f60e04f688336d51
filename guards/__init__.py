"""Pure rules that decide: each answers with a Verdict and its reason; no clock, no file."""
