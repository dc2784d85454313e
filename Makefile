# One place for every check: .ci/run, the workflow and people call the same targets.
PYTHON ?= python3
RUN = $(PYTHON) -m

.PHONY: check format lint types layers generated test fix write bench

check: format lint types layers generated test

format:
	$(RUN) ruff format --check .

lint:
	$(RUN) ruff check .

types:
	$(RUN) mypy

layers:
	$(PYTHON) -c "from importlinter.cli import lint_imports_command as lint; lint()"

# What is derived from the code and committed: schemas, .env.example, action.yml, docs/reference.
generated:
	$(RUN) ci_judge.workflows.schemas --check
	$(RUN) ci_judge.workflows.action_metadata --check
	$(RUN) ci_judge.workflows.action_tables --check
	$(RUN) ci_judge.workflows.reference_docs --check
	$(RUN) ci_judge.cli.command_page --check

write:
	$(RUN) ci_judge.workflows.schemas
	$(RUN) ci_judge.workflows.action_metadata --write
	$(RUN) ci_judge.workflows.action_tables --write
	$(RUN) ci_judge.workflows.reference_docs --write
	$(RUN) ci_judge.cli.command_page --write
	$(RUN) tests.walk_through --write

test:
	$(RUN) pytest -n auto

fix:
	$(RUN) ruff format .
	$(RUN) ruff check --fix .

bench:
	$(RUN) bench
