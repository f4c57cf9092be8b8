// A device of the C API with one code object, for tests.
#pragma once

#include "tegula/sim.h"
#include <cstring>
#include <fstream>
#include <gtest/gtest.h>
#include <iterator>
#include <string>
#include <vector>

/// Kernarg bytes at natural alignment: pointers, int32_t, float…
class Arguments {
public:
  template <class T> Arguments &add(T value) {
    bytes.resize((bytes.size() + sizeof value - 1) / sizeof value * sizeof value);
    const auto *p = reinterpret_cast<const char *>(&value);
    bytes.insert(bytes.end(), p, p + sizeof value);
    return *this;
  }
  std::vector<char> bytes;
};

class Sim {
public:
  struct Found {
    std::string kind, instruction, text, json;
    tgs_severity severity;
    uint64_t pc, lanes;
    uint32_t wave;
  };

  explicit Sim(const std::string &target, const std::string &object,
               uint32_t sanitizers = TGS_SANITIZE_ALL, uint32_t threads = 1,
               tgs_schedule schedule = TGS_SCHEDULE_FIFO, uint64_t seed = 0, uint64_t limit = 0,
               bool countAccesses = false)
      : Sim(configOf(target, sanitizers, threads, schedule, seed, limit, countAccesses), object) {}
  Sim(const tgs_config &config, const std::string &object) {
    EXPECT_EQ(tgs_open(&config, &device, nullptr, 0), TGS_OK);
    std::ifstream file(std::string(FIXTURES) + "/" + object, std::ios::binary);
    elf.assign(std::istreambuf_iterator<char>(file), {});
    EXPECT_FALSE(elf.empty()) << object;
    EXPECT_EQ(tgs_load(device, elf.data(), elf.size(), &module), TGS_OK) << tgs_last_error(device);
  }
  ~Sim() { tgs_close(device); }
  Sim(const Sim &) = delete;
  Sim &operator=(const Sim &) = delete;

  /// Device memory with a copy of `data`.
  template <class T> T *upload(const std::vector<T> &data) {
    void *p = nullptr;
    EXPECT_EQ(tgs_malloc(device, data.size() * sizeof(T), &p), TGS_OK);
    std::memcpy(p, data.data(), data.size() * sizeof(T));
    return static_cast<T *>(p);
  }
  tgs_status launch(const std::string &kernel, tgs_dims grid, tgs_dims block, const Arguments &args,
                    uint32_t dynamicLds = 0) {
    tgs_kernel *k = nullptr;
    EXPECT_EQ(tgs_get_kernel(module, kernel.c_str(), &k), TGS_OK) << tgs_last_error(device);
    if (!k)
      return TGS_ERROR_NOT_FOUND;
    return tgs_launch(k, &grid, &block, dynamicLds, args.bytes.data(), args.bytes.size());
  }
  /// Findings since the last call.
  std::vector<Found> findings() {
    std::vector<Found> all;
    tgs_findings(
        device,
        [](const tgs_finding *f, void *user) {
          static_cast<std::vector<Found> *>(user)->push_back(
              {f->kind, f->instruction, f->text, f->json, f->severity, f->pc, f->lanes, f->wave});
        },
        &all);
    tgs_clear_findings(device);
    return all;
  }
  bool found(const std::vector<Found> &all, const std::string &kind) const {
    for (const Found &f : all)
      if (f.kind == kind && f.severity == TGS_ERROR)
        return true;
    return false;
  }
  std::string error() const { return tgs_last_error(device); }
  tgs_stats stats() const {
    tgs_stats s{};
    tgs_get_stats(device, &s);
    return s;
  }

  static tgs_config configOf(const std::string &target, uint32_t sanitizers, uint32_t threads,
                             tgs_schedule schedule, uint64_t seed, uint64_t limit,
                             bool countAccesses) {
    tgs_config config{};
    config.target = target.c_str();
    config.sanitizers = sanitizers;
    config.threads = threads;
    config.schedule = schedule;
    config.seed = seed;
    config.instruction_limit = limit;
    config.count_accesses = countAccesses;
    return config;
  }

  tgs_device *device = nullptr;
  std::vector<char> elf;
  tgs_module *module = nullptr;
};
