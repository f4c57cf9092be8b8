#!/usr/bin/env bash
# Install the Debian packages that building and testing need. Does nothing (and needs no root) when all are there.
set -euo pipefail
packages=(
  build-essential cmake ninja-build ccache git
  clang-22 clang-format-22 lld-22 llvm-22 llvm-22-dev llvm-22-tools libmlir-22-dev mlir-22-tools liblld-22-dev
  libffi-dev libxml2-dev zlib1g-dev libzstd-dev
  libhwy-dev libelf-dev libdw-dev libmsgpack-dev nlohmann-json3-dev libgtest-dev libbenchmark-dev
  python3 python3-dev python3-venv
)
missing=()
for package in "${packages[@]}"; do
  dpkg-query -W -f='${Status}' "$package" 2>/dev/null | grep -q 'ok installed' || missing+=("$package")
done
if [ ${#missing[@]} -gt 0 ]; then
  echo "installing: ${missing[*]}"
  export DEBIAN_FRONTEND=noninteractive
  apt-get update -qq
  apt-get install -y -qq "${missing[@]}" >/dev/null
fi
