// RUN: python3 %S/Inputs/labels.py %root
