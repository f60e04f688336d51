# sgclaw: `make run` sets everything up and does the demo; `make help` lists the rest.
PYTHON ?= $(shell command -v python3.11 || command -v python3.12 || command -v python3.13 || command -v python3)
BIN    := .venv/bin
export PIP_DISABLE_PIP_VERSION_CHECK := 1
export PYTHONDONTWRITEBYTECODE := 1
# jieba comes as source only; without this the pip of Debian 12 warns about its setup.py.
export PIP_USE_PEP517 := 1

.DEFAULT_GOAL := help
# Two steps may call apt, which lets one in; a step that failed leaves nothing half made.
.NOTPARALLEL:
.DELETE_ON_ERROR:
.PHONY: help setup run test check format fix bench lock sign-skills protocol clean bundle browser \
        oracles outside postgres charts sim mutate-guards test-local-model

help:  ## list the commands
	@awk 'BEGIN {FS = ":.*## "} /^[a-z-]+:.*## / {printf "  make %-12s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

setup: $(BIN)/python browser .venv/.ready bundle  ## everything a run and the tests need (venv, Chromium, fonts, page bundle)

run: setup  ## carry out the demo task in a real headless Chromium
	@$(BIN)/sgclaw run --demo "导出本月合规报表" --out out/demo

test: setup oracles outside postgres  ## all tests, two files at a time
	@$(BIN)/pytest -n 2 --dist loadfile --no-loadscope-reorder

check: setup oracles outside postgres  ## format, lint, types, import layers, and all tests
	@$(BIN)/python tools/check.py

test-local-model: setup  ## a real small model does click tasks in Chromium over HTTP (not in check)
	@$(BIN)/python tools/local_model/install.py
	@LOCAL_MODEL=1 $(BIN)/pytest -q -s -n 0 tests/outside/local_model

format: .venv/.ready  ## rewrite the code in the project's format, mend what ruff can
	@$(BIN)/ruff format -q . && $(BIN)/ruff check -q --fix . || true

fix: format

bench: setup  ## measure speed and memory: bench.json and a table
	@$(BIN)/python -m benchmarks.report

charts: .venv/.ready  ## write docs/statecharts and the generated scenarios anew
	@$(BIN)/python -m sgclaw.chart_files docs/statecharts
	@$(BIN)/sgclaw chart coverage --write tests/scenarios/generated

SECONDS ?= 60
sim: setup  ## simulate tasks with faults for SECONDS (60); a failure names the seed that repeats it
	@$(BIN)/python -m tests.sim --seconds $(SECONDS)

mutate-guards: setup  ## disable each guard and gate in turn and show that a test fails
	@$(BIN)/python tools/mutate_guards.py

lock: .venv/.ready  ## resolve requirements.lock anew (no address is written into it)
	@$(BIN)/python -m pip install -q uv
	@$(BIN)/uv pip compile -q --universal --no-header --no-annotate --no-emit-index-url --group dev --extra demo pyproject.toml -o requirements.lock

sign-skills: .venv/.ready  ## sign the built-in skills with a new release key
	@$(BIN)/sgclaw skills sign

protocol: .venv/.ready  ## write docs/protocol anew
	@$(BIN)/python -m engine.pipe.schemas docs/protocol

oracles: .venv/.ready  ## what the tests compare with: Graphviz, xstate, mermaid, MCP servers
	@command -v dot >/dev/null 2>&1 || sh tools/apt.sh graphviz
	@sh tools/node.sh $(BIN)
	@$(BIN)/python tools/oracles/install.py
	@$(BIN)/python tools/oracles/install.py tools/mcp_servers

postgres:  ## PostgreSQL from Debian for the tests of the ledger; no service is started
	@sh tools/postgres.sh

outside: .venv/.ready  ## what the outside suites use: the MiniWoB pages, AgentDojo
	@$(BIN)/python tools/outside/install.py
	@$(BIN)/python tools/agentdojo/install.py

clean:  ## remove what the commands above made
	rm -rf .venv out bench.json build *.egg-info .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache .coverage
	rm -rf browser/page/node_modules browser/page/dist browser/page/.build tools/oracles/node_modules tools/mcp_servers/node_modules tools/outside/.miniwob tools/local_model/.local_model tools/agentdojo/.agentdojo benchmarks/.rivals

bundle: .venv/.ready
	@sh tools/node.sh $(BIN)
	@$(BIN)/python -m browser.page.build

browser:
	@sh tools/browser.sh

$(BIN)/python:
	@sh tools/venv.sh "$(PYTHON)"

.venv/.ready: pyproject.toml requirements.lock | $(BIN)/python
	@echo "installing Python packages (about a minute) ..."
	@$(BIN)/python -m pip install -q -r requirements.lock
	@$(BIN)/python -m pip install -q --no-deps --no-build-isolation -e . 2>/dev/null || $(BIN)/python -m pip install -q --no-deps -e .
	@touch $@
