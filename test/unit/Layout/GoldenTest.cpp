// The loop that everything is tuned for, 256 x 256 x 64 bf16 over 8 waves: what the copies write to
// LDS is what the matrix instructions read, byte for byte, and a row of 2880 for its phantoms.
#include "Support.h"

#include "tegula/Layout/Swizzle.h"

using namespace tegula;

namespace {

constexpr uint32_t pitch = 128; // 64 bf16
const XorMasks masks = {1, 2, 4};

/// Which element a direct-to-LDS copy of A fetches: rows of 64 k, chunks swapped on the global
/// side.
const char *const fetchA = "reg = [[0,1],[0,2],[0,4],[8,0],[16,0]], "
                           "lane = [[0,8],[0,16],[0,32],[1,8],[2,16],[4,32]], "
                           "wave = [[32,0],[64,0],[128,0]]";

/// LDS byte → (row, k) of the element whose first byte is there, as the copies write it: lane l of
/// instruction i of wave w lands at 4096·w + 1024·i + 16·l.
std::map<uint32_t, Extents> writtenImage() {
  Layout fetch = layout(fetchA);
  std::map<uint32_t, Extents> image;
  forEachPlace(fetch, [&](const Place &p) {
    auto item = static_cast<uint32_t>(p.reg % 8), instruction = static_cast<uint32_t>(p.reg / 8);
    auto lane = static_cast<uint32_t>(p.lane), wave = static_cast<uint32_t>(p.wave);
    image[4096 * wave + 1024 * instruction + 16 * lane + 2 * item] = fetch.apply(p);
  });
  return image;
}

TEST(Golden, CopiesFillTheSwizzledTile) {
  auto image = writtenImage();
  EXPECT_EQ(image.size(), 256u * 64u);
  for (auto &[byte, element] : image) {
    auto row = static_cast<uint32_t>(element[0]), k = static_cast<uint32_t>(element[1]);
    EXPECT_EQ(byte, swizzled(row * pitch + 2 * k, pitch, masks));
  }
}

TEST(Golden, FetchLayoutIsLegalAndCoalesced) {
  Layout fetch = layout(fetchA);
  EXPECT_EQ(verify(fetch, {256, 64}, 16), std::nullopt);
  EXPECT_EQ(vectorWidth(fetch, 1, 16), 8);
  EXPECT_DOUBLE_EQ(coalescingScore(fetch, 1, 16), 1.0) << "the swizzle stays inside a row";
}

TEST(Golden, ReadersFindTheirElements) {
  auto image = writtenImage();
  const MfmaInst &inst = *target("gfx950").findMfma("16x16x32", "bf16", "bf16");
  Layout a = *mfmaOperandLayout(inst, MfmaOperand::A, {256, 256, 32, 2, 4, true});
  for (int64_t step : {0, 1})
    forEachPlace(a, [&](const Place &p) {
      Extents element = a.apply(p);
      element[1] += 32 * step;
      // The address as the reader computes it: row, and the chunk number swapped by the row.
      auto row = static_cast<uint32_t>(element[0]), lane = static_cast<uint32_t>(p.lane);
      uint32_t chunk = (lane / 16 + 4 * static_cast<uint32_t>(step)) ^ (row % 8);
      EXPECT_EQ(image.at(128 * row + 16 * chunk + 2 * static_cast<uint32_t>(p.reg % 8)), element);
    });
}

TEST(Golden, NoConflictsOnEitherTarget) {
  for (auto [name, shape, k, pitchBytes] :
       {std::make_tuple("gfx950", "16x16x32", 64, 128u), {"gfx942", "16x16x16", 32, 64u}}) {
    const Target &t = target(name);
    const MfmaInst &inst = *t.findMfma(shape, "bf16", "bf16");
    MfmaTile tile{256, 256, inst.K, 2, 4, true};
    Layout a = *mfmaOperandLayout(inst, MfmaOperand::A, tile);
    // The read is 16 bytes a lane: on the smaller instruction it feeds two of them.
    auto read =
        ldsAccess(a, {1, 0}, pitchBytes, 16 * 32 / static_cast<unsigned>(inst.K), LdsOp::ReadB128);
    ASSERT_TRUE(read);
    SwizzleResult solved = solveSwizzle(256, pitchBytes, {*read}, t);
    EXPECT_EQ(solved.factors, (std::vector<int>{1})) << name << " BK " << k;
    EXPECT_EQ(solved.offsetRegisters, 0) << name;
  }
}

TEST(Golden, EveryAccumulatorElementOnce) {
  const MfmaInst &inst = *target("gfx950").findMfma("16x16x32", "bf16", "bf16");
  Layout acc = *mfmaOperandLayout(inst, MfmaOperand::Acc, {256, 256, 32, 2, 4, true});
  std::set<Extents> seen;
  forEachPlace(acc, [&](const Place &p) { EXPECT_TRUE(seen.insert(acc.apply(p)).second); });
  EXPECT_EQ(seen.size(), 65536u);
  // A lane's four items of a tile are neighbours in n, so a bf16 store is 8 bytes.
  EXPECT_EQ(vectorWidth(acc, 1, 16), 4);
}

TEST(Golden, RowOf2880) {
  Layout row = *coalescedLayout({{1, 2880}, 16, 2, 1, 16, false});
  std::map<std::pair<int64_t, int64_t>, int> phantoms; // (wave, repeat) → places
  forEachPlace(row, [&](const Place &p) {
    if (row.apply(p)[1] >= 2880) {
      ++phantoms[{p.wave, p.reg / 8}];
      EXPECT_GE(p.lane, 40);
    }
  });
  EXPECT_EQ(phantoms, (std::map<std::pair<int64_t, int64_t>, int>{{{1, 2}, 24 * 8}}));
}

TEST(Golden, StagingConvertsThroughLds) {
  // What a lane loads from memory and what the instruction wants differ in all three kinds of bits.
  const MfmaInst &inst = *target("gfx950").findMfma("16x16x32", "bf16", "bf16");
  Layout want = *mfmaOperandLayout(inst, MfmaOperand::A, {256, 256, 64, 2, 4, true});
  Layout have = *coalescedLayout({{256, 64}, 16, 8, 1, 16, false});
  EXPECT_EQ(classifyConversion(have, want, 16, target("gfx950")).path, ConvertPath::Lds);
}

} // namespace
