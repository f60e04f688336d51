# sgclaw: `make run` sets everything up and does the demo; `make help` lists the rest.
PYTHON ?= $(shell command -v python3.11 || command -v python3.12 || command -v python3.13 || command -v python3)
BIN    := .venv/bin
SUDO   := $(if $(filter 0,$(shell id -u)),,sudo )
export PIP_DISABLE_PIP_VERSION_CHECK := 1
export PYTHONDONTWRITEBYTECODE := 1

.DEFAULT_GOAL := help
.PHONY: help setup run test check format fix lint types imports tidy bench lock sign-skills protocol clean bundle browser

help:  ## list the commands
	@awk 'BEGIN {FS = ":.*## "} /^[a-z-]+:.*## / {printf "  make %-12s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

setup: .venv/.ready browser bundle  ## everything a run and the tests need (venv, Chromium, fonts, page bundle)

run: setup  ## carry out the demo task in a real headless Chromium
	@$(BIN)/sgclaw run --demo "导出本月合规报表" --out out/demo

test: setup  ## all tests
	@$(BIN)/pytest

check: setup  ## format, lint, types, import layers, and all tests
	@$(BIN)/python tools/check.py

format fix: .venv/.ready  ## rewrite the code in the project's format, mend what ruff can
	@$(BIN)/ruff format -q . && $(BIN)/ruff check -q --fix . || true

bench: setup  ## measure speed and memory: bench.json and a table
	@$(BIN)/python -m benchmarks.report

lock: .venv/.ready  ## resolve requirements.lock anew (no address is written into it)
	@$(BIN)/python -m pip install -q uv
	@$(BIN)/uv pip compile -q --universal --no-header --no-annotate --no-emit-index-url --group dev --extra demo pyproject.toml -o requirements.lock

sign-skills: .venv/.ready  ## sign the built-in skills with a new release key
	@$(BIN)/sgclaw skills sign

protocol: .venv/.ready  ## write docs/protocol anew
	@$(BIN)/python -m engine.pipe.schemas

clean:  ## remove what the commands above made
	rm -rf .venv out bench.json build *.egg-info .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache .coverage
	rm -rf browser/page/node_modules browser/page/dist browser/page/.build

bundle: .venv/.ready
	@sh tools/node.sh $(BIN)
	@$(BIN)/python -m browser.page.build

browser:
	@sh tools/browser.sh

$(BIN)/python:
	@sh tools/venv.sh "$(PYTHON)" "$(SUDO)"

.venv/.ready: pyproject.toml requirements.lock | $(BIN)/python
	@echo "installing Python packages ..."
	@$(BIN)/python -m pip install -q -r requirements.lock
	@$(BIN)/python -m pip install -q --no-deps --no-build-isolation -e . 2>/dev/null || $(BIN)/python -m pip install -q --no-deps -e .
	@touch $@
