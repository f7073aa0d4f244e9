# make demo   a mechanism from assembly to plot, in its own virtual environment
# make test   lint, types, tests and documentation; make test-all also tests that take minutes
# make fuzz   tests with drawn input, with 500 new examples each; EXAMPLES=5000 for more
# make test-numba  a short test with the oldest version of numba that is supported
# make docs   the documentation site, in docs/_build/html
# make bench  all speed figures, beside other programs: docs/speed.md; ARGS=--quick for a look
PYTHON ?= python3
VENV   ?= .venv
BIN    := $(VENV)/bin

OLDEST := numba==0.61.0
EXAMPLES ?= 500
.PHONY: demo test test-all fuzz test-numba docs bench clean
demo: $(VENV)/installed
	$(BIN)/linkwork demo

test: $(VENV)/tested
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/python -m pytest -n 2
	$(MAKE) docs

test-all: test
	$(BIN)/python -m pytest -n 2 -m slow

fuzz: $(VENV)/tested
	LINKWORK_EXAMPLES=$(EXAMPLES) $(BIN)/python -m pytest -n 2 \
	  $$(git grep -l "^from hypothesis" -- "tests/**/test_*.py") $(ARGS)

test-numba:
	$(PYTHON) -m venv .venv-numba
	.venv-numba/bin/python -m pip install --quiet --disable-pip-version-check --editable . "$(OLDEST)" pytest hypothesis
	.venv-numba/bin/python -m pytest -q -p no:cacheprovider \
	  tests/integrators/test_transient.py tests/system/test_nodes.py \
	  tests/recursive/test_recursive_joints.py tests/recursive/test_recursive_trees.py

docs: $(VENV)/tested
	$(BIN)/python -m sphinx -W --keep-going -q -b html docs docs/_build/html

bench: $(VENV)/installed
	$(BIN)/python -m benchmarks $(ARGS)

$(VENV)/installed: pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable .
	touch $@

$(VENV)/tested: $(VENV)/installed
	@command -v chromium >/dev/null || { [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null \
	  && apt-get update -qq && apt-get install -y -qq --no-install-recommends chromium >/dev/null; } \
	  || echo "Chromium is not installed: the tests in the browser will be skipped"
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable ".[test]"
	touch $@

clean:
	rm -rf $(VENV) .venv-numba .venv-peers demo-output build dist docs/_build docs/_pages docs/api docs/gallery
