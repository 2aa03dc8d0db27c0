# Every target sets up what it needs: Python packages in .venv, the native core in build/. Nothing here needs root.
# `make` alone lists the targets. Stamp files in .venv remember what is done; `make clean` forgets it.

PYTHON ?= python3
JOBS ?= 2
PYTEST_ARGS ?=
FUZZ_RUNS ?= 100000
ifeq ($(origin CXX),default)
CXX := $(or $(shell command -v c++ 2>/dev/null),$(shell command -v g++ 2>/dev/null),c++)
endif
export CXX

VENV := .venv
SANITIZE_VENV := .venv-sanitize
BIN := $(VENV)/bin
PIP_INSTALL = $(@D)/bin/python -m pip --disable-pip-version-check install --quiet -c constraints.txt
NATIVE_SOURCES := CMakeLists.txt $(shell find cpp -type f -name '*.?pp')
CPP_FILES := $(filter cpp/%,$(NATIVE_SOURCES))
STUB := src/katachi/_core.pyi

.DEFAULT_GOAL := help
.NOTPARALLEL:
.SECONDARY:
.DELETE_ON_ERROR:
.PHONY: help demo extras test test-slow bench fuzz lint lint-python lint-layers lint-stubs lint-cpp format docs sanitize sanitize-threads weights policies networks stubs constraints clean \
    gnugo sabaki-gtp tmux valgrind

help: ## list the targets
	@sed -nE 's/^([a-z-]+):.*## (.*)/  make \1\t\2/p' $(MAKEFILE_LIST) | expand -t 20

demo: $(VENV)/.stamp-package ## show what Katachi does, with its run-time dependencies only
	$(BIN)/katachi demo

test: $(VENV)/.stamp-package $(VENV)/.stamp-test gnugo tmux sabaki-gtp ## run the tests that take seconds (PYTEST_ARGS='-k ko')
	$(BIN)/pytest -n $(JOBS) -m "not slow" $(PYTEST_ARGS)

extras: $(VENV)/.stamp-ray $(VENV)/.stamp-tune $(VENV)/.stamp-openspiel $(VENV)/.stamp-gymnasium $(VENV)/.stamp-tensorboard $(VENV)/.stamp-data ## install what single parts need: Ray, Optuna, OpenSpiel, Gymnasium, tensorboardX, pyarrow

test-slow: $(VENV)/.stamp-package $(VENV)/.stamp-test gnugo ## run the tests that take minutes: strength, long counts
	$(BIN)/pytest -n $(JOBS) -m slow $(PYTEST_ARGS)

bench: $(VENV)/.stamp-package valgrind ## measure speed and memory: the clock, a cap, then instructions counted by Valgrind
	$(BIN)/katachi bench
	$(BIN)/python benchmarks/workers.py
	$(BIN)/python benchmarks/python_game.py
	$(BIN)/python benchmarks/training_speed.py
	$(BIN)/python benchmarks/network_learning.py
	$(BIN)/python benchmarks/memory_cap.py --cap 64 --minutes 0.25
	@if $(BIN)/python -c 'import pyspiel' 2>/dev/null; then set -x; $(BIN)/python benchmarks/openspiel_peer.py; \
	    else echo "OpenSpiel is missing: nothing is measured next to its search; make extras installs it"; fi
	@if command -v valgrind >/dev/null; then set -x; $(BIN)/python benchmarks/instructions.py; fi

fuzz: $(VENV)/.stamp-package $(VENV)/.stamp-test $(VENV)/.stamp-fuzz ## feed rubbish to the readers of GTP and SGF (FUZZ_RUNS=100000)
	$(BIN)/python -m tests.fuzz.gtp_lines --lines $(FUZZ_RUNS)
	$(BIN)/python -m tests.fuzz.sgf_mutations --files $(FUZZ_RUNS)
	$(BIN)/python -m tests.fuzz.fuzz_gtp -runs=$(FUZZ_RUNS) -max_len=2000
	$(BIN)/python -m tests.fuzz.fuzz_sgf -runs=$(FUZZ_RUNS) -max_len=5000

