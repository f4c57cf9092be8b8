// Every kernel of the assembler files beside this one, on the simulated device: what the marks in
// the source say must be reported, at that line and with that earlier access, and nothing else.
#include "Cases.h"
#include "tegula/sim.h"
#include <algorithm>
#include <cstring>
#include <fstream>
#include <gtest/gtest.h>
#include <iterator>

namespace {
constexpr size_t kBytes = 4096;

struct Found {
  std::string kind, severity, text, json, file;
  unsigned line, earlierLine;
};

/// One device with the buffers that every kernel gets.
class Launcher {
public:
  explicit Launcher(const Case &c, uint32_t sanitizers = TGS_SANITIZE_ALL) {
    tgs_config config{};
    config.target = c.target.c_str();
    config.sanitizers = sanitizers;
    config.threads = c.number("threads", 1);
    config.schedule = tgs_schedule(c.number("random", 0));
    config.seed = c.number("random", 0);
    config.instruction_limit = 1000000;
    EXPECT_EQ(tgs_open(&config, &device_, nullptr, 0), TGS_OK);
    std::ifstream file(c.object, std::ios::binary);
    std::vector<char> elf((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
    EXPECT_EQ(tgs_load(device_, elf.data(), elf.size(), &module_), TGS_OK) << c.object;
  }
  ~Launcher() { tgs_close(device_); }

  tgs_status run(const Case &c) {
    void *memory[3];
    for (void *&m : memory) {
      EXPECT_EQ(tgs_malloc(device_, kBytes, &m), TGS_OK);
      std::memset(m, 0, kBytes);
    }
    EXPECT_EQ(tgs_mark_defined(device_, memory[2], kBytes, 0), TGS_OK);
    auto *in = static_cast<uint32_t *>(memory[0]);
    for (uint32_t i = 0; i < kBytes / 4; ++i)
      in[i] = i;
    if (c.number("free", 0))
      tgs_free(device_, memory[1]);
    tgs_kernel *kernel = nullptr;
    EXPECT_EQ(tgs_get_kernel(module_, c.kernel.c_str(), &kernel), TGS_OK) << c.kernel;
    tgs_dims grid{c.number("grid", 1), 1, 1}, block{c.number("block", 64), 1, 1};
    return tgs_launch(kernel, &grid, &block, 0, memory, sizeof memory);
  }
  std::vector<Found> findings() {
    std::vector<Found> all;
    tgs_findings(
        device_,
        [](const tgs_finding *f, void *user) {
          const char *names[] = {"note", "warning", "error"};
          static_cast<std::vector<Found> *>(user)->push_back(
              {f->kind, names[f->severity], f->text, f->json, f->file, f->line, f->earlier_line});
        },
        &all);
    return all;
  }

private:
  tgs_device *device_ = nullptr;
  tgs_module *module_ = nullptr;
};

class Sanitize : public ::testing::TestWithParam<Case> {};
INSTANTIATE_TEST_SUITE_P(All, Sanitize, ::testing::ValuesIn(allCases(FIXTURES, SOURCES)),
                         [](const auto &info) { return info.param.name(); });

TEST_P(Sanitize, ReportsWhatTheSourceMarks) {
  const Case &c = GetParam();
  Launcher launcher(c);
  launcher.run(c);
  std::vector<Mark> missing = c.faults;
  for (const Found &f : launcher.findings()) {
    auto it = std::find_if(missing.begin(), missing.end(), [&](const Mark &m) {
      return m.kind == f.kind && m.severity == f.severity && m.line == f.line;
    });
    EXPECT_NE(it, missing.end()) << "not marked:\n" << f.text;
    if (it == missing.end())
      continue;
    if (!c.earlier.empty())
      EXPECT_TRUE(std::count(c.earlier.begin(), c.earlier.end(), f.earlierLine)) << f.text;
    missing.erase(it);
  }
  for (const Mark &m : missing)
    ADD_FAILURE() << c.source << ":" << m.line << ": " << m.kind << " was not reported";
}

TEST_P(Sanitize, IsSilentWhenOff) {
  const Case &c = GetParam();
  Launcher launcher(c, TGS_SANITIZE_NONE);
  launcher.run(c);
  const std::vector<std::string> always = {
      "out-of-bounds", "lds-out-of-bounds", "scratch-out-of-bounds",
      "misaligned",    "deadlock",          "use-after-free",
      "read-only",     "address-overflow",  "barrier-divergence",
      "illegal"};
  for (const Found &f : launcher.findings())
    EXPECT_TRUE(std::count(always.begin(), always.end(), f.kind)) << f.text;
}

// A file that the glob or the parser misses would make every test of it vanish.
TEST(SanitizeCases, EveryKindHasTwelveFaults) {
  std::map<std::string, unsigned> faults;
  for (const Case &c : allCases(FIXTURES, SOURCES))
    if (c.target == "gfx950")
      for (const Mark &m : c.faults)
        ++faults[m.kind];
  for (const char *kind :
       {"wait-states", "lds-order", "uninitialised", "out-of-bounds", "lds-out-of-bounds",
        "scratch-out-of-bounds", "use-before-wait", "misaligned", "global-race", "lds-race",
        "barrier-divergence", "deadlock", "exec-masked", "descriptor", "address-overflow",
        "stale-scalar", "read-only", "use-after-free"})
    EXPECT_GE(faults[kind], 12u) << kind;
}
} // namespace
