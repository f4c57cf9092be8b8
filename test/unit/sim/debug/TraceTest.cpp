// Traces and heat maps.
#include "DebugHarness.h"
#include <sstream>

namespace {
void append(const char *text, size_t n, void *user) {
  static_cast<std::string *>(user)->append(text, n);
}
std::vector<std::string> linesOf(const std::string &text) {
  std::istringstream in(text);
  std::vector<std::string> lines;
  for (std::string line; std::getline(in, line);)
    lines.push_back(line);
  return lines;
}
bool contains(const std::string &text, const std::string &part) {
  return text.find(part) != std::string::npos;
}

class Tracing : public testing::TestWithParam<std::string> {
protected:
  Sim sim{GetParam(), "kernels-" + GetParam() + ".co"};
  int *in = sim.upload(std::vector<int>(256, 7)), *out = sim.upload(std::vector<int>(256));
  Arguments arguments = Arguments().add(out).add(in);
};
} // namespace

TEST_P(Tracing, EveryInstructionOfAWave) {
  std::string text;
  Debugged d(sim, "reversed", 2, 128, arguments);
  EXPECT_EQ(tgs_debug_trace(d.debugger, 1, 1, 0, append, &text), TGS_OK);
  EXPECT_EQ(d.run(), TGS_EVENT_ENDED);
  std::vector<std::string> lines = linesOf(text);
  tgs_stats stats = sim.stats();
  EXPECT_EQ(lines.size() * 4, stats.total); // 2 workgroups of 2 waves do the same
  for (const std::string &line : lines)
    EXPECT_EQ(line.rfind("1.1  0x", 0), 0u) << line;
  EXPECT_TRUE(contains(lines.back(), "s_endpgm"));
  bool written = false, lds = false;
  char place[64];
  std::snprintf(place, sizeof place, "global write of 64 x 4 bytes from 0x%llx",
                static_cast<unsigned long long>(reinterpret_cast<uintptr_t>(out + 192)));
  for (const std::string &line : lines) {
    written |= contains(line, place);
    lds |= contains(line, "ds_write_b32") && contains(line, "lds write of 64 x 4 bytes from 0x100");
  }
  EXPECT_TRUE(written) << text;
  EXPECT_TRUE(lds) << text;
}

TEST_P(Tracing, AsJson) {
  std::string text;
  Debugged d(sim, "loop", 1, 64, Arguments().add(out).add(3));
  EXPECT_EQ(tgs_debug_trace(d.debugger, TGS_ANY_WORKGROUP, TGS_ANY_WAVE, 1, append, &text), TGS_OK);
  EXPECT_EQ(d.run(), TGS_EVENT_ENDED);
  std::vector<std::string> lines = linesOf(text);
  EXPECT_EQ(lines.size(), sim.stats().total);
  unsigned branches = 0;
  for (const std::string &line : lines) {
    EXPECT_EQ(line.front(), '{');
    EXPECT_EQ(line.back(), '}');
    EXPECT_TRUE(contains(line, "\"workgroup\": 0, \"wave\": 0, \"pc\": ")) << line;
    EXPECT_TRUE(contains(line, "\"exec\": \"0xffffffffffffffff\"")) << line;
    branches += contains(line, "s_cbranch");
  }
  EXPECT_GE(branches, 3u); // one a turn of the loop
  EXPECT_TRUE(contains(text, "\"writes\": {\"s"));
  EXPECT_TRUE(contains(text,
                       "\"memory\": {\"space\": \"global\", \"use\": \"write\", \"bytes\": 4, "
                       "\"lanes\": 64, \"first\": \"0x"));
}

TEST_P(Tracing, HeatByBuckets) {
  struct Row {
    int lds;
    uint64_t base, offset, reads, writes;
    bool operator==(const Row &o) const {
      return lds == o.lds && base == o.base && offset == o.offset && reads == o.reads &&
             writes == o.writes;
    }
  };
  Debugged d(sim, "reversed", 2, 128, arguments);
  std::vector<Row> rows;
  auto collect = [](const tgs_heat *h, void *user) {
    static_cast<std::vector<Row> *>(user)->push_back(
        {h->lds, h->base, h->offset, h->reads, h->writes});
  };
  EXPECT_EQ(tgs_debug_heatmap(d.debugger, collect, &rows), TGS_ERROR_NOT_FOUND);
  EXPECT_EQ(tgs_debug_heat(d.debugger, 0), TGS_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(tgs_debug_heat(d.debugger, 256), TGS_OK);
  EXPECT_EQ(d.run(), TGS_EVENT_ENDED);
  EXPECT_EQ(tgs_debug_heatmap(d.debugger, collect, &rows), TGS_OK);
  auto i = reinterpret_cast<uintptr_t>(in), o = reinterpret_cast<uintptr_t>(out);
  for (uint64_t offset : {0, 256, 512, 768}) {
    EXPECT_NE(std::find(rows.begin(), rows.end(), Row{0, i, offset, 64, 0}), rows.end());
    EXPECT_NE(std::find(rows.begin(), rows.end(), Row{0, o, offset, 0, 64}), rows.end());
  }
  for (uint64_t offset : {0, 256}) // of both workgroups
    EXPECT_NE(std::find(rows.begin(), rows.end(), Row{1, 0, offset, 128, 128}), rows.end());
  EXPECT_EQ(rows.back().lds, 1);
}

INSTANTIATE_TEST_SUITE_P(Targets, Tracing, testing::Values("gfx942", "gfx950"));