lint: lint-python lint-layers lint-stubs lint-cpp ## check style, types, layers, stubs and the C++ code

lint-python: $(VENV)/.stamp-package $(VENV)/.stamp-test $(VENV)/.stamp-lint
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy

lint-layers: $(VENV)/.stamp-package $(VENV)/.stamp-lint
	$(BIN)/lint-imports --no-logo

lint-stubs: $(VENV)/.stamp-package $(VENV)/.stamp-lint
	@$(call generate_stub,build/_core.pyi)
	@diff -u $(STUB) build/_core.pyi || { echo "$(STUB) is out of date: run make stubs" >&2; exit 1; }

lint-cpp: $(VENV)/.stamp-package $(VENV)/.stamp-lint
	@echo "$(BIN)/clang-format --dry-run -Werror, $(BIN)/clang-tidy -p build/dev"
	@$(BIN)/clang-format --dry-run -Werror $(CPP_FILES) tests/native/*.cpp
	@printf '%s\n' $(filter %.cpp,$(CPP_FILES)) | xargs -P $(JOBS) -n 1 $(BIN)/clang-tidy --quiet -p build/dev

format: $(VENV)/.stamp-lint ## format Python and C++, and repair what ruff can
	$(BIN)/ruff check --fix-only
	$(BIN)/ruff format
	@$(BIN)/clang-format -i $(CPP_FILES) tests/native/*.cpp

docs: $(VENV)/.stamp-package $(VENV)/.stamp-docs ## build the documentation into docs/_build/html
	$(BIN)/sphinx-build --fail-on-warning --keep-going --fresh-env -b html docs docs/_build/html

# The libraries of the sanitizers come first in the process, and the one of C++ exceptions with them. GCC only.
SANITIZER_LIBRARIES = $(foreach library,asan ubsan stdc++,$(shell $(CXX) -print-file-name=lib$(library).so))
sanitize: $(SANITIZE_VENV)/.stamp-package $(SANITIZE_VENV)/.stamp-test ## run the tests with the address and undefined-behaviour sanitizers
	LD_PRELOAD="$(SANITIZER_LIBRARIES)" ASAN_OPTIONS=detect_leaks=0 UBSAN_OPTIONS=print_stacktrace=1 PYTHONMALLOC=malloc \
	    $(SANITIZE_VENV)/bin/python -m pytest -n $(JOBS) -m "not slow" --hypothesis-profile=ci $(PYTEST_ARGS)

# Native code alone: an interpreter under this sanitizer is another matter.
SHAPES := $(wildcard cpp/features/*.cpp cpp/values/*.cpp cpp/learning/*.cpp)
sanitize-threads: ## look for races of training and of searches in threads, with the thread sanitizer
	@mkdir -p build
	$(CXX) -std=c++20 -O1 -g -fsanitize=thread -pthread -Icpp tests/native/self_play_threads.cpp cpp/door/self_play*.cpp $(SHAPES) -o build/self_play_threads
	TSAN_OPTIONS=halt_on_error=1 build/self_play_threads
	$(CXX) -std=c++20 -O1 -g -fsanitize=thread -pthread -Icpp tests/native/td_search_threads.cpp cpp/door/td_search.cpp cpp/search/td_search.cpp cpp/policies/*.cpp $(SHAPES) -o build/td_search_threads
	TSAN_OPTIONS=halt_on_error=1 build/td_search_threads
	$(CXX) -std=c++20 -O1 -g -fsanitize=thread -pthread -Icpp tests/native/tree_search_threads.cpp $(filter-out cpp/search/td_search.cpp,$(wildcard cpp/search/*.cpp)) cpp/policies/*.cpp $(SHAPES) -o build/tree_search_threads
	TSAN_OPTIONS=halt_on_error=1 build/tree_search_threads

# Twenty minutes on one core; a run that was stopped goes on.
weights: $(VENV)/.stamp-package ## learn the weights that come with the package anew
	for side in 5 7 9; do \
	    $(BIN)/katachi train --size $$side --games 1000000 --seed 1 --out build/weights/$${side}x$$side \
	    && $(BIN)/katachi weights copy build/weights/$${side}x$$side/checkpoint.safetensors src/katachi/data/weights/$${side}x$$side.safetensors \
	    && rm -r build/weights/$${side}x$$side || exit 1; done

policies: $(VENV)/.stamp-package $(VENV)/.stamp-data ## learn the playout policies that come with the package anew
	for experiment in balancing-learning balancing-cycle; do \
	    $(BIN)/katachi reproduce $$experiment --scale quick --workers 2 --seed 1 --out build/policies \
	    && $(BIN)/python -m katachi.experiments.balancing_learning.shipping build/policies/$$experiment/quick src/katachi/data/policies || exit 1; done

networks: $(VENV)/.stamp-package ## learn the network that comes with the package anew
	$(BIN)/katachi learn --rule td-mu --trainer rprop --games 10000 --schedule-games 10000 --seed 1 --out build/networks/5x5
	cp build/networks/5x5/snapshots/games_0000010000.safetensors src/katachi/data/networks/5x5.safetensors
	rm -r build/networks/5x5

stubs: $(VENV)/.stamp-package $(VENV)/.stamp-lint ## write the type stubs of the native core anew
	@$(call generate_stub,$(STUB))

constraints: ## write constraints.txt anew: the newest versions that work together
	rm -rf build/constraints
	$(PYTHON) -m venv build/constraints
	$(PYTHON) -c "$$LIST_REQUIREMENTS" build test lint docs fuzz ray tensorboard tune openspiel gymnasium data | build/constraints/bin/python -m pip install --quiet -r /dev/stdin
	{ echo "# Exact versions, written by \`make constraints\`."; build/constraints/bin/python -m pip freeze; } >constraints.txt
	rm -rf build/constraints

clean: ## remove everything that the other targets made
	rm -rf build dist docs/_build $(VENV) $(SANITIZE_VENV) .hypothesis .import_linter_cache .mypy_cache .pytest_cache .ruff_cache
	find src tests -name __pycache__ -prune -exec rm -rf {} +

# --- what the targets stand on ---

# The values of constants differ between machines (compiler, flags), so the stub keeps only their types.
generate_stub = mkdir -p build && $(BIN)/python -m nanobind.stubgen --quiet -m katachi._core -o build/stubgen.pyi \
    && sed -E 's/^(\w+: \w+) = .*/\1/' build/stubgen.pyi \
    | $(BIN)/ruff check --quiet --fix-only --stdin-filename $(STUB) - \
    | $(BIN)/ruff format --quiet --stdin-filename $(STUB) - >$(1)

