// Stopping, looking and going on.
#include "DebugHarness.h"
#include <numeric>

namespace {
class Debug : public testing::TestWithParam<std::string> {
protected:
  void SetUp() override {
    std::vector<int> values(256);
    std::iota(values.begin(), values.end(), 1);
    in = sim.upload(values);
    out = sim.upload(std::vector<int>(256, -1));
  }
  Arguments arguments() { return Arguments().add(out).add(in); }
  Sim sim{GetParam(), "kernels-" + GetParam() + ".co", TGS_SANITIZE_ALL, 2};
  int *in = nullptr, *out = nullptr;
};
} // namespace

TEST_P(Debug, ItStopsBeforeTheFirstInstructionAndEnds) {
  Debugged d(sim, "reversed", 2, 128, arguments());
  EXPECT_EQ(d.event.reason, TGS_EVENT_STARTED);
  EXPECT_EQ(d.event.workgroup, 0u);
  EXPECT_EQ(d.event.wave, 0u);
  EXPECT_NE(d.at(), "");
  EXPECT_EQ(out[0], -1);
  EXPECT_EQ(d.run(), TGS_EVENT_ENDED);
  EXPECT_EQ(d.event.status, TGS_OK);
  EXPECT_STREQ(d.event.instruction, "");
  for (int i = 0; i < 256; ++i)
    EXPECT_EQ(out[i], (i / 128 * 128 + 127 - i % 128 + 1) * 3);
  EXPECT_EQ(d.run(), TGS_EVENT_ENDED); // and stays ended
  EXPECT_EQ(d.step(), TGS_EVENT_ENDED);
}

