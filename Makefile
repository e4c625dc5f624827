# Each target works on a bare machine with python3 (3.11 or newer, with venv) and make.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
# One more than there are cores: while a worker waits for a browser, a server or a command, another one works
WORKERS ?= $(shell $(PYTHON) -c 'import os; print(len(getattr(os, "sched_getaffinity", lambda _: range(os.cpu_count() or 1))(0)) + 1)')
FUZZ_SECONDS ?= 60
# Bytecode is kept whatever the caller's habit is: hundreds of tests start the command line anew
PYTEST = env -u PYTHONDONTWRITEBYTECODE INFOSCOPE_TESTS_BRIEF=1 $(BIN)/python -m pytest -n $(or $(WORKERS),auto) --dist loadfile --no-loadscope-reorder
# Tests of clusters, databases, object stores and the explorer, each of which starts its server
SERVERS := tests/engines tests/spark tests/explorer tests/readers/test_object_stores.py tests/readers/test_clouds.py
BUILD := pyproject.toml setup.py constraints.txt $(wildcard native/*.[ch])

.PHONY: demo test suite test-browser test-spark test-torch test-mlflow test-oldest test-fast check bench mutants docs fuzz fuzz-readers clean
.DELETE_ON_ERROR:

demo: $(VENV)/.core  ## evaluate the bundled example
	@$(BIN)/infoscope demo
	@mkdir -p demo && $(BIN)/infoscope demo --format html -o demo/report.html
	@echo "the same as a page for a browser: demo/report.html"

test: $(VENV)/.dev  ## lint, types and all tests but most of a browser's, and those of Spark, MLflow and PyTorch
	@tools/system-packages
	@tools/system-packages browser
	@tools/browser-packages
	@$(MAKE) --no-print-directory -j2 check suite

suite: $(VENV)/.dev  # beside the checks, of which types keep one core busy for long
	$(PYTEST) -m 'not browser or smoke'

test-browser: $(VENV)/.dev  ## the tests of pages and explorer in Chromium, with axe for accessibility, which it installs
	@tools/system-packages browser
	@tools/browser-packages
	@for program in "$$INFOSCOPE_CHROMIUM" chromium-headless-shell chromium chromium-browser; do \
	  command -v "$$program" >/dev/null 2>&1 && exit 0; \
	done; echo "no chromium on this machine, so no page can be tried in a browser (apt-get install chromium)"; exit 1
	$(PYTEST) tests/browser

test-spark: $(VENV)/.dev  ## the tests of Spark (a cluster on loopback), which it installs, with Java
	@tools/test-spark

test-mlflow: $(VENV)/.dev  ## the tests of MLflow (a server on loopback) and TensorBoard, which it installs
	@tools/test-mlflow

test-torch: $(VENV)/.dev  ## the tests of PyTorch, TorchMetrics and Lightning, which it installs (a build for the processor)
	@tools/test-torch

test-oldest: $(VENV)/.dev  ## the core of the tests with the oldest versions that pyproject.toml allows, which it installs
	@tools/test-oldest

test-fast: $(VENV)/.dev  ## nothing slow, no servers, no browser, random tests with few examples: while you work
	HYPOTHESIS_PROFILE=fast $(PYTEST) -m 'not slow and not browser' $(foreach place,$(SERVERS),--ignore=$(place))

check: $(VENV)/.dev  ## lint, format, types, import layers, scripts of the pages
	$(BIN)/ruff check --quiet .
	$(BIN)/ruff format --check --quiet .
	$(BIN)/mypy
	$(BIN)/lint-imports --no-logo
	@$(BIN)/python -m tools.unique_names
	@tools/browser-packages check

bench: $(VENV)/.dev  ## speed as ratios against peers, and docs/contributors/benchmarks.md of it; ONLY="growth reading" measures some
	@$(BIN)/python -m tools.bench $(if $(ONLY),--only $(ONLY))

fuzz-readers: $(VENV)/.dev  ## all readers against plain Python; FUZZ_SECONDS=600 for longer, SEED=7 to repeat
	$(BIN)/python -m tools.fuzz_readers --seconds $(FUZZ_SECONDS) $(if $(SEED),--seed $(SEED))

mutants: $(VENV)/.dev  ## faults put in on purpose, which tests must notice; ONLY="gate kappa" tries some
	$(BIN)/python -m tools.mutants -j 2 $(ONLY)

docs: $(VENV)/.dev  ## the generated pages and schemas, and the site in site/
	$(BIN)/python -m tools.schemas
	$(BIN)/python -m tools.published_figures
	$(BIN)/python -m tools.gallery
	$(BIN)/python -m tools.papers
	$(BIN)/python -m tools.architecture
	$(BIN)/python -m tools.site
	@echo "open site/index.html"

fuzz: $(VENV)/.dev  ## the compiled parts under sanitizers, FUZZ_SECONDS=60
	@native/fuzz/run $(FUZZ_SECONDS)

$(BIN)/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "infoscope needs Python 3.11 or newer; set PYTHON=")'
	$(PYTHON) -m venv $(VENV)

# uv where present, else pip; versions are those that were tested together
$(VENV)/.core: $(BUILD) | $(BIN)/python
	@tools/install -e .
	@$(BIN)/python -m compileall -q src
	@touch $@

$(VENV)/.dev: $(BUILD) | $(BIN)/python
	@tools/install -e '.[dev]'
	@$(BIN)/python -m compileall -q src
	@env -u PYTHONDONTWRITEBYTECODE $(BIN)/python -m pytest --collect-only -qq >/dev/null || true  # keeps their bytecode: else each worker makes it
	@touch $@ $(VENV)/.core

clean:
	rm -rf $(VENV) .venv-spark .venv-torch .venv-mlflow .venv-oldest .pytest_cache .mypy_cache .ruff_cache .hypothesis .import_linter_cache build dist src/infoscope/readers/_packed*.so src/infoscope/_kernels*.so