# Prints the run-time requirements and those of the named extras ("build": of the build itself).
define LIST_REQUIREMENTS
import sys, tomllib
project = tomllib.load(open('pyproject.toml', 'rb'))
extras = project['project']['optional-dependencies']
extras['build'] = [*project['build-system']['requires'], 'ninja', 'cmake']
print(*project['project']['dependencies'], *(line for name in sys.argv[1:] for line in extras[name]), sep='\n')
endef
export LIST_REQUIREMENTS

else_say = || { echo "$(1)" >&2; exit 1; }

%/.stamp-venv:
	@command -v $(PYTHON) >/dev/null $(call else_say,Python is missing: install Debian package python3 or set PYTHON)
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' \
	    $(call else_say,Python 3.11 or newer is needed and $(PYTHON) is older: set PYTHON)
	@$(PYTHON) -c 'import ensurepip, venv' 2>/dev/null $(call else_say,Python cannot make environments: install Debian package python3-venv)
	@$(PYTHON) -c 'import os, sys, sysconfig; sys.exit(not os.path.exists(sysconfig.get_path("include") + "/Python.h"))' \
	    $(call else_say,Python.h is missing: install Debian package python3-dev)
	@command -v $(CXX) >/dev/null $(call else_say,A C++ compiler is missing: install Debian package g++ or set CXX)
	@printf '#include <bit>\n#include <concepts>\n#include <ranges>\n' | $(CXX) -std=c++20 -fsyntax-only -x c++ - 2>/dev/null \
	    $(call else_say,$(CXX) does not compile C++20: install Debian package g++ (11 or newer) or set CXX)
	$(PYTHON) -m venv $(@D)
	@touch $@

