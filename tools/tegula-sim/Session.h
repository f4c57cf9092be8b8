// An open device with a code object, and the options that say how it is opened.
#pragma once

#include "CommandLine.h"
#include "tegula/sim.h"

/// How --schedule is spelled.
constexpr const char *kSchedules = "fifo|random:SEED|adversarial";
bool parseSchedule(const std::string &text, tgs_schedule &schedule, uint64_t &seed);

struct DeviceOptions {
  std::string object, target;
  uint64_t threads = 0, seed = 0, limit = 0, maxFindings = 0;
  double seconds = 0;
  tgs_schedule schedule = TGS_SCHEDULE_FIFO;
  tgs_numerics numerics = TGS_NUMERICS_FMA_CHAIN;
  bool transcendentalError = false;
  std::vector<std::string> suppressions;
  bool lateLoads = false;
  bool noSanitize = false, unorderedThreads = false, countAccesses = false;
  void declare(CommandLine &);
};

class Session {
public:
  Session() = default;
  ~Session() { tgs_close(device); }
  Session(const Session &) = delete;
  Session &operator=(const Session &) = delete;
  /// Reads the object and opens a device of its target (or of `target`, which must be the same).
  /// Throws BadCommandLine for options that no device takes.
  bool open(const DeviceOptions &, std::string &error);
  /// The kernel of that name; if the name is empty, the object's only one. Throws BadCommandLine.
  tgs_kernel *kernel(const std::string &name) const;

  tgs_device *device = nullptr;
  tgs_module *module = nullptr;
  std::string object;
};

/// One line on stderr; returns the exit status of failures.
int fail(const std::string &why);
