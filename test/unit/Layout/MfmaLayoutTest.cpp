// Operand layouts of tile products, for every one-block instruction of every target.
#include "Support.h"

using namespace tegula;

namespace {

std::vector<const MfmaInst *> allInstructions() {
  std::vector<const MfmaInst *> all;
  for (std::string_view name : targetNames())
    for (const MfmaInst &inst : target(name).mfma)
      if (inst.blocks == 1)
        all.push_back(&inst);
  return all;
}

Extents operandShape(MfmaOperand operand, const MfmaTile &t) {
  return operand == MfmaOperand::A   ? Extents{t.M, t.K}
         : operand == MfmaOperand::B ? Extents{t.K, t.N}
                                     : Extents{t.M, t.N};
}

TEST(MfmaLayout, LegalForEveryInstructionAndTile) {
  for (const MfmaInst *inst : allInstructions())
    for (bool swapped : {false, true})
      for (auto [m, n, k, wm, wn] : {std::array<int, 5>{1, 1, 1, 1, 1},
                                     {4, 2, 2, 2, 2},
                                     {3, 6, 1, 1, 2},
                                     {5, 4, 3, 1, 4},
                                     {4, 4, 1, 3, 1},
                                     {8, 5, 2, 1, 5},
                                     {6, 9, 1, 6, 2},
                                     {7, 6, 3, 3, 5}}) {
        MfmaTile tile{inst->M * m,
                      inst->N * n,
                      inst->K * k,
                      static_cast<unsigned>(wm),
                      static_cast<unsigned>(wn),
                      swapped};
        for (MfmaOperand operand : {MfmaOperand::A, MfmaOperand::B, MfmaOperand::Acc}) {
          auto l = mfmaOperandLayout(*inst, operand, tile);
          ASSERT_TRUE(l);
          EXPECT_EQ(l->waves(), wm * wn);
          auto error = verify(*l, operandShape(operand, tile), 4);
          EXPECT_FALSE(error) << inst->mnemonic << " " << print(*l) << ": "
                              << (error ? error->message : "");
        }
      }
}

TEST(MfmaLayout, OperandsMeet) {
  // Wave by wave: the rows of A and the columns of B that a wave holds are those of its
  // accumulators.
  const MfmaInst &inst = *target("gfx950").findMfma("16x16x32", "f16", "f16");
  for (auto [swapped, wavesM, wavesN] : {std::tuple{false, 2u, 4u},
                                         {true, 2u, 4u},
                                         {true, 3u, 1u},
                                         {false, 6u, 2u},
                                         {true, 3u, 5u},
                                         {true, 5u, 3u},
                                         {false, 1u, 13u}}) {
    MfmaTile tile{96, 192, 64, wavesM, wavesN, swapped};
    Layout a = *mfmaOperandLayout(inst, MfmaOperand::A, tile),
           b = *mfmaOperandLayout(inst, MfmaOperand::B, tile);
    Layout acc = *mfmaOperandLayout(inst, MfmaOperand::Acc, tile);
    std::map<int64_t, std::set<int64_t>> rowsA, columnsB, rows, columns;
    forEachPlace(a, [&](const Place &p) { rowsA[p.wave].insert(a.apply(p)[0]); });
    forEachPlace(b, [&](const Place &p) { columnsB[p.wave].insert(b.apply(p)[1]); });
    forEachPlace(acc, [&](const Place &p) {
      rows[p.wave].insert(acc.apply(p)[0]);
      columns[p.wave].insert(acc.apply(p)[1]);
    });
    EXPECT_EQ(rowsA, rows);
    EXPECT_EQ(columnsB, columns);
  }
}

TEST(MfmaLayout, OneInstructionComputesTheProduct) {
  // Execute the definition: D[i, j] gets the products of the A and B items with equal k.
  for (const MfmaInst *inst : allInstructions()) {
    MfmaTile tile{inst->M, inst->N, inst->K, 1, 1, false};
    Layout a = *mfmaOperandLayout(*inst, MfmaOperand::A, tile),
           b = *mfmaOperandLayout(*inst, MfmaOperand::B, tile);
    std::map<int64_t, int> rowsOfK, columnsOfK;
    forEachPlace(a, [&](const Place &p) { ++rowsOfK[a.apply(p)[1]]; });
    forEachPlace(b, [&](const Place &p) { ++columnsOfK[b.apply(p)[0]]; });
    EXPECT_EQ(static_cast<int>(rowsOfK.size()), inst->K) << inst->mnemonic;
    for (auto &[k, count] : rowsOfK)
      EXPECT_TRUE(count == inst->M && columnsOfK[k] == inst->N) << inst->mnemonic;
  }
}

TEST(MfmaLayout, Refusals) {
  const Target &t = target("gfx950");
  const MfmaInst &one = *t.findMfma("16x16x32", "bf16", "bf16"),
                 &blocks = *t.findMfma("4x4x4", "bf16", "bf16");
  EXPECT_FALSE(mfmaOperandLayout(blocks, MfmaOperand::A, {4, 4, 4, 1, 1, false}));
  EXPECT_FALSE(mfmaOperandLayout(one, MfmaOperand::A, {96, 64, 32, 0, 1, false}));
}

} // namespace
