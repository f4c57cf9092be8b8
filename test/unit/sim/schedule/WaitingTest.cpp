// Workgroups that wait for others: those that can go on do, those that can't are reported.
#include "SimHarness.h"
#include <chrono>

namespace {
class Waiting : public testing::TestWithParam<std::string> {
protected:
  Sim sim(tgs_schedule schedule = TGS_SCHEDULE_FIFO, uint32_t threads = 1, uint64_t limit = 0,
          uint32_t sanitizers = TGS_SANITIZE_ALL) {
    return Sim(GetParam(), "kernels-" + GetParam() + ".co", sanitizers, threads, schedule, 5,
               limit);
  }
  uint32_t units() const { return GetParam() == "gfx942" ? 304 : 256; }
};

void expectDeadlock(Sim &s, tgs_status status, std::vector<std::string> words) {
  EXPECT_EQ(status, TGS_ERROR_ABORTED);
  auto found = s.findings();
  ASSERT_TRUE(s.found(found, "deadlock")) << (found.empty() ? "" : found[0].text);
  words.push_back("no wave can go on");
  for (const std::string &word : words)
    EXPECT_NE(found.back().text.find(word), std::string::npos)
        << word << " in " << found.back().text;
}
} // namespace

TEST_P(Waiting, AGridBarrierEndsInEverySchedule) {
  constexpr unsigned kGroups = 40;
  for (tgs_schedule schedule : {TGS_SCHEDULE_FIFO, TGS_SCHEDULE_RANDOM, TGS_SCHEDULE_ADVERSARIAL}) {
    Sim s = sim(schedule, 2);
    int *out = s.upload(std::vector<int>(kGroups * 64)), *arrived = s.upload(std::vector<int>(1));
    EXPECT_EQ(s.launch("grid_barrier", {kGroups, 1, 1}, {64, 1, 1},
                       Arguments().add(out).add(arrived).add(int(kGroups))),
              TGS_OK)
        << s.error();
    EXPECT_EQ(std::vector<int>(out, out + kGroups * 64), std::vector<int>(kGroups * 64, kGroups));
  }
}

TEST_P(Waiting, TheFirstForTheLast) {
  Sim s = sim();
  int *out = s.upload(std::vector<int>(100 * 64, -1)), *flag = s.upload(std::vector<int>(1));
  EXPECT_EQ(
      s.launch("first_waits", {100, 1, 1}, {64, 1, 1}, Arguments().add(out).add(flag).add(100)),
      TGS_OK)
      << s.error();
  EXPECT_EQ(out[0], 0);
  EXPECT_EQ(out[99 * 64 + 63], 99);
  // A waiting wave costs little: far below its 20,000 instructions a turn.
  EXPECT_LT(s.stats().total, 200000u);
}

TEST_P(Waiting, AsManyAsTheDeviceHoldsAndNotOneMore) {
  for (uint32_t groups : {units(), units() + 1}) {
    // One a compute unit on gfx942, two on gfx950.
    uint32_t held = units() == 304 ? groups : groups + units();
    Sim s = sim(TGS_SCHEDULE_FIFO, 1, 0, TGS_SANITIZE_NONE);
    int *out = s.upload(std::vector<int>(held * 64)), *arrived = s.upload(std::vector<int>(1));
    tgs_status status = s.launch("large_grid_barrier", {held, 1, 1}, {64, 1, 1},
                                 Arguments().add(out).add(arrived).add(int(held)));
    if (groups == units()) {
      EXPECT_EQ(status, TGS_OK) << s.error();
      continue;
    }
    std::string all = std::to_string(held), most = std::to_string(held - 1);
    expectDeadlock(s, status,
                   {most + " of " + all + " workgroups are resident",
                    "1 have not started (the device holds " + most + " of this kernel at a time)"});
  }
}

TEST_P(Waiting, ADeadlockNamesWhatIsPolledAndWhoWroteItLast) {
  Sim s = sim();
  int *out = s.upload(std::vector<int>(40 * 64)), *arrived = s.upload(std::vector<int>(1));
  tgs_status status =
      s.launch("grid_barrier", {40, 1, 1}, {64, 1, 1}, Arguments().add(out).add(arrived).add(41));
  char address[24];
  std::snprintf(address, sizeof address, "polls 0x%llx", (unsigned long long)arrived);
  expectDeadlock(s, status, {address, "last written by workgroup (39, 0, 0) wave 0 at 0x"});
  Sim other = sim();
  int *flag = other.upload(std::vector<int>(1));
  status = other.launch("waits_forever", {1, 1, 1}, {64, 1, 1}, Arguments().add(flag));
  expectDeadlock(other, status, {"which this launch has not written"});
}

