// Text and layouts that no pass would make: every answer is a label or a value, never a crash.
#include "Support.h"

using namespace tegula;

namespace {

TEST(Robustness, DamagedText) {
  std::mt19937 rng(70);
  const std::string alphabet = "reglanwv_pt=[], 0123456789-x";
  int parsed = 0, refused = 0;
  for (int trial = 0; trial < 4000; ++trial) {
    std::string text = print(randomLayout(rng, 1 + trial % 3, trial % 2));
    for (unsigned edits = 1 + rng() % 3; edits > 0; --edits) {
      size_t at = rng() % text.size();
      if (rng() % 2)
        text.erase(at, 1 + rng() % 4);
      else
        text.insert(at, 1, alphabet[rng() % alphabet.size()]);
      if (text.empty())
        text = "[";
    }
    std::string error;
    auto l = parse(text, &error);
    EXPECT_EQ(l.has_value(), error.empty()) << text;
    if (l) {
      EXPECT_EQ(parse(print(*l)), l) << text;
      Extents shape(l->rank(), 64);
      auto problem = verify(*l, shape, 16);
      EXPECT_TRUE(!problem || problem->label.rfind("cdna.layout.c", 0) == 0);
    }
    ++(l ? parsed : refused);
  }
  EXPECT_GT(parsed, 100);
  EXPECT_GT(refused, 1000);
}

TEST(Robustness, RandomVectorsAreJudged) {
  std::mt19937 rng(71);
  std::map<std::string, int> labels;
  for (int trial = 0; trial < 4000; ++trial) {
    unsigned rank = 1 + rng() % 3;
    auto bases = [&](unsigned count) {
      Bases b;
      for (unsigned i = 0; i < count; ++i) {
        Basis v;
        for (unsigned d = 0; d < rank; ++d)
          v.push_back(rng() % 3 ? 0 : static_cast<int32_t>(rng() % 2 ? rng() : 1u << rng() % 31));
        b.push_back(v);
      }
      return b;
    };
    Layout l(bases(rng() % 20), bases(rng() % 9 ? 6 : rng() % 9), bases(rng() % 14),
             Extents(rng() % 9 ? rank : rank + 1, static_cast<int64_t>(rng() % 4)));
    for (unsigned i = rng() % 3; i > 0; --i)
      l.waveRepeats.push_back({static_cast<int>(rng() % (rank + 3)) - 2, int64_t(rng() % 4)});
    auto problem =
        verify(l, Extents(rng() % 9 ? rank : rank + 1, static_cast<int64_t>(rng() % 99)), 16);
    ++labels[problem ? problem->label : "legal"];
    if (problem)
      EXPECT_FALSE(problem->message.empty());
  }
  EXPECT_TRUE(labels.count("cdna.layout.c1") && labels.count("cdna.layout.c2")) << "both occur";
}

TEST(Robustness, OperationsRefuseOtherRanks) {
  Layout two = *coalescedLayout({{8, 32}, 16, 1, 1, 16, false});
  Layout one = *coalescedLayout({{256}, 16, 1, 0, 16, false});
  EXPECT_FALSE(product(two, one));
  EXPECT_FALSE(quotient(two, one));
  EXPECT_FALSE(slice(two, 2));
  EXPECT_FALSE(reduce(two, 2));
  EXPECT_FALSE(broadcast(two, 2, 4));
  EXPECT_FALSE(convertMap(two, one));
  EXPECT_EQ(classifyConversion(two, one, 16, target("gfx950")).path, ConvertPath::Lds);
}

} // namespace
