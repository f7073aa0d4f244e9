# make demo   a mechanism from assembly to plot, in its own virtual environment
# make test   lint, types and tests
# make bench  all speed figures, beside Exudyn: docs/speed.md; `make bench ARGS=--quick` for a look
PYTHON ?= python3
VENV   ?= .venv
BIN    := $(VENV)/bin

.PHONY: demo test bench clean
demo: $(VENV)/installed
	$(BIN)/linkwork demo

test: $(VENV)/tested
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/python -m pytest -n 2

bench: $(VENV)/installed
	$(BIN)/python -m benchmarks $(ARGS)

$(VENV)/installed: pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable .
	touch $@

$(VENV)/tested: $(VENV)/installed
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable ".[test]"
	touch $@

clean:
	rm -rf $(VENV) .venv-peers demo-output build dist
