# `make` alone lists what there is. Needs make and Python 3.11 or newer, nothing else.

.DEFAULT_GOAL := help
.PHONY: help run test check messages bench train lock

VENV := .venv
BIN := $(VENV)/bin

# The first of these that is new enough; PYTHON=… chooses another.
PYTHON ?= $(shell for name in python3.11 python3.12 python3.13 python3.14 python3 python; do \
	"$$name" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null \
	&& echo "$$name" && break; done)

# $(call install,LOCK,STAMPS): makes the environment say what the lock says. A stamp is a copy
# of the lock it was installed from, written last: without one the environment is half-made
# and begun anew, and while it is the same nothing is done.
define install
	@if ! { $(foreach stamp,$(2),cmp -s $(firstword $(subst :, ,$(stamp))) \
	$(VENV)/$(lastword $(subst :, ,$(stamp))) &&) $(BIN)/python -c 'import sys'; } 2>/dev/null; then \
		set -e; \
		test -n "$(PYTHON)" || { echo "Python 3.11 or newer is needed, and none was found." >&2; exit 1; }; \
		echo "Installing $(1) into $(VENV) (the first time takes a minute or two) …"; \
		if ls $(VENV)/.installed-* >/dev/null 2>&1 && $(BIN)/python -c 'import sys' 2>/dev/null; then \
			rm -f $(VENV)/.installed-*; \
		else \
			$(PYTHON) -m venv --clear $(VENV); \
		fi; \
		$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-input \
			--require-hashes --requirement $(1); \
		$(foreach stamp,$(2),cp $(firstword $(subst :, ,$(stamp))) \
			$(VENV)/$(lastword $(subst :, ,$(stamp)));) \
	fi
endef
RUN_STAMP := requirements.lock:.installed-run
DEV_STAMP := requirements-dev.lock:.installed-dev

help: ## list the commands
	@sed -n 's/^\([a-z]*\):.*## /  make \1\t/p' Makefile

run: ## install if needed and start everything (HOST=…, PORT=…)
	$(call install,requirements.lock,$(RUN_STAMP))
	@$(BIN)/python manage.py up

test: ## run the tests on their own database and broker
	$(call install,requirements-dev.lock,$(RUN_STAMP) $(DEV_STAMP))
	@$(BIN)/python -m pytest

check: ## lint, types, layers, templates, migrations, API schema, translations
	$(call install,requirements-dev.lock,$(RUN_STAMP) $(DEV_STAMP))
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy memoryapp accounts tests benchmarks manage.py
	$(BIN)/lint-imports
	@# Lint alone: the formatter would put line breaks into running text, where they show.
	$(BIN)/djlint --quiet --lint templates
	@# Without a database running, Django warns that it can't compare the history with it.
	$(BIN)/python -W ignore::RuntimeWarning manage.py makemigrations --check --dry-run
	$(BIN)/python manage.py check
	$(BIN)/python manage.py openapi --check
	$(BIN)/python manage.py messages --check

messages: ## bring the translations up to the code (docs/translating.md)
	$(call install,requirements-dev.lock,$(RUN_STAMP) $(DEV_STAMP))
	@$(BIN)/python manage.py messages

bench: ## measure speed
	$(call install,requirements-dev.lock,$(RUN_STAMP) $(DEV_STAMP))
	@$(BIN)/python -m benchmarks

train: ## train the local extractor's weights anew from memoryapp/training
	$(call install,requirements-dev.lock,$(RUN_STAMP) $(DEV_STAMP))
	@$(BIN)/pip install --quiet --disable-pip-version-check -r memoryapp/training/requirements.txt
	@$(BIN)/python -m memoryapp.training.train

lock: ## write the lock files anew from pyproject.toml
	@$(PYTHON) -m venv $(VENV)/lock-tools
	@$(VENV)/lock-tools/bin/pip install --quiet --disable-pip-version-check uv
	$(VENV)/lock-tools/bin/uv pip compile --quiet --universal --python-version 3.11 --upgrade \
		--generate-hashes --no-header --no-annotate --output-file requirements.lock pyproject.toml
	$(VENV)/lock-tools/bin/uv pip compile --quiet --universal --python-version 3.11 --upgrade \
		--generate-hashes --no-header --no-annotate --group dev --extra local-multilingual \
		--constraint requirements.lock --output-file requirements-dev.lock pyproject.toml
