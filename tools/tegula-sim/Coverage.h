// tegula-sim coverage: what the device executes, and what tests have seen of it.
#pragma once

#include <string>
#include <vector>

/// Arguments after the command's name; the exit status.
///
/// "Tested" is never a guess: it comes from the record that the per-instruction tests write, one
/// line "mnemonic,target,encoding,cases" for each form that they ran and compared, encodings as
/// tgs_instructions names them. A form is tested from 8 cases on (lines of one form add up). The
/// record is FILE, or isa-tested.csv in the build folder; without it nothing counts as tested.
int coverage(const std::vector<std::string> &arguments);
