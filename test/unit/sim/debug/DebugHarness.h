// A launch under a debugger, for tests.
#pragma once

#include "SimHarness.h"

class Debugged {
public:
  Debugged(Sim &sim, const char *kernel, uint32_t groups, uint32_t items,
           const Arguments &arguments)
      : sim(sim) {
    tgs_kernel *k = nullptr;
    EXPECT_EQ(tgs_get_kernel(sim.module, kernel, &k), TGS_OK) << sim.error();
    tgs_dims grid{groups, 1, 1}, block{items, 1, 1};
    EXPECT_EQ(tgs_debug_start(k, &grid, &block, 0, arguments.bytes.data(), arguments.bytes.size(),
                              &debugger, &event),
              TGS_OK)
        << sim.error();
  }
  ~Debugged() { tgs_debug_close(debugger); }
  Debugged(const Debugged &) = delete;
  Debugged &operator=(const Debugged &) = delete;

  tgs_event_reason run() {
    EXPECT_EQ(tgs_debug_run(debugger, &event), TGS_OK) << sim.error();
    return event.reason;
  }
  tgs_event_reason step(uint64_t n = 1) {
    EXPECT_EQ(tgs_debug_step(debugger, n, &event), TGS_OK) << sim.error();
    return event.reason;
  }
  uint32_t line(uint32_t number, uint64_t workgroup = TGS_ANY_WORKGROUP,
                uint32_t wave = TGS_ANY_WAVE) {
    tgs_breakpoint b{};
    b.kind = TGS_BREAK_LINE;
    b.line = number;
    b.file = "kernels.cl";
    return add(b, workgroup, wave);
  }
  uint32_t watch(tgs_break_kind kind, uint64_t address, uint64_t bytes, uint32_t access) {
    tgs_breakpoint b{};
    b.kind = kind;
    b.address = address;
    b.bytes = bytes;
    b.access = access;
    return add(b, TGS_ANY_WORKGROUP, TGS_ANY_WAVE);
  }
  uint32_t add(tgs_breakpoint b, uint64_t workgroup, uint32_t wave) {
    uint32_t id = 0;
    b.workgroup = workgroup;
    b.wave = wave;
    EXPECT_EQ(tgs_debug_break(debugger, &b, &id), TGS_OK) << sim.error();
    return id;
  }
  std::vector<uint32_t> reg(const char *name) {
    std::vector<uint32_t> values(64);
    size_t count = 64;
    EXPECT_EQ(tgs_debug_register(debugger, name, values.data(), &count), TGS_OK) << sim.error();
    values.resize(count);
    return values;
  }
  std::string at() const { return event.instruction; }

  Sim &sim;
  tgs_debugger *debugger = nullptr;
  tgs_event event{};
};