TEST_P(Debug, LinesWavesAndWorkgroups) {
  Debugged d(sim, "reversed", 2, 128, arguments());
  uint32_t id = d.line(12, 1, 1);
  EXPECT_EQ(d.run(), TGS_EVENT_BREAKPOINT);
  EXPECT_EQ(d.event.breakpoint, id);
  EXPECT_EQ(d.event.workgroup, 1u);
  EXPECT_EQ(d.event.wave, 1u);
  EXPECT_EQ(d.event.line, 12u);
  EXPECT_NE(std::string(d.event.file).find("kernels.cl"), std::string::npos);
  EXPECT_EQ(out[0], 384); // the first workgroup has ended
  std::vector<int> lds(128);
  EXPECT_EQ(tgs_debug_lds(d.debugger, 0, 512, lds.data()), TGS_OK);
  EXPECT_EQ(lds[5], (128 + 5 + 1) * 3);
  EXPECT_EQ(tgs_debug_lds(d.debugger, 4, 512, lds.data()), TGS_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(sim.error(), "LDS has 512 bytes");
  EXPECT_EQ(tgs_debug_delete(d.debugger, id), TGS_OK);
  EXPECT_EQ(tgs_debug_delete(d.debugger, id), TGS_ERROR_NOT_FOUND);
  EXPECT_EQ(d.run(), TGS_EVENT_ENDED);

  Debugged every(sim, "reversed", 2, 128, arguments());
  every.line(8);
  unsigned stops = 0;
  while (every.run() == TGS_EVENT_BREAKPOINT)
    ++stops;
  EXPECT_GE(stops, 4u); // 2 workgroups of 2 waves; code of a line may begin more than once
  EXPECT_EQ((stops + 1) % 4, 0u); // where the launch started, it had stopped already
}

TEST_P(Debug, PlacesThatDontExist) {
  Debugged d(sim, "reversed", 1, 128, arguments());
  tgs_breakpoint b{};
  uint32_t id = 0;
  b.pc = d.event.pc + 2;
  EXPECT_EQ(tgs_debug_break(d.debugger, &b, &id), TGS_ERROR_NOT_FOUND);
  b.pc = 1 << 30;
  EXPECT_EQ(tgs_debug_break(d.debugger, &b, &id), TGS_ERROR_NOT_FOUND);
  EXPECT_EQ(sim.error(), "no instruction at 1073741824");
  b.kind = TGS_BREAK_LINE;
  b.line = 12;
  b.file = "other.cl";
  EXPECT_EQ(tgs_debug_break(d.debugger, &b, &id), TGS_ERROR_NOT_FOUND);
  EXPECT_EQ(sim.error(), "no code of line 12 of other.cl");
  b.kind = TGS_WATCH_MEMORY;
  EXPECT_EQ(tgs_debug_break(d.debugger, &b, &id), TGS_ERROR_INVALID_ARGUMENT);
  b.kind = tgs_break_kind(9);
  EXPECT_EQ(tgs_debug_break(d.debugger, &b, &id), TGS_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(tgs_debug_select(d.debugger, 5, 0), TGS_ERROR_NOT_FOUND);
  EXPECT_EQ(sim.error(), "wave 0 of workgroup 5 is not resident");
  uint32_t values[64];
  for (const char *name : {"v600", "s102", "a", "x1", "v1x", "", "ttmp16", "v-1", "vccz"}) {
    size_t count = 64;
    EXPECT_EQ(tgs_debug_register(d.debugger, name, values, &count), TGS_ERROR_NOT_FOUND) << name;
  }
  size_t count = 63;
  EXPECT_EQ(tgs_debug_register(d.debugger, "v0", values, &count), TGS_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(tgs_debug_memory(d.debugger, 16, 4, values), TGS_ERROR_NOT_FOUND);
  EXPECT_EQ(tgs_debug_memory(d.debugger, reinterpret_cast<uintptr_t>(out), 1025, values),
            TGS_ERROR_NOT_FOUND);
}

TEST_P(Debug, StepsAreOfTheWave) {
  Debugged d(sim, "reversed", 1, 128, arguments());
  uint64_t pc = d.event.pc;
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(d.step(), TGS_EVENT_STEP);
    EXPECT_EQ(d.event.wave, 0u);
    EXPECT_GT(d.event.pc, pc);
    pc = d.event.pc;
  }
  // Over the barrier: wave 1 runs in between, the steps stay wave 0's.
  d.line(12, 0, 0);
  EXPECT_EQ(d.run(), TGS_EVENT_BREAKPOINT);
  unsigned steps = 0;
  while (d.step() == TGS_EVENT_STEP && steps < 100)
    ++steps;
  EXPECT_EQ(d.event.reason, TGS_EVENT_WAVE_ENDED);
  EXPECT_EQ(d.event.wave, 0u);
  EXPECT_GT(steps, 2u);
  EXPECT_EQ(tgs_debug_step(d.debugger, 0, &d.event), TGS_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(d.run(), TGS_EVENT_ENDED);

  uint64_t there = 0;
  {
    Debugged many(sim, "loop", 1, 64, Arguments().add(out).add(1000));
    EXPECT_EQ(many.step(2000), TGS_EVENT_STEP);
    there = many.event.pc;
  } // abandoned
  Debugged again(sim, "loop", 1, 64, Arguments().add(out).add(1000));
  for (int i = 0; i < 2000; ++i)
    again.step();
  EXPECT_EQ(again.event.pc, there);
}

TEST_P(Debug, RegistersAreTheWaves) {
  Debugged d(sim, "reversed", 1, 128, arguments());
  std::vector<uint32_t> v0 = d.reg("v0");
  ASSERT_EQ(v0.size(), 64u);
  EXPECT_EQ(v0[63] & 1023, 63u);
  EXPECT_EQ(d.reg("exec"), (std::vector<uint32_t>{~0u, ~0u}));
  EXPECT_EQ(d.reg("scc").size(), 1u);
  EXPECT_EQ(d.reg("mode").size(), 1u);
  EXPECT_EQ(tgs_debug_select(d.debugger, 0, 1), TGS_OK);
  EXPECT_EQ(d.reg("v0")[0] & 1023, 64u);
  std::vector<std::string> waves;
  EXPECT_EQ(tgs_debug_waves(
                d.debugger,
                [](const tgs_wave *w, void *user) {
                  static_cast<std::vector<std::string> *>(user)->push_back(
                      std::to_string(w->wave) + (w->selected ? "*" : "") + w->state);
                },
                &waves),
            TGS_OK);
  EXPECT_EQ(waves, (std::vector<std::string>{"0runs", "1*runs"}));
  EXPECT_EQ(d.step(), TGS_EVENT_STEP); // of the selected wave
  EXPECT_EQ(d.event.wave, 1u);
  uint64_t kernarg = d.reg("s0")[0] | uint64_t(d.reg("s1")[0]) << 32;
  int *pointer = nullptr;
  EXPECT_EQ(tgs_debug_memory(d.debugger, kernarg, 8, &pointer), TGS_OK);
  EXPECT_EQ(pointer, out);
}

TEST_P(Debug, WatchpointsOfMemoryAndLds) {
  Debugged d(sim, "reversed", 2, 128, arguments());
  auto address = [](int *p) { return reinterpret_cast<uintptr_t>(p); };
  uint32_t write = d.watch(TGS_WATCH_MEMORY, address(out + 130) + 1, 1, TGS_WRITE);
  uint32_t lds = d.watch(TGS_WATCH_LDS, 4 * 64, 4, TGS_WRITE);
  uint32_t read = d.watch(TGS_WATCH_MEMORY, address(in + 200), 4, TGS_READ);
  d.watch(TGS_WATCH_MEMORY, address(in + 200), 4, TGS_WRITE);     // never
  d.watch(TGS_WATCH_MEMORY, address(out + 256), 4096, TGS_WRITE); // behind it
  struct Stop {
    uint32_t id;
    uint64_t workgroup;
    uint32_t wave, lane;
    uint64_t address;
  } expected[] = {{lds, 0, 1, 0, 256},
                  {read, 1, 1, 8, address(in + 200)},
                  {lds, 1, 1, 0, 256},
                  {write, 1, 0, 2, address(out + 130)}};
  for (const Stop &stop : expected) {
    ASSERT_EQ(d.run(), TGS_EVENT_WATCH);
    EXPECT_EQ(d.event.breakpoint, stop.id);
    EXPECT_EQ(d.event.workgroup, stop.workgroup);
    EXPECT_EQ(d.event.wave, stop.wave);
    EXPECT_EQ(d.event.lane, stop.lane);
    EXPECT_EQ(d.event.address, stop.address);
  }
  EXPECT_EQ(out[130], (128 + 127 - 2 + 1) * 3); // it has been written
  EXPECT_EQ(d.run(), TGS_EVENT_ENDED);
}

TEST_P(Debug, TypedAccessesAreWatchedByTheirElements) {
  uintptr_t at = reinterpret_cast<uintptr_t>(out);
  Debugged d(sim, "formatted", 1, 64, Arguments().add(out));
  d.watch(TGS_WATCH_MEMORY, at + 4 * 20 + 2, 2, TGS_WRITE); // behind lane 20's two bytes
  uint32_t hit = d.watch(TGS_WATCH_MEMORY, at + 4 * 21 + 1, 1, TGS_WRITE);
  ASSERT_EQ(d.run(), TGS_EVENT_WATCH);
  EXPECT_EQ(d.event.breakpoint, hit);
  EXPECT_EQ(d.event.lane, 21u);
  EXPECT_EQ(d.event.address, at + 4 * 21);
  EXPECT_EQ(d.run(), TGS_EVENT_ENDED);
}

TEST_P(Debug, AtTheFirstReport) {
  Debugged d(sim, "racy", 1, 64, Arguments().add(out));
  EXPECT_EQ(tgs_debug_stop_at_findings(d.debugger, 1), TGS_OK);
  EXPECT_EQ(d.run(), TGS_EVENT_FINDING);
  EXPECT_NE(std::string(d.event.finding).find("error: "), std::string::npos);
  EXPECT_NE(std::string(d.event.finding).find("kernel racy"), std::string::npos);
  EXPECT_EQ(tgs_debug_stop_at_findings(d.debugger, 0), TGS_OK);
  EXPECT_EQ(d.run(), TGS_EVENT_ENDED);
  EXPECT_EQ(d.event.status, TGS_ERROR_FINDINGS);
  EXPECT_FALSE(sim.findings().empty());
}

TEST_P(Debug, OnceIsOnce) {
  Debugged d(sim, "loop", 1, 64, Arguments().add(out).add(10));
  EXPECT_EQ(d.step(12), TGS_EVENT_STEP);
  tgs_breakpoint b{};
  b.pc = d.event.pc; // inside the loop
  b.once = 1;
  d.add(b, TGS_ANY_WORKGROUP, TGS_ANY_WAVE);
  EXPECT_EQ(d.run(), TGS_EVENT_BREAKPOINT);
  EXPECT_EQ(d.run(), TGS_EVENT_ENDED);
}

TEST_P(Debug, AClosedLaunchStopsNowhere) {
  uint64_t behind = 0;
  for (int round = 0; round < 2; ++round) {
    Debugged d(sim, "reversed", 1, 64, arguments());
    d.watch(TGS_WATCH_MEMORY, 1, UINT64_MAX, TGS_READ | TGS_WRITE); // all there is
    ASSERT_EQ(d.run(), TGS_EVENT_WATCH);
    if (round == 0) {
      behind = d.event.pc; // the instruction behind the access
      continue;
    }
    tgs_breakpoint b{};
    b.pc = behind;
    d.add(b, TGS_ANY_WORKGROUP, TGS_ANY_WAVE);
  } // closing it comes back
  EXPECT_EQ(out[0], -1);
}

TEST_P(Debug, ScratchOfALane) {
  int *index = sim.upload(std::vector<int>(64, 5));
  Debugged d(sim, "scratchy", 1, 64, Arguments().add(out).add(index));
  d.watch(TGS_WATCH_MEMORY, reinterpret_cast<uintptr_t>(out), 4, TGS_WRITE);
  ASSERT_EQ(d.run(), TGS_EVENT_WATCH);
  EXPECT_EQ(out[9], 509);
  tgs_kernel *k = nullptr;
  tgs_kernel_info info;
  tgs_get_kernel(sim.module, "scratchy", &k);
  tgs_kernel_get_info(k, &info);
  ASSERT_GE(info.scratch_bytes, 1024u);
  std::vector<int> words(info.scratch_bytes / 4);
  EXPECT_EQ(tgs_debug_scratch(d.debugger, 9, 0, words.size() * 4, words.data()), TGS_OK);
  EXPECT_NE(std::find(words.begin(), words.end(), 1509), words.end());
  EXPECT_EQ(tgs_debug_scratch(d.debugger, 9, 0, words.size() * 4 + 4, words.data()),
            TGS_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(tgs_debug_scratch(d.debugger, 64, 0, 4, words.data()), TGS_ERROR_INVALID_ARGUMENT);
}

TEST_P(Debug, TheOrderIsTheLaunchs) {
  for (tgs_schedule schedule : {TGS_SCHEDULE_FIFO, TGS_SCHEDULE_RANDOM, TGS_SCHEDULE_ADVERSARIAL}) {
    std::vector<int> orders[2];
    for (bool debugged : {false, true}) {
      Sim s(GetParam(), "kernels-" + GetParam() + ".co", TGS_SANITIZE_ALL, 2, schedule, 11);
      int *order = s.upload(std::vector<int>(20)), *counter = s.upload(std::vector<int>(1));
      Arguments a = Arguments().add(order).add(counter);
      if (debugged) {
        Debugged d(s, "take_numbers", 20, 64, a);
        d.line(31, TGS_ANY_WORKGROUP, 0);
        while (d.run() != TGS_EVENT_ENDED)
          ;
      } else {
        EXPECT_EQ(s.launch("take_numbers", {20, 1, 1}, {64, 1, 1}, a), TGS_OK);
      }
      orders[debugged].assign(order, order + 20);
    }
    EXPECT_EQ(orders[0], orders[1]);
  }
}

TEST_P(Debug, WhatTheLaunchUsesStaysMeanwhile) {
  {
    Debugged d(sim, "reversed", 2, 128, arguments());
    EXPECT_EQ(tgs_free(sim.device, out), TGS_ERROR_INVALID_ARGUMENT);
    EXPECT_EQ(sim.error(), "a debugger holds a launch of this device: end it first");
    EXPECT_EQ(sim.launch("reversed", {2, 1, 1}, {128, 1, 1}, arguments()),
              TGS_ERROR_INVALID_ARGUMENT);
    tgs_debugger *second = nullptr;
    tgs_kernel *k = nullptr;
    tgs_dims one{1, 1, 1}, items{64, 1, 1};
    tgs_get_kernel(sim.module, "loop", &k);
    EXPECT_EQ(tgs_debug_start(k, &one, &items, 0, nullptr, 0, &second, &d.event),
              TGS_ERROR_INVALID_ARGUMENT);
    void *more = nullptr;
    EXPECT_EQ(tgs_malloc(sim.device, 64, &more), TGS_OK); // new memory is no harm
    tgs_module *other = nullptr;                          // nor is a module that goes away
    ASSERT_EQ(tgs_load(sim.device, sim.elf.data(), sim.elf.size(), &other), TGS_OK) << sim.error();
    tgs_unload(other);
    EXPECT_EQ(d.step(), TGS_EVENT_STEP);
  } // abandoned
  EXPECT_EQ(out[0], -1);
  EXPECT_EQ(sim.launch("reversed", {2, 1, 1}, {128, 1, 1}, arguments()), TGS_OK);
  EXPECT_EQ(out[0], 384);
  EXPECT_EQ(tgs_free(sim.device, out), TGS_OK);
}

TEST_P(Debug, DevicesCloseWithTheirDebugger) {
  auto other = std::make_unique<Sim>(GetParam(), "kernels-" + GetParam() + ".co");
  int *memory = other->upload(std::vector<int>(64));
  tgs_kernel *k = nullptr;
  tgs_dims one{1, 1, 1}, items{64, 1, 1};
  tgs_debugger *debugger = nullptr;
  tgs_event event;
  Arguments a = Arguments().add(memory).add(5);
  tgs_get_kernel(other->module, "loop", &k);
  EXPECT_EQ(tgs_debug_start(k, &one, &items, 0, a.bytes.data(), a.bytes.size(), &debugger, &event),
            TGS_OK);
  other.reset();
}

TEST_P(Debug, ALaunchThatIsRefusedHasEnded) {
  Debugged d(sim, "reversed", 1, 2048, arguments());
  EXPECT_EQ(d.event.reason, TGS_EVENT_ENDED);
  EXPECT_EQ(d.event.status, TGS_ERROR_RESOURCES);
  Debugged empty(sim, "reversed", 0, 128, arguments());
  EXPECT_EQ(empty.event.reason, TGS_EVENT_ENDED);
  EXPECT_EQ(empty.event.status, TGS_OK);
}

INSTANTIATE_TEST_SUITE_P(Targets, Debug, testing::Values("gfx942", "gfx950"));
