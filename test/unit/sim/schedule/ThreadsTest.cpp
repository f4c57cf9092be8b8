// Results, reports and counts do not depend on the number of threads; threads outlive launches.
#include "SimHarness.h"
#include <algorithm>
#include <dirent.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

namespace {
class Threads : public testing::TestWithParam<std::string> {
protected:
  Sim sim(uint32_t threads, uint32_t sanitizers = TGS_SANITIZE_ALL) {
    return Sim(GetParam(), "kernels-" + GetParam() + ".co", sanitizers, threads);
  }
};

unsigned threadsOfProcess() {
  unsigned n = 0;
  DIR *folder = opendir("/proc/self/task");
  while (dirent *entry = readdir(folder))
    n += entry->d_name[0] != '.';
  closedir(folder);
  return n;
}
} // namespace

TEST_P(Threads, SumsOfFloatsAreTheSame) {
  std::vector<float> x(64 * 100), sums;
  for (size_t i = 0; i < x.size(); ++i)
    x[i] = 1.0f / float(i + 1);
  for (uint32_t threads : {1, 2, 3, 8}) {
    Sim s = sim(threads);
    float *sum = s.upload(std::vector<float>(1)), *in = s.upload(x);
    EXPECT_EQ(s.launch("float_sum", {100, 1, 1}, {64, 1, 1}, Arguments().add(sum).add(in)), TGS_OK);
    sums.push_back(*sum);
    EXPECT_EQ(s.stats().threads, 1u);
    std::string why = s.stats().ordered_by;
    EXPECT_EQ(why.find("the result of an atomic operation: global_atomic_add_f32 at 0x"),
              threads == 1 ? std::string::npos : 0)
        << why;
  }
  EXPECT_EQ(sums, std::vector<float>(4, sums[0]));
}

TEST_P(Threads, WhatIsOrderedIsSaidOfTheKernelNotOfTheObject) {
  Sim s = sim(2);
  int *out = s.upload(std::vector<int>(64 * 50)), *in = s.upload(std::vector<int>(64 * 50, 2));
  auto threadsOf = [&](const char *kernel, const Arguments &arguments, uint32_t block = 64) {
    EXPECT_EQ(s.launch(kernel, {8, 1, 1}, {block, 1, 1}, arguments), TGS_OK) << s.error();
    EXPECT_EQ(s.stats().threads == 1, *s.stats().ordered_by != 0) << kernel;
    return s.stats().threads;
  };
  EXPECT_EQ(threadsOf("plain", Arguments().add(out).add(1)), 2u);
  EXPECT_EQ(threadsOf("integer_sum", Arguments().add(out).add(in)), 2u); // sums commute
  EXPECT_EQ(threadsOf("follows_links", Arguments().add(out).add(in).add(3)), 2u);
  EXPECT_EQ(threadsOf("take_numbers", Arguments().add(out).add(in)), 1u);
  *in = 1;
  EXPECT_EQ(threadsOf("waits_a_while", Arguments().add(out).add(in).add(3)), 1u);
  EXPECT_EQ(std::string(s.stats().ordered_by).rfind("a loop that waits for memory", 0), 0u);
}

TEST_P(Threads, UnlessAskedOtherwise) {
  tgs_config config{};
  config.target = GetParam().c_str();
  config.threads = 2;
  config.unordered_threads = 1;
  Sim s(config, "kernels-" + GetParam() + ".co");
  int *out = s.upload(std::vector<int>(64 * 30)), *arrived = s.upload(std::vector<int>(1));
  EXPECT_EQ(
      s.launch("grid_barrier", {30, 1, 1}, {64, 1, 1}, Arguments().add(out).add(arrived).add(30)),
      TGS_OK)
      << s.error();
  EXPECT_EQ(s.stats().threads, 2u);
  EXPECT_EQ(out[64 * 30 - 1], 30);
  int *flag = s.upload(std::vector<int>(1));
  EXPECT_EQ(s.launch("waits_forever", {4, 1, 1}, {64, 1, 1}, Arguments().add(flag)),
            TGS_ERROR_ABORTED);
  EXPECT_TRUE(s.found(s.findings(), "deadlock"));
}

TEST_P(Threads, UnlessAskedOtherwiseWhileTheyAreWatched) {
  constexpr unsigned kGroups = 3000;
  tgs_config config{};
  config.target = GetParam().c_str();
  config.sanitizers = TGS_SANITIZE_ALL;
  config.threads = 4;
  config.unordered_threads = 1;
  Sim s(config, "kernels-" + GetParam() + ".co");
  for (int again = 0; again < 5; ++again) {
    int *order = s.upload(std::vector<int>(kGroups, -1)), *next = s.upload(std::vector<int>(1));
    EXPECT_EQ(
        s.launch("take_numbers", {kGroups, 1, 1}, {64, 1, 1}, Arguments().add(order).add(next)),
        TGS_OK)
        << s.error();
    EXPECT_EQ(s.stats().threads, 4u);
    std::sort(order, order + kGroups);
    for (unsigned i = 0; i < kGroups; ++i)
      ASSERT_EQ(order[i], int(i));
  }
}

