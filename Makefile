# Two commands do everything: `make demo` and `make test`. Each sets up what it needs in .venv first.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready

.PHONY: demo test check bench docs studio browser clean help

help:
	@echo "make demo    set up, then make the sample library with pictures and exports in demo/"
	@echo "make test    set up, then run every test"
	@echo "make check   style, types, layer contract"
	@echo "make studio  build the pages of the browser studio (demo and test do it too)"
	@echo "make browser get a Chromium for the tests of the studio, where that can be done (test does it too)"
	@echo "make bench   compare speed with other packages (installs them in .bench)"
	@echo "make docs    build the documentation into docs/_build/html"

$(READY): pyproject.toml constraints.txt
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "Python 3.11 or newer is needed (PYTHON=... make)"; exit 1; }
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt uv || true
	if test -x $(BIN)/uv; then $(BIN)/uv pip install --quiet --python $(BIN)/python -c constraints.txt -e '.[dev,docs]'; \
	else $(BIN)/python -m pip install --quiet -c constraints.txt -e '.[dev,docs]'; fi
	touch $(READY)

studio: $(READY)
	$(BIN)/python tools/build_studio.py --get-node

demo: studio
	$(BIN)/reenact warm-up
	$(BIN)/reenact demo demo

browser: $(READY)
	@$(BIN)/python tools/get_browser.py

test: studio browser
	$(BIN)/python -m pytest -n auto --dist loadgroup

check: $(READY)
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/basedpyright --level error
	$(BIN)/lint-imports

bench: $(READY)
	$(BIN)/python benchmarks/run.py

docs: $(READY)
	$(BIN)/python -m sphinx -q -W --keep-going -b html docs docs/_build/html
	@echo "open docs/_build/html/index.html"

clean:
	rm -rf $(VENV) .bench build dist demo docs/_build
