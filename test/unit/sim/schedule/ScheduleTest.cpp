// The orders in which waves and workgroups run, and that right kernels don't depend on them.
#include "SimHarness.h"
#include <algorithm>
#include <numeric>
#include <set>

namespace {
constexpr tgs_schedule kSchedules[] = {TGS_SCHEDULE_FIFO, TGS_SCHEDULE_RANDOM,
                                       TGS_SCHEDULE_ADVERSARIAL};

class Schedule : public testing::TestWithParam<std::string> {
protected:
  Sim sim(tgs_schedule schedule, uint64_t seed = 1, uint32_t sanitizers = TGS_SANITIZE_ALL) {
    return Sim(GetParam(), "kernels-" + GetParam() + ".co", sanitizers, 2, schedule, seed);
  }
  /// The order in which 12 workgroups, or 4 waves of one, took their numbers.
  std::vector<int> order(const char *kernel, tgs_schedule schedule, uint64_t seed = 1) {
    bool waves = std::string(kernel) == "take_wave_numbers";
    size_t n = waves ? 4 : 12;
    Sim s = sim(schedule, seed);
    int *out = s.upload(std::vector<int>(n, -1)), *counter = s.upload(std::vector<int>(1));
    EXPECT_EQ(s.launch(kernel, {waves ? 1u : 12u, 1, 1}, {waves ? 256u : 64u, 1, 1},
                       Arguments().add(out).add(counter)),
              TGS_OK)
        << s.error();
    return {out, out + n};
  }
};
} // namespace

TEST_P(Schedule, FifoIsTheOrderOfDispatch) {
  std::vector<int> expected(12);
  std::iota(expected.begin(), expected.end(), 0);
  EXPECT_EQ(order("take_numbers", TGS_SCHEDULE_FIFO), expected);
  expected.resize(4);
  EXPECT_EQ(order("take_wave_numbers", TGS_SCHEDULE_FIFO), expected);
}

TEST_P(Schedule, RandomIsDrawnFromTheSeed) {
  for (const char *kernel : {"take_numbers", "take_wave_numbers"}) {
    std::set<std::vector<int>> seen;
    for (uint64_t seed = 1; seed <= 8; ++seed) {
      std::vector<int> drawn = order(kernel, TGS_SCHEDULE_RANDOM, seed);
      EXPECT_EQ(drawn, order(kernel, TGS_SCHEDULE_RANDOM, seed));
      seen.insert(drawn);
      std::sort(drawn.begin(), drawn.end());
      for (size_t i = 0; i < drawn.size(); ++i)
        EXPECT_EQ(drawn[i], int(i));
    }
    EXPECT_GT(seen.size(), 3u) << kernel;
  }
}

TEST_P(Schedule, TheAdversaryTakesTheNewestAndStarvesOneWave) {
  std::vector<int> workgroups = order("take_numbers", TGS_SCHEDULE_ADVERSARIAL);
  EXPECT_EQ(workgroups.front(), 3) << "the newest of the four that are admitted";
  EXPECT_EQ(workgroups.back(), 0) << "the oldest is last";
  EXPECT_EQ(order("take_wave_numbers", TGS_SCHEDULE_ADVERSARIAL), (std::vector<int>{1, 2, 3, 0}));
}

TEST_P(Schedule, RightKernelsDontDepend) {
  for (tgs_schedule schedule : kSchedules)
    for (uint64_t seed = 1; seed <= (schedule == TGS_SCHEDULE_RANDOM ? 6 : 1); ++seed) {
      Sim s = sim(schedule, seed);
      int *count = s.upload(std::vector<int>(1)), *lock = s.upload(std::vector<int>(1));
      EXPECT_EQ(s.launch("locked_count", {10, 1, 1}, {256, 1, 1}, Arguments().add(count).add(lock)),
                TGS_OK)
          << s.error();
      EXPECT_EQ(*count, 40);
      EXPECT_EQ(*lock, 0);
    }
}

TEST_P(Schedule, ARaceShowsInItsResults) {
  // Sanitizers off: what is asked for is the result.
  auto isRight = [&](tgs_schedule schedule, uint64_t seed) {
    Sim s = sim(schedule, seed, TGS_SANITIZE_NONE);
    int *out = s.upload(std::vector<int>(64, -1));
    EXPECT_EQ(s.launch("race", {1, 1, 1}, {128, 1, 1}, Arguments().add(out)), TGS_OK);
    return out[5] == 45;
  };
  EXPECT_TRUE(isRight(TGS_SCHEDULE_FIFO, 1)); // by luck
  EXPECT_FALSE(isRight(TGS_SCHEDULE_ADVERSARIAL, 1));
  unsigned wrong = 0;
  for (uint64_t seed = 1; seed <= 10; ++seed)
    wrong += !isRight(TGS_SCHEDULE_RANDOM, seed);
  EXPECT_GT(wrong, 1u);
  EXPECT_LT(wrong, 9u);
}

TEST(ScheduleConfig, UnknownOnesAreRefused) {
  tgs_config config{};
  config.target = "gfx950";
  config.schedule = tgs_schedule(3);
  tgs_device *device = nullptr;
  char message[100] = "";
  EXPECT_EQ(tgs_open(&config, &device, message, sizeof message), TGS_ERROR_INVALID_ARGUMENT);
  EXPECT_STREQ(message, "unknown schedule");
  config.schedule = TGS_SCHEDULE_FIFO;
  config.seconds_limit = -1;
  EXPECT_EQ(tgs_open(&config, &device, message, sizeof message), TGS_ERROR_INVALID_ARGUMENT);
  EXPECT_STREQ(message, "seconds_limit is not a number of seconds");
}

INSTANTIATE_TEST_SUITE_P(Targets, Schedule, testing::Values("gfx942", "gfx950"));