TEST_P(Threads, ReportsAndCountsAreTheSame) {
  auto run = [&](uint32_t threads) {
    Sim s = sim(threads);
    int *out = s.upload(std::vector<int>(64 * 70));
    EXPECT_EQ(s.launch("past_end", {90, 1, 1}, {64, 1, 1}, Arguments().add(out)),
              TGS_ERROR_FINDINGS);
    tgs_stats stats = s.stats();
    auto found = s.findings();
    EXPECT_EQ(found.size(), 1u);
    std::string text = found[0].text;
    text.erase(text.find("at 0x"), text.find(" is ") - text.find("at 0x")); // addresses differ
    text.erase(text.find("#"), text.find(" of 17920") - text.find("#"));
    return text + std::to_string(stats.total) + " " + std::to_string(stats.workgroups);
  };
  std::string one = run(1);
  EXPECT_NE(one.find("workgroup (70, 0, 0)"), std::string::npos) << one;
  for (uint32_t threads : {2, 4})
    for (int again = 0; again < 5; ++again)
      EXPECT_EQ(run(threads), one);
}

TEST_P(Threads, OutliveLaunchesOfEveryShape) {
  Sim s = sim(3);
  int *out = s.upload(std::vector<int>(64 * 256)), *index = s.upload(std::vector<int>(256, 7));
  unsigned before = threadsOfProcess(), after = 0;
  for (int i = 0; i < 30; ++i) {
    EXPECT_EQ(s.launch("plain", {200, 1, 1}, {64, 1, 1}, Arguments().add(out).add(i)), TGS_OK);
    EXPECT_EQ(out[64 * 200 - 1], 64 * 200 - 1 + i);
    EXPECT_EQ(s.launch("scratchy", {9, 1, 1}, {256, 1, 1}, Arguments().add(out).add(index)),
              TGS_OK);
    EXPECT_EQ(out[256 * 8 + 100], 700); // constants and scratch are this kernel's again
    if (i == 0)
      after = threadsOfProcess();
    EXPECT_EQ(threadsOfProcess(), after);
  }
  EXPECT_EQ(after - before, 2u);
}

TEST_P(Threads, AForkedChildHasItsOwn) {
  Sim s = sim(2);
  int *out = s.upload(std::vector<int>(64 * 20));
  EXPECT_EQ(s.launch("plain", {20, 1, 1}, {64, 1, 1}, Arguments().add(out).add(1)), TGS_OK);
  pid_t child = fork();
  if (child == 0) {
    alarm(30);
    bool right = s.launch("plain", {20, 1, 1}, {64, 1, 1}, Arguments().add(out).add(5)) == TGS_OK &&
                 out[64 * 20 - 1] == 64 * 20 + 4;
    _exit(right ? 0 : 1);
  }
  int status = -1;
  waitpid(child, &status, 0);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
}

// A launch for which the host has no threads leaves nothing behind: its kernarg segment serves the
// next one.
TEST_P(Threads, AreMissedOnceOnly) {
  std::string target = GetParam();
  tgs_config config{};
  config.target = target.c_str();
  config.threads = 200;
  config.count_accesses = 1;
  Sim s(config, "kernels-" + target + ".co");
  int *out = s.upload(std::vector<int>(64 * 200));
  auto launch = [&](uint32_t grid, int add) {
    return s.launch("plain", {grid, 1, 1}, {64, 1, 1}, Arguments().add(out).add(add));
  };
  auto kernarg = [&] {
    uint64_t address = 0;
    auto note = [](const tgs_memory *m, void *user) {
      if (std::string(m->kind) == "kernarg")
        *static_cast<uint64_t *>(user) = m->address;
    };
    tgs_memory_traffic(s.device, note, &address);
    return address;
  };
  EXPECT_EQ(launch(1, 1), TGS_OK);
  uint64_t before = kernarg();
  EXPECT_NE(before, 0u);

  size_t pages = 0;
  std::ifstream("/proc/self/statm") >> pages;
  rlimit whole{};
  getrlimit(RLIMIT_AS, &whole);
  rlimit little = whole;
  little.rlim_cur = pages * size_t(sysconf(_SC_PAGESIZE)) + (size_t(64) << 20);
  setrlimit(RLIMIT_AS, &little);
  tgs_status status = launch(200, 2);
  setrlimit(RLIMIT_AS, &whole);
  EXPECT_EQ(status, TGS_ERROR_OUT_OF_MEMORY);
  EXPECT_NE(s.error(), "");

  EXPECT_EQ(launch(200, 3), TGS_OK);
  EXPECT_EQ(out[64 * 200 - 1], 64 * 200 + 2);
  EXPECT_EQ(kernarg(), before);
}

INSTANTIATE_TEST_SUITE_P(Targets, Threads, testing::Values("gfx942", "gfx950"));

// Workgroups that write the same bytes, whichever thread has them.
TEST_P(Threads, RacesInMemoryAreTheSame) {
  auto run = [&](uint32_t threads) {
    Sim s = sim(threads);
    int *out = s.upload(std::vector<int>(4096)), *x = s.upload(std::vector<int>(4096));
    for (int i = 0; i < 4096; ++i)
      x[i] = i < 2048 ? i : i - 64; // as an index: the upper half overlaps the lower
    EXPECT_EQ(s.launch("scattered", {64, 1, 1}, {64, 1, 1}, Arguments().add(out).add(x)),
              TGS_ERROR_FINDINGS);
    std::string all;
    for (const auto &f : s.findings()) {
      EXPECT_EQ(f.kind, "global-race");
      std::string text = f.text;
      text.erase(text.find("at 0x"), text.find(", are ") - text.find("at 0x"));
      all += text + "\n";
    }
    return all;
  };
  std::string one = run(1);
  EXPECT_NE(one.find("workgroup (32, 0, 0), wave 0"), std::string::npos) << one;
  EXPECT_NE(one.find("by workgroup (31, 0, 0) wave 0"), std::string::npos) << one;
  for (uint32_t threads : {2, 4, 4, 4})
    EXPECT_EQ(run(threads), one);
}
