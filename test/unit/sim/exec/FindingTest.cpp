// What the device must find, and what it must not: waits and barriers left out one at a time,
// accesses out of bounds, programs that cannot go on.
#include "SimHarness.h"
#include <cmath>

namespace {
struct Missing {
  const char *kernel;
  int without;
  const char *kind;
};
class Without : public ::testing::TestWithParam<std::tuple<const char *, Missing>> {};

const Missing kMissing[] = {
    {"through_registers", 1, "use-before-wait"},
    {"through_registers", 2, "use-before-wait"},
    {"through_registers", 3, "lds-race"},
    {"through_registers", 4, "use-before-wait"},
    {"through_registers", 6, "lds-race"},
    {"through_registers", 7, "lds-race"},
    {"direct_to_lds", 4, "use-before-wait"},
    {"direct_to_lds", 5, "use-before-wait"},
    {"direct_to_lds", 6, "lds-race"},
    {"direct_to_lds", 7, "lds-race"},
};

tgs_status runHazard(Sim &sim, const char *kernel, std::vector<uint32_t> &out) {
  std::vector<uint32_t> in(256);
  for (uint32_t i = 0; i < 256; ++i)
    in[i] = i * 11 + 3;
  uint32_t *d = sim.upload(std::vector<uint32_t>(256, 0));
  tgs_status status =
      sim.launch(kernel, {1, 1, 1}, {256, 1, 1}, Arguments().add(sim.upload(in)).add(d));
  out.assign(d, d + 256);
  return status;
}

TEST_P(Without, IsFound) {
  const auto &[target, m] = GetParam();
  Sim sim(target, "hazards-" + std::to_string(m.without) + "-" + target + ".co");
  std::vector<uint32_t> out;
  EXPECT_EQ(runHazard(sim, m.kernel, out), TGS_ERROR_FINDINGS);
  auto all = sim.findings();
  EXPECT_TRUE(sim.found(all, m.kind)) << (all.empty() ? "nothing found" : all[0].text);
  EXPECT_EQ(sim.error().rfind("error: ", 0), 0u) << sim.error();
}
INSTANTIATE_TEST_SUITE_P(All, Without,
                         ::testing::Combine(::testing::Values("gfx942", "gfx950"),
                                            ::testing::ValuesIn(kMissing)));

class Findings : public ::testing::TestWithParam<const char *> {
protected:
  std::string object() const { return std::string("hazards-0-") + GetParam() + ".co"; }
};
INSTANTIATE_TEST_SUITE_P(Targets, Findings, ::testing::Values("gfx942", "gfx950"));

TEST_P(Findings, CompleteProgramsAreClean) {
  for (const char *kernel : {"through_registers", "direct_to_lds"}) {
    Sim sim(GetParam(), object());
    std::vector<uint32_t> out;
    ASSERT_EQ(runHazard(sim, kernel, out), TGS_OK) << sim.error();
    EXPECT_TRUE(sim.findings().empty());
    for (uint32_t i = 0; i < 256; ++i)
      ASSERT_EQ(out[i], (i ^ 64) * 11 + 3) << kernel << " " << i;
  }
}

TEST_P(Findings, ReadOutstandingAtABarrierIsNoRace) {
  Sim sim(GetParam(), object());
  ASSERT_EQ(sim.launch("ping_pong", {1, 1, 1}, {256, 1, 1}, Arguments()), TGS_OK) << sim.error();
  EXPECT_TRUE(sim.findings().empty());
}

// LDS works in order, so this is right on silicon; the program does not say so.
TEST_P(Findings, OverwritingAReadOutstandingAtABarrierIsAWarning) {
  Sim waits(GetParam(), object()), lazy(GetParam(), std::string("hazards-4-") + GetParam() + ".co");
  const char *kernel = "overwritten_after_barrier";
  EXPECT_EQ(waits.launch(kernel, {1, 1, 1}, {256, 1, 1}, Arguments()), TGS_OK) << waits.error();
  EXPECT_TRUE(waits.findings().empty());
  EXPECT_EQ(lazy.launch(kernel, {1, 1, 1}, {256, 1, 1}, Arguments()), TGS_OK) << lazy.error();
  auto all = lazy.findings();
  ASSERT_EQ(all.size(), 1u);
  EXPECT_EQ(all[0].kind, "lds-order");
  EXPECT_EQ(all[0].severity, TGS_WARNING);
  EXPECT_NE(all[0].text.find("several waves"), std::string::npos) << all[0].text;
}

TEST_P(Findings, IdenticalWritesOfSeveralWavesAreNoRace) {
  Sim same(GetParam(), object()),
      different(GetParam(), std::string("hazards-3-") + GetParam() + ".co");
  EXPECT_EQ(same.launch("replicated", {1, 1, 1}, {256, 1, 1}, Arguments()), TGS_OK) << same.error();
  EXPECT_EQ(different.launch("replicated", {1, 1, 1}, {256, 1, 1}, Arguments()),
            TGS_ERROR_FINDINGS);
  EXPECT_TRUE(different.found(different.findings(), "lds-race"));
}

TEST_P(Findings, IdenticalLoadsToLdsOfSeveralWavesAreNoRace) {
  Sim sim(GetParam(), object());
  std::vector<uint32_t> out;
  ASSERT_EQ(runHazard(sim, "replicated_dma", out), TGS_OK) << sim.error();
  EXPECT_TRUE(sim.findings().empty());
  for (uint32_t i = 0; i < 256; ++i)
    ASSERT_EQ(out[i], i % 64 * 11 + 3);
}

// The bytes are the same, yet every wave that brings them must have waited, and a barrier follow.
TEST_P(Findings, ReplicatedLoadsToLdsAreChecked) {
  struct {
    const char *kernel;
    int without;
    const char *kind;
  } cases[] = {{"different_dma", 0, "lds-race"},        {"replicated_dma", 5, "use-before-wait"},
               {"replicated_dma", 6, "lds-race"},       {"first_is_lazy", 0, "use-before-wait"},
               {"third_is_lazy", 0, "use-before-wait"}, {"last_is_lazy", 0, "use-before-wait"},
               {"dma_twice", 0, "use-before-wait"},     {"dma_and_write", 0, "use-before-wait"}};
  for (tgs_schedule schedule : {TGS_SCHEDULE_FIFO, TGS_SCHEDULE_RANDOM})
    for (const auto &c : cases) {
      Sim sim(GetParam(), "hazards-" + std::to_string(c.without) + "-" + GetParam() + ".co",
              TGS_SANITIZE_ALL, 1, schedule, 7);
      std::vector<uint32_t> out;
      EXPECT_EQ(runHazard(sim, c.kernel, out), TGS_ERROR_FINDINGS) << c.kernel;
      auto all = sim.findings();
      EXPECT_TRUE(sim.found(all, c.kind))
          << c.kernel << ": " << (all.empty() ? "nothing found" : all[0].text);
    }
}

TEST_P(Findings, SanitizersOffReportNothingButStayInBounds) {
  for (int without : {1, 3, 6}) {
    Sim sim(GetParam(), "hazards-" + std::to_string(without) + "-" + GetParam() + ".co",
            TGS_SANITIZE_NONE);
    std::vector<uint32_t> out;
    EXPECT_EQ(runHazard(sim, "through_registers", out), TGS_OK);
  }
  Sim sim(GetParam(), object(), TGS_SANITIZE_NONE);
  EXPECT_EQ(sim.launch("past_lds", {1, 1, 1}, {256, 1, 1}, Arguments()), TGS_ERROR_FINDINGS);
}

TEST_P(Findings, EarlyExitBeforeABarrierIsAWarning) {
  Sim sim(GetParam(), object());
  EXPECT_EQ(sim.launch("early_exit", {1, 1, 1}, {256, 1, 1}, Arguments()), TGS_OK);
  auto all = sim.findings();
  ASSERT_EQ(all.size(), 1u);
  EXPECT_EQ(all[0].kind, "barrier-divergence");
  EXPECT_EQ(all[0].severity, TGS_WARNING);
  EXPECT_EQ(all[0].wave, 3u);
}

TEST_P(Findings, PastLds) {
  Sim sim(GetParam(), object());
  EXPECT_EQ(sim.launch("past_lds", {1, 1, 1}, {256, 1, 1}, Arguments()), TGS_ERROR_FINDINGS);
  auto all = sim.findings();
  ASSERT_FALSE(all.empty());
  EXPECT_EQ(all[0].kind, "lds-out-of-bounds");
  EXPECT_EQ(all[0].wave, 2u); // work-items from 128 on
  EXPECT_EQ(all[0].lanes, ~0ull);
}

TEST_P(Findings, OutOfBoundsNamesTheInstructionAndTheAllocation) {
  std::string object = std::string("kernels-") + GetParam() + ".co";
  Sim sim(GetParam(), object);
  std::vector<float> a(1000, 1.0f);
  float *out = sim.upload(std::vector<float>(997)), *pa = sim.upload(a);
  Arguments args;
  args.add(out).add(pa).add(pa).add(int32_t(1000));
  EXPECT_EQ(sim.launch("vector_add", {4, 1, 1}, {256, 1, 1}, args), TGS_ERROR_FINDINGS);
  auto all = sim.findings();
  ASSERT_EQ(all.size(), 1u);
  EXPECT_EQ(all[0].kind, "out-of-bounds");
  EXPECT_EQ(all[0].instruction.rfind("global_store_dword", 0), 0u) << all[0].instruction;
  EXPECT_EQ(all[0].wave, 3u);
  EXPECT_EQ(all[0].lanes, 7ull << (997 % 64));
  EXPECT_NE(all[0].text.find("past the end of device allocation"), std::string::npos)
      << all[0].text;
  EXPECT_NE(all[0].text.find("kernels.cl:"), std::string::npos) << all[0].text;
  EXPECT_NE(all[0].json.find("\"kind\":\"out-of-bounds\""), std::string::npos);
  EXPECT_EQ(out[996], 2.0f); // the good lanes went through
  tgs_free(sim.device, pa);
  EXPECT_EQ(sim.launch("vector_add", {1, 1, 1}, {256, 1, 1}, args), TGS_ERROR_FINDINGS);
  all = sim.findings();
  ASSERT_FALSE(all.empty());
  EXPECT_NE(all[0].text.find("inside freed device allocation"), std::string::npos) << all[0].text;
}

TEST_P(Findings, ReadOnlyHostMemory) {
  Sim sim(GetParam(), std::string("kernels-") + GetParam() + ".co");
  std::vector<float> host(256, 1.0f);
  ASSERT_EQ(tgs_register(sim.device, host.data(), host.size() * 4, TGS_READ), TGS_OK);
  Arguments args;
  args.add(host.data()).add(host.data()).add(host.data()).add(int32_t(256));
  EXPECT_EQ(sim.launch("vector_add", {1, 1, 1}, {256, 1, 1}, args), TGS_ERROR_FINDINGS);
  EXPECT_EQ(host[0], 1.0f);
  ASSERT_EQ(tgs_unregister(sim.device, host.data()), TGS_OK);
  EXPECT_EQ(tgs_unregister(sim.device, host.data()), TGS_ERROR_NOT_FOUND);
  ASSERT_EQ(tgs_register(sim.device, host.data(), host.size() * 4, TGS_READ | TGS_WRITE), TGS_OK);
  EXPECT_EQ(sim.launch("vector_add", {1, 1, 1}, {256, 1, 1}, args), TGS_OK) << sim.error();
  EXPECT_EQ(host[255], 2.0f);
}

TEST_P(Findings, ProgramsThatCannotGoOn) {
  struct {
    const char *kernel, *kind, *text;
  } cases[] = {{"unknown", "unsupported", "v_screen_partition_4se_b32 is not implemented"},
               {"wild_register", "illegal", "v40 is outside the wave's registers"},
               {"wild_branch", "illegal", "branch to a place that is no instruction"},
               {"runs_on", "illegal", ": (the end of .text)"},
               {"abort", "trap", "s_trap 2"},
               {"endless", "instruction-limit", "more than 100000 instructions"}};
  for (const auto &c : cases) {
    Sim sim(GetParam(), object(), TGS_SANITIZE_ALL, 1, TGS_SCHEDULE_FIFO, 0, 100000);
    EXPECT_EQ(sim.launch(c.kernel, {1, 1, 1}, {64, 1, 1}, Arguments()), TGS_ERROR_ABORTED)
        << c.kernel;
    auto all = sim.findings();
    ASSERT_EQ(all.size(), 1u);
    EXPECT_EQ(all[0].kind, c.kind);
    EXPECT_NE(all[0].text.find(c.text), std::string::npos) << all[0].text;
    EXPECT_NE(all[0].text.find(std::string("kernel ") + c.kernel), std::string::npos);
  }
}

TEST_P(Findings, StatisticsCountInstructions) {
  for (uint32_t sanitizers : {TGS_SANITIZE_NONE, TGS_SANITIZE_ALL}) {
    Sim sim(GetParam(), object(), sanitizers);
    ASSERT_EQ(sim.launch("counted", {3, 1, 1}, {128, 1, 1}, Arguments()), TGS_OK) << sim.error();
    tgs_stats s = sim.stats();
    EXPECT_EQ(s.waves, 6u);
    EXPECT_EQ(s.valu, 6u * 30);
    EXPECT_EQ(s.salu, 6u * 31);
    EXPECT_EQ(s.other, 6u);
    EXPECT_EQ(s.total, 6u * 62);
  }
}

TEST_P(Findings, BadLaunches) {
  Sim sim(GetParam(), object());
  EXPECT_EQ(sim.launch("counted", {1, 1, 1}, {1025, 1, 1}, Arguments()), TGS_ERROR_RESOURCES);
  EXPECT_EQ(sim.launch("counted", {1, 1, 1}, {0, 1, 1}, Arguments()), TGS_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(sim.launch("through_registers", {1, 1, 1}, {64, 1, 1}, Arguments(), 160 * 1024),
            TGS_ERROR_RESOURCES);
  EXPECT_EQ(sim.launch("counted", {0, 1, 1}, {64, 1, 1}, Arguments()), TGS_OK);
  EXPECT_EQ(sim.launch("counted", {1u << 31, 1u << 31, 4}, {1, 1, 1}, Arguments()),
            TGS_ERROR_INVALID_ARGUMENT); // 2^64 of them
  tgs_kernel *k = nullptr;
  EXPECT_EQ(tgs_get_kernel(sim.module, "absent", &k), TGS_ERROR_NOT_FOUND);
  tgs_module *m = nullptr;
  EXPECT_EQ(tgs_load(sim.device, "not an object", 13, &m), TGS_ERROR_INVALID_OBJECT);
  tgs_config config{};
  config.target = "gfx90a";
  tgs_device *other = nullptr;
  char message[100];
  EXPECT_EQ(tgs_open(&config, &other, message, sizeof message), TGS_ERROR_INVALID_ARGUMENT);
  EXPECT_NE(std::string(message).find("target"), std::string::npos);
}

tgs_config configOf(const char *target, uint32_t sanitizers, uint64_t limit = 0) {
  tgs_config config = Sim::configOf(target, sanitizers, 1, TGS_SCHEDULE_FIFO, 0, limit, false);
  config.target = target;
  return config;
}

TEST_P(Findings, TheLimitStopsStraightLineCode) {
  for (uint32_t sanitizers : {TGS_SANITIZE_NONE, TGS_SANITIZE_ALL})
    for (uint64_t limit : {20, 61, 62}) {
      std::string target = GetParam();
      Sim sim(configOf(target.c_str(), sanitizers, limit), object());
      bool enough = limit == 62; // that many it executes
      EXPECT_EQ(sim.launch("counted", {1, 1, 1}, {64, 1, 1}, Arguments()),
                enough ? TGS_OK : TGS_ERROR_ABORTED)
          << limit;
      auto all = sim.findings();
      ASSERT_EQ(all.size(), enough ? 0u : 1u);
      if (!enough)
        EXPECT_EQ(all[0].kind, "instruction-limit");
    }
}

TEST_P(Findings, SuppressionsDropByKindKernelAndPlace) {
  Sim first(GetParam(), object());
  EXPECT_EQ(first.launch("past_lds", {1, 1, 1}, {256, 1, 1}, Arguments()), TGS_ERROR_FINDINGS);
  auto found = first.findings();
  char pc[24];
  std::snprintf(pc, sizeof pc, "0x%llx", (unsigned long long)found[0].pc);
  const struct {
    std::string text;
    bool drops;
  } cases[] = {{"lds-out-of-bounds", true},
               {"*", true},
               {"lds-out-of-bounds:past_*", true},
               {"out-of-bounds lds-out-of-bounds:*", true},
               {std::string("lds-out-of-bounds:past_lds:") + pc, true},
               {"lds-out-of-bounds:other", false},
               {"lds-race", false},
               {"lds-out-of-bounds:*:0x7ffffffc", false}};
  for (const auto &c : cases) {
    std::string target = GetParam();
    tgs_config config = configOf(target.c_str(), TGS_SANITIZE_ALL);
    config.suppressions = c.text.c_str();
    Sim sim(config, object());
    tgs_status status = sim.launch("past_lds", {1, 1, 1}, {256, 1, 1}, Arguments());
    EXPECT_EQ(status, c.drops ? TGS_OK : TGS_ERROR_FINDINGS) << c.text;
    EXPECT_EQ(sim.stats().suppressed, c.drops ? found.size() : 0u) << c.text;
    EXPECT_EQ(sim.findings().size(), c.drops ? 0u : found.size()) << c.text;
  }
  for (const char *bad : {"nonsense", "lds-race:", "lds-race:k:", "lds-race:k:x1", "lds-race:k:-1",
                          "lds-race:k:4294967297", "lds-race:k:0x", ":k"}) {
    std::string target = GetParam();
    tgs_config config = configOf(target.c_str(), TGS_SANITIZE_ALL);
    config.suppressions = bad;
    tgs_device *device = nullptr;
    EXPECT_EQ(tgs_open(&config, &device, nullptr, 0), TGS_ERROR_INVALID_ARGUMENT) << bad;
  }
}

TEST_P(Findings, WhatStopsALaunchIsNotSuppressed) {
  std::string target = GetParam();
  tgs_config config = configOf(target.c_str(), TGS_SANITIZE_ALL, 20);
  config.suppressions = "*";
  Sim sim(config, object());
  EXPECT_EQ(sim.launch("counted", {1, 1, 1}, {64, 1, 1}, Arguments()), TGS_ERROR_ABORTED);
  auto all = sim.findings();
  ASSERT_EQ(all.size(), 1u);
  EXPECT_EQ(all[0].kind, "instruction-limit");
  EXPECT_EQ(sim.error(), all[0].text);
  EXPECT_EQ(sim.stats().suppressed, 0u);
  // The next launch has no error of its own and not the last one's.
  EXPECT_EQ(sim.launch("counted", {0, 1, 1}, {64, 1, 1}, Arguments()), TGS_OK);
  EXPECT_EQ(sim.error(), "");
}

TEST_P(Findings, LateLoadsShowMissingWaitsInResults) {
  for (int without : {0, 2, 4}) {
    std::string target = GetParam();
    tgs_config config = configOf(target.c_str(), TGS_SANITIZE_NONE);
    config.late_loads = 1;
    Sim sim(config, "hazards-" + std::to_string(without) + "-" + target + ".co");
    std::vector<uint32_t> out;
    EXPECT_EQ(runHazard(sim, "through_registers", out), TGS_OK);
    EXPECT_TRUE(sim.findings().empty());
    unsigned wrong = 0;
    for (uint32_t i = 0; i < 256; ++i)
      wrong += out[i] != (i ^ 64) * 11 + 3;
    EXPECT_EQ(wrong, without ? 256u : 0u) << without;
  }
}
} // namespace
