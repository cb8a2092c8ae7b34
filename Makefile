# Two commands do everything on a machine with Python (3.10 or newer), pip and make:
#   make demo   runs the main job and writes demo/
#   make test   checks style, types and behaviour
# Both make the virtual environment and install the package first.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed
# Processes that run the tests.
WORKERS ?= 2

.PHONY: install demo test lint format pretrained clean

install: $(STAMP)

$(STAMP): pyproject.toml constraints.txt
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt --editable ".[dev]"
	touch $(STAMP)

demo: install
	$(BIN)/shapeparse demo --out demo

test: install lint
	$(BIN)/python -m pytest --numprocesses $(WORKERS) --dist worksteal

lint: install
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/mypy --config-file tests/mypy.ini tests benchmarks examples
	$(BIN)/lint-imports --no-cache

format: install
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

# The parser that comes with the package, made anew: it trains for about 20 minutes, and goes on where it was stopped.
pretrained: install
	$(BIN)/python benchmarks/pretrained.py

clean:
	rm -rf $(VENV) demo build dist
