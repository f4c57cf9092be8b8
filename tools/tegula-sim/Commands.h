#pragma once

#include "Options.h"

struct Session {
  tgs_device *device = nullptr;
  tgs_module *module = nullptr;
  ~Session() { tgs_close(device); }
};
int fail(const std::string &why);
int run(Session &, const Options &);
int info(Session &);
/// Of the last launch, on a device that counts accesses.
void printStatistics(Session &, bool json);
