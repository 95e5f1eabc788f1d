.DEFAULT_GOAL := help
PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin

.PHONY: help setup check lint types contracts test test-slow modules checkov bench

help: ## Show this list
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | awk -F ':.*## ' '{printf "%-12s %s\n", $$1, $$2}'

setup: $(BIN)/multicloud ## Make a virtual environment with everything the project needs

$(BIN)/multicloud: pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(BIN)/pip install --quiet --editable '.[all,dev]'
	@touch $@

check: lint types contracts test ## What CI runs, but the slow tests

lint: setup ## Format and lint, checked
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .

types: setup ## mypy --strict
	$(BIN)/mypy

contracts: setup ## Import contracts between layers
	$(BIN)/lint-imports

test: setup ## The fast suite
	$(BIN)/pytest -q -n auto -m 'not slow'

test-slow: setup ## The slow suite: exhaustive properties, real engine and provider
	$(BIN)/pytest -q -n auto -m slow

modules: setup ## Terraform modules: format, validate and their own tests
	$(BIN)/pytest -q tests/modules

checkov: setup ## Security checks over the modules and rendered roots
	PATH="$(CURDIR)/$(BIN):$$PATH" .ci/checkov

bench: setup ## Print the benchmark table
	$(BIN)/python -m benchmarks