%/.stamp-requirements: constraints.txt pyproject.toml | %/.stamp-venv
	@echo "Installing what Katachi needs to build and to run"
	@$(@D)/bin/python -c "$$LIST_REQUIREMENTS" build | $(PIP_INSTALL) -r /dev/stdin
	@touch $@

$(VENV)/.stamp-package: $(VENV)/.stamp-requirements pyproject.toml $(NATIVE_SOURCES)
	$(PIP_INSTALL) --no-build-isolation --no-deps -e . --config-settings=build-dir=build/dev
	@touch $@

$(SANITIZE_VENV)/.stamp-package: $(SANITIZE_VENV)/.stamp-requirements pyproject.toml $(NATIVE_SOURCES)
	$(PIP_INSTALL) --no-build-isolation --no-deps -e . --config-settings=build-dir=build/sanitize --config-settings=cmake.define.KATACHI_SANITIZE=ON
	@touch $@

# The extras of pyproject.toml, each with a stamp of its own.
.SECONDEXPANSION:
$(VENV)/.stamp-test $(VENV)/.stamp-lint $(VENV)/.stamp-docs $(VENV)/.stamp-fuzz $(VENV)/.stamp-ray $(VENV)/.stamp-tune \
    $(VENV)/.stamp-openspiel $(VENV)/.stamp-gymnasium $(VENV)/.stamp-tensorboard $(VENV)/.stamp-data $(SANITIZE_VENV)/.stamp-test: constraints.txt pyproject.toml | $$(@D)/.stamp-venv
	@echo "Installing what $(@F:.stamp-%=%) needs"
	@$(@D)/bin/python -c "$$LIST_REQUIREMENTS" $(@F:.stamp-%=%) | $(PIP_INSTALL) -r /dev/stdin
	@touch $@

# $(call debian_package,package,how to find its program,what to say without it): installed when root, otherwise not fatal.
define debian_package
	@{ $(2); } >/dev/null || { [ "$$(id -u)" = 0 ] && command -v apt-get && export DEBIAN_FRONTEND=noninteractive \
	    && apt-get update && apt-get install -y $(1); } >/dev/null 2>&1 </dev/null || echo "$(3); install Debian package $(1)"
endef

gnugo:
	$(call debian_package,gnugo,command -v gnugo || test -x /usr/games/gnugo,GNU Go is missing: its differential tests are skipped)

tmux:
	$(call debian_package,tmux,command -v tmux,tmux is missing: a test of the terminal program is skipped)

# Sabaki's own GTP controller, which drives our engine in a test.
sabaki-gtp:
	$(call debian_package,npm,command -v npm,npm is missing: the test with Sabaki's GTP controller is skipped)
	@test -d build/node/node_modules/@sabaki/gtp || ! command -v npm >/dev/null \
	    || npm install --silent --no-audit --no-fund --prefix build/node @sabaki/gtp@3.0.0 >/dev/null 2>&1 \
	    || echo "@sabaki/gtp cannot be installed: the test with Sabaki's GTP controller is skipped"

valgrind:
	$(call debian_package,valgrind,command -v valgrind,Valgrind is missing: instructions are not counted)
