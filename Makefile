# One place for every check; .ci/run, the workflow and people call the same targets.
PYTHON ?= python3
RUN = $(PYTHON) -m

.PHONY: check format lint types layers test fix generated bench

check: format lint types layers test

format:
	$(RUN) ruff format --check .

lint:
	$(RUN) ruff check .

types:
	$(RUN) mypy

layers:
	$(PYTHON) -c "from importlinter.cli import lint_imports_command as lint; lint()"

test:
	$(RUN) pytest -n auto

fix:
	$(RUN) ruff format .
	$(RUN) ruff check --fix .