TEST_P(Waiting, ForeverIsADeadlock) {
  for (const char *kernel : {"waits_forever", "sleeps_forever"})
    for (tgs_schedule schedule :
         {TGS_SCHEDULE_FIFO, TGS_SCHEDULE_RANDOM, TGS_SCHEDULE_ADVERSARIAL}) {
      Sim s = sim(schedule);
      int *flag = s.upload(std::vector<int>(1));
      tgs_status status = s.launch(kernel, {3, 1, 1}, {64, 1, 1}, Arguments().add(flag));
      expectDeadlock(s, status,
                     {"3 of 3 workgroups", "workgroup 1 wave 0", "the loop at 0x", "kernels.cl:"});
      // The device can be used afterwards.
      int *out = s.upload(std::vector<int>(64));
      EXPECT_EQ(s.launch("plain", {1, 1, 1}, {64, 1, 1}, Arguments().add(out).add(3)), TGS_OK);
      EXPECT_EQ(out[63], 66);
    }
}

TEST_P(Waiting, AtABarrierForAWaveThatWaits) {
  Sim s = sim(TGS_SCHEDULE_FIFO, 1, 0, TGS_SANITIZE_NONE);
  int *out = s.upload(std::vector<int>(128));
  tgs_status status = s.launch("waits_at_barrier", {1, 1, 1}, {128, 1, 1}, Arguments().add(out));
  expectDeadlock(
      s, status,
      {"wave 0 runs in the loop at", "wave 1 waits at the barrier before 0x", "for wave 0"});
}

TEST_P(Waiting, WhatEndsByItselfIsNone) {
  Sim s = sim();
  int *out = s.upload(std::vector<int>(128)), *flag = s.upload(std::vector<int>(1));
  EXPECT_EQ(
      s.launch("waits_a_while", {1, 1, 1}, {64, 1, 1}, Arguments().add(out).add(flag).add(100000)),
      TGS_OK)
      << s.error();
  EXPECT_EQ(out[0], 100000);
  std::vector<int> ring(128);
  for (int i = 0; i < 128; ++i)
    ring[size_t(i)] = (i + 1) % 128;
  int *next = s.upload(ring);
  EXPECT_EQ(
      s.launch("follows_links", {2, 1, 1}, {64, 1, 1}, Arguments().add(out).add(next).add(50001)),
      TGS_OK)
      << s.error();
  EXPECT_EQ(out[100], (100 + 50001) % 128);
}

TEST_P(Waiting, LimitsStopWhatDoesNot) {
  Sim s = sim(TGS_SCHEDULE_FIFO, 1, 100000);
  int *out = s.upload(std::vector<int>(64)), *flag = s.upload(std::vector<int>(1));
  Arguments arguments = Arguments().add(out).add(flag).add(1 << 30);
  EXPECT_EQ(s.launch("waits_a_while", {1, 1, 1}, {64, 1, 1}, arguments), TGS_ERROR_ABORTED);
  EXPECT_TRUE(s.found(s.findings(), "instruction-limit"));

  tgs_config config{};
  config.target = GetParam().c_str();
  config.seconds_limit = 0.05;
  Sim timed(config, "kernels-" + GetParam() + ".co");
  out = timed.upload(std::vector<int>(64));
  flag = timed.upload(std::vector<int>(1));
  arguments = Arguments().add(out).add(flag).add(1 << 30);
  auto begin = std::chrono::steady_clock::now();
  EXPECT_EQ(timed.launch("waits_a_while", {1, 1, 1}, {64, 1, 1}, arguments), TGS_ERROR_ABORTED);
  std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
  EXPECT_GE(took.count(), 0.05);
  EXPECT_LT(took.count(), 20);
  EXPECT_TRUE(timed.found(timed.findings(), "time-limit"));
}

TEST_P(Waiting, ALaunchOfShortWavesIsStoppedInTime) {
  for (uint32_t threads : {1, 2}) {
    tgs_config config{};
    config.target = GetParam().c_str();
    config.seconds_limit = 0.05;
    config.threads = threads;
    Sim timed(config, "greedy-" + GetParam() + ".co");
    EXPECT_EQ(timed.launch("greedy", {1, 1, 1}, {64, 1, 1}, Arguments()), TGS_OK) << timed.error();
    EXPECT_EQ(timed.launch("greedy", {1 << 26, 1, 1}, {1, 1, 1}, Arguments()), TGS_ERROR_ABORTED);
    auto found = timed.findings();
    ASSERT_EQ(found.size(), 1u);
    EXPECT_TRUE(timed.found(found, "time-limit"));
    tgs_stats stats{};
    ASSERT_EQ(tgs_get_stats(timed.device, &stats), TGS_OK);
    EXPECT_LT(stats.seconds, 20);
    EXPECT_GT(stats.workgroups, 0u);
  }
}

TEST_P(Waiting, AWorkgroupThatFitsNoComputeUnitIsRefused) {
  Sim s(GetParam(), "greedy-" + GetParam() + ".co");
  EXPECT_EQ(s.launch("greedy", {1, 1, 1}, {256, 1, 1}, Arguments()), TGS_OK) << s.error();
  EXPECT_EQ(s.launch("greedy", {1, 1, 1}, {257, 1, 1}, Arguments()), TGS_ERROR_RESOURCES);
  EXPECT_NE(s.error().find("5 waves of 512 vector registers"), std::string::npos) << s.error();
}

INSTANTIATE_TEST_SUITE_P(Targets, Waiting, testing::Values("gfx942", "gfx950"));
