// RUN: python3 %root/test/dialects/tile/Inputs/labels.py %root
