"""The statechart engine: declare, lint, compile, step, run.

A chart is text (`statecharts/*.yaml`). `load` turns it into a `Chart` or lists every problem;
`compile` runs the code of `transitions` once per leaf and row and keeps what it did as a table;
`core` steps on that table and is pure; `shell` runs what a step asks for. `reference` steps on
the `transitions` machine itself, so that tests can hold the two against each other.
"""
