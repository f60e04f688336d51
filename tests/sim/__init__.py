"""Deterministic simulation: the real task code in virtual time, with seeded faults.

`loop` is the clock, `plan` what chance decides (from the seed, before the start), `calls` what a
model may want, `world` one episode (host and agent as sets of tasks, a pipe between them), `lives`
the product's agent over simulated ports, `ports`, `site` and `faults` those ports, `evidence` what
was seen, `invariants` with `judge_effects` and `judge_task` the thirteen rules, `episode` the run
of one, `mutants` worlds with a planted fault. `python -m tests.sim --seed N` tells one story.
"""
