#!/bin/sh
# Interesting: a kernel that compiles and takes a reciprocal square root.
grep -q "tile.math rsqrt" "$1" && tegula-compile "$1" --emit object -o /dev/null
