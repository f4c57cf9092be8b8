// A simulated device: memory, modules, launches. What the C API wraps.
#pragma once

#include "Sim/Counters/AccessReport.h"
#include "Sim/Exec/Context.h"
#include "Sim/Exec/Launch.h"
#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <string>

namespace tegula::sim {

class Device;

struct LoadedKernel {
  struct Module *module = nullptr;
  const Kernel *kernel = nullptr;
  std::shared_ptr<const Program> program; ///< lowered at first use
  std::string orderedBy;                  ///< of the program: see orderDependence
};

struct Module {
  Device *device = nullptr;
  CodeObject object;
  std::byte *image = nullptr; ///< guest copy, relocated
  std::map<std::string, LoadedKernel> kernels;
};

enum class LoadStatus : uint8_t { Ok, Invalid, OtherTarget, OutOfMemory };
enum class LaunchStatus : uint8_t { Ok, Invalid, Resources, OutOfMemory, Findings, Aborted };

class Device {
public:
  explicit Device(const Config &config) : config(config) {}

  LoadStatus load(const void *elf, size_t size, Module *&module);
  void unload(Module *);
  LaunchStatus launch(LoadedKernel &, Dims grid, Dims block, uint32_t dynamicLds,
                      const void *kernarg, size_t bytes, Observer *observer = nullptr);
  /// The kernel's program, lowered at first use.
  std::shared_ptr<const Program> program(LoadedKernel &) const;

  const Config config;
  Allocations memory;
  std::vector<Finding> findings;
  Stats stats;
  AccessReport accesses;                 ///< of the last launch, if the device counts
  std::string error;                     ///< of the last call that failed
  std::atomic<bool> interrupted = false; ///< stops the launch that runs; of any thread

private:
  void fill(Module &); ///< the image, and the table of kernels
  std::shared_ptr<const Program> programOf(const Kernel &, const Module &) const;
  LaunchStatus check(const LoadedKernel &, Dims grid, Dims block, uint64_t lds);
  std::vector<std::unique_ptr<Module>> modules_;
  uint64_t dispatches_ = 0;
  HostThreads threads_;
};

} // namespace tegula::sim
