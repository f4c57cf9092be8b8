# Everything starts here: `make demo` and `make test` install what they need, build and run.
VENV := .venv
BUILD := build
PYTHON := $(VENV)/bin/python
NATIVE := python/tegula/_native
PROMPT ?= What is the capital of France?

.PHONY: demo test test-full bench build packages format clean

demo: build
	$(PYTHON) -m tegula.demo --prompt "$(PROMPT)"

test: build
	$(PYTHON) test/run.py --build $(BUILD)

test-full: build
	$(PYTHON) test/run.py --build $(BUILD) --full

bench: build
	$(PYTHON) bench/run.py --output $(BUILD)/bench.json

build: $(VENV)/.stamp $(BUILD)/build.ninja
	cmake --build $(BUILD)
	cmake --install $(BUILD) --component python --prefix $(NATIVE) >/dev/null

format: build
	clang-format-22 -i $$(git ls-files '*.cpp' '*.h')
	$(VENV)/bin/ruff format
	$(VENV)/bin/ruff check --fix

packages:
	bash scripts/install-packages.sh

$(VENV)/.stamp: pyproject.toml scripts/setup-python.sh | packages
	bash scripts/setup-python.sh $(VENV)
	touch $@

$(BUILD)/build.ninja: CMakeLists.txt | packages $(VENV)/.stamp
	cmake -S . -B $(BUILD) -G Ninja -DCMAKE_C_COMPILER=clang-22 -DCMAKE_CXX_COMPILER=clang++-22 \
	  -DPython_EXECUTABLE=$(abspath $(PYTHON)) -Dpybind11_DIR=$$($(PYTHON) -m pybind11 --cmakedir)

clean:
	rm -rf $(BUILD) $(NATIVE)
