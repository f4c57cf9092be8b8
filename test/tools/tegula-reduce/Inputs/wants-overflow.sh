#!/bin/sh
# Interesting: over the budget of LDS.
tegula-compile "$1" --emit object -o /dev/null 2>&1 | grep -q "cdna.kernel.c3"
