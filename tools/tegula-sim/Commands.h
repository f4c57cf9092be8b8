// The commands of tegula-sim. Each gets what stands behind its name and returns the exit status.
#pragma once

#include "LaunchOptions.h"

int run(const std::vector<std::string> &);
int list(const std::vector<std::string> &);
int disassemble(const std::vector<std::string> &);
int coverage(const std::vector<std::string> &);
int debug(const std::vector<std::string> &);
int hip(const std::vector<std::string> &);

/// Of the last launch, on a device that counts accesses.
void printStatistics(Session &, const PreparedLaunch &, bool json);
/// Findings of the last launches on stderr; returns how many of them are errors.
int printFindings(Session &, bool json);
