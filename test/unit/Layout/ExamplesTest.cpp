// The worked examples of the specification, bit for bit.
#include "Support.h"

using namespace tegula;

namespace {

const MfmaInst &bf16x32() { return *target("gfx950").findMfma("16x16x32", "bf16", "bf16"); }

TEST(LayoutExamples, MfmaOperandA) {
  auto l = mfmaOperandLayout(bf16x32(), MfmaOperand::A, {16, 16, 32, 1, 1, false});
  EXPECT_EQ(
      *l,
      layout(
          "reg = [[0,1],[0,2],[0,4]], lane = [[1,0],[2,0],[4,0],[8,0],[0,8],[0,16]], wave = []"));
  EXPECT_EQ(l->apply(3, 37, 0), (Extents{5, 19}));
}

TEST(LayoutExamples, MfmaOperandBIsAWithComponentsExchanged) {
  auto l = mfmaOperandLayout(bf16x32(), MfmaOperand::B, {16, 16, 32, 1, 1, false});
  EXPECT_EQ(
      *l,
      layout(
          "reg = [[1,0],[2,0],[4,0]], lane = [[0,1],[0,2],[0,4],[0,8],[8,0],[16,0]], wave = []"));
}

TEST(LayoutExamples, Accumulators) {
  auto swapped = mfmaOperandLayout(bf16x32(), MfmaOperand::Acc, {16, 16, 32, 1, 1, true});
  EXPECT_EQ(*swapped,
            layout("reg = [[0,1],[0,2]], lane = [[1,0],[2,0],[4,0],[8,0],[0,4],[0,8]], wave = []"));
  auto natural = mfmaOperandLayout(bf16x32(), MfmaOperand::Acc, {16, 16, 32, 1, 1, false});
  EXPECT_EQ(*natural, transpose(*swapped, {1, 0}));
  const MfmaInst &big = *target("gfx950").findMfma("32x32x16", "bf16", "bf16");
  EXPECT_EQ(*mfmaOperandLayout(big, MfmaOperand::Acc, {32, 32, 16, 1, 1, true}),
            layout("reg = [[0,1],[0,2],[0,8],[0,16]], lane = "
                   "[[1,0],[2,0],[4,0],[8,0],[16,0],[0,4]], wave = []"));
}

TEST(LayoutExamples, TiledAccumulatorAndOperands) {
  MfmaTile tile{256, 256, 32, 2, 4, true};
  Layout acc = *mfmaOperandLayout(bf16x32(), MfmaOperand::Acc, tile);
  EXPECT_EQ(
      acc, layout("reg = [[0,1],[0,2],[0,16],[0,32],[16,0],[32,0],[64,0]], "
                  "lane = [[1,0],[2,0],[4,0],[8,0],[0,4],[0,8]], wave = [[0,64],[0,128],[128,0]]"));
  EXPECT_EQ(acc.registersPerLane(), 128);
  EXPECT_EQ(*mfmaOperandLayout(bf16x32(), MfmaOperand::A, tile),
            layout("reg = [[0,1],[0,2],[0,4],[16,0],[32,0],[64,0]], lane = "
                   "[[1,0],[2,0],[4,0],[8,0],[0,8],[0,16]], "
                   "wave = [[0,0],[0,0],[128,0]]"));
  EXPECT_EQ(
      *mfmaOperandLayout(bf16x32(), MfmaOperand::B, tile),
      layout(
          "reg = [[1,0],[2,0],[4,0],[0,16],[0,32]], lane = [[0,1],[0,2],[0,4],[0,8],[8,0],[16,0]], "
          "wave = [[0,64],[0,128],[0,0]]"));
  // It is the instruction's layout times tiles and waves.
  Layout inst = *mfmaOperandLayout(bf16x32(), MfmaOperand::Acc, {16, 16, 32, 1, 1, true});
  auto tiles = quotient(acc, inst);
  ASSERT_TRUE(tiles);
  EXPECT_EQ(*tiles,
            layout("reg = [[0,1],[0,2],[1,0],[2,0],[4,0]], lane = [], wave = [[0,4],[0,8],[8,0]]"));
}

TEST(LayoutExamples, Coalesced8x32) {
  auto narrow = coalescedLayout({{8, 32}, 16, 1, 1, 8, false});
  EXPECT_EQ(
      *narrow,
      layout("reg = [[0,1],[0,2]], lane = [[0,4],[0,8],[0,16],[1,0],[2,0],[4,0]], wave = []"));
  auto wide = coalescedLayout({{8, 32}, 16, 1, 1, 16, false});
  EXPECT_EQ(
      *wide,
      layout(
          "reg = [[0,1],[0,2],[0,4]], lane = [[0,8],[0,16],[1,0],[2,0],[4,0],[0,0]], wave = []"));
  EXPECT_EQ(coalescedCandidates({8, 32}, 16, 1, 1).front(), *narrow)
      << "no broadcast lanes is preferred";
}

TEST(LayoutExamples, TransposeAndItsStore) {
  Layout l =
      layout("reg = [[0,1],[0,2]], lane = [[0,4],[0,8],[0,16],[1,0],[2,0],[4,0]], wave = []");
  Layout t = transpose(l, {1, 0});
  EXPECT_EQ(
      t, layout("reg = [[1,0],[2,0]], lane = [[4,0],[8,0],[16,0],[0,1],[0,2],[0,4]], wave = []"));
  Layout rows =
      layout("reg = [[0,1],[0,2]], lane = [[0,4],[1,0],[2,0],[4,0],[8,0],[16,0]], wave = []");
  auto pull = convertMap(t, rows);
  ASSERT_TRUE(pull);
  // Register bits read lane bits 3 and 4; lane bits 1, 2 read register bits; lane bits 0, 3, 4, 5
  // read 5, 0, 1, 2.
  auto laneBit = [](unsigned i) { return uint64_t(4) << i; };
  EXPECT_EQ(pull->columns, (std::vector<uint64_t>{laneBit(3), laneBit(4), laneBit(5), 1, 2,
                                                  laneBit(0), laneBit(1), laneBit(2)}));
  EXPECT_EQ(classifyConversion(t, rows, 32, target("gfx950")).path, ConvertPath::LdsWave);
}

TEST(LayoutExamples, ReduceOverN) {
  Layout acc = *mfmaOperandLayout(bf16x32(), MfmaOperand::Acc, {256, 256, 32, 2, 4, true});
  EXPECT_EQ(*reduce(acc, 1),
            layout("reg = [[16,0],[32,0],[64,0]], lane = [[1,0],[2,0],[4,0],[8,0],[0,0],[0,0]], "
                   "wave = [[0,0],[0,0],[128,0]]"));
}

TEST(LayoutExamples, NonPowerOfTwoRow) {
  Layout row = *coalescedLayout({{1, 2880}, 16, 2, 1, 16, false});
  EXPECT_EQ(print(row), "reg = [[0, 1], [0, 2], [0, 4]], lane = [[0, 8], [0, 16], [0, 32], [0, "
                        "64], [0, 128], [0, 256]], "
                        "wave = [[0, 512]], repeat = [1, 3]");
  EXPECT_EQ(row.registersPerLane(), 24);
  EXPECT_EQ(row.apply(16, 40, 1), (Extents{0, 2880})) << "the first phantom";
}

TEST(LayoutExamples, FormatOperands) {
  auto operand = [](const char *type) {
    const MfmaInst *inst = target("gfx950").findMfma("16x16x128", type, type);
    return *mfmaOperandLayout(*inst, MfmaOperand::A, {16, 16, 128, 1, 1, false});
  };
  EXPECT_EQ(operand("f4e2m1"), layout("reg = [[0,1],[0,2],[0,4],[0,8],[0,16]], "
                                      "lane = [[1,0],[2,0],[4,0],[8,0],[0,32],[0,64]], wave = []"));
  EXPECT_EQ(operand("f8e4m3fn"),
            layout("reg = [[0,1],[0,2],[0,4],[0,8],[0,64]], "
                   "lane = [[1,0],[2,0],[4,0],[8,0],[0,16],[0,32]], wave = []"));
}

} // namespace
