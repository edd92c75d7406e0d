# make test   the environment, style, types, the floors of the architecture, and the tests
# make solve  the environment with the embedded model, and a search on a fixed easy problem
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin

.PHONY: test solve check format clean

test: $(VENV)/dev check
	$(BIN)/pytest -n 2

check: $(VENV)/dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

solve: $(VENV)/local
	$(BIN)/evo solve fizz-buzz --seed 1 --budget-programs 20

format: $(VENV)/dev
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

$(BIN)/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "evo needs Python 3.11 or newer: make PYTHON=python3.11 ...")'
	$(PYTHON) -m venv $(VENV)

$(VENV)/dev: $(BIN)/python setup.cfg pyproject.toml
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e '.[dev]'
	@touch $@

$(VENV)/local: $(BIN)/python setup.cfg pyproject.toml
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e '.[local]'
	@touch $@

clean:
	rm -rf $(VENV)
