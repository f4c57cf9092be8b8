// The dense matrix instructions of both chips: one row an instruction, with the clocks it keeps the
// matrix unit busy.
#include "MfmaTable.h"

using namespace tegula;

namespace {

struct Row {
  const char *mnemonic, *rocdl; ///< behind "v_mfma_" and "rocdl.mfma."
  int M, N, K, blocks;
  const char *a, *b, *c;
  int cycles[2]; // by MfmaColumn; 0 = the chip lacks it
};

// fp8 and bf8 stand for the chip's flavour of E4M3 and E5M2: the opcodes are the same, the numbers
// are not.
const Row rows[] = {
    {"f32_16x16x16_bf16", "f32.16x16x16bf16.1k", 16, 16, 16, 1, "bf16", "bf16", "f32", {16, 16}},
    {"f32_16x16x32_bf16", "f32.16x16x32.bf16", 16, 16, 32, 1, "bf16", "bf16", "f32", {0, 16}},
    {"f32_32x32x8_bf16", "f32.32x32x8bf16.1k", 32, 32, 8, 1, "bf16", "bf16", "f32", {32, 32}},
    {"f32_32x32x16_bf16", "f32.32x32x16.bf16", 32, 32, 16, 1, "bf16", "bf16", "f32", {0, 32}},
    {"f32_4x4x4_16b_bf16", "f32.4x4x4bf16.1k", 4, 4, 4, 16, "bf16", "bf16", "f32", {8, 8}},
    {"f32_16x16x4_4b_bf16", "f32.16x16x4bf16.1k", 16, 16, 4, 4, "bf16", "bf16", "f32", {32, 32}},
    {"f32_32x32x4_2b_bf16", "f32.32x32x4bf16.1k", 32, 32, 4, 2, "bf16", "bf16", "f32", {64, 64}},

    {"f32_16x16x16_f16", "f32.16x16x16f16", 16, 16, 16, 1, "f16", "f16", "f32", {16, 16}},
    {"f32_16x16x32_f16", "f32.16x16x32.f16", 16, 16, 32, 1, "f16", "f16", "f32", {0, 16}},
    {"f32_32x32x8_f16", "f32.32x32x8f16", 32, 32, 8, 1, "f16", "f16", "f32", {32, 32}},
    {"f32_32x32x16_f16", "f32.32x32x16.f16", 32, 32, 16, 1, "f16", "f16", "f32", {0, 32}},
    {"f32_4x4x4_16b_f16", "f32.4x4x4f16", 4, 4, 4, 16, "f16", "f16", "f32", {8, 8}},
    {"f32_16x16x4_4b_f16", "f32.16x16x4f16", 16, 16, 4, 4, "f16", "f16", "f32", {32, 32}},
    {"f32_32x32x4_2b_f16", "f32.32x32x4f16", 32, 32, 4, 2, "f16", "f16", "f32", {64, 64}},

    {"f32_16x16x4_f32", "f32.16x16x4f32", 16, 16, 4, 1, "f32", "f32", "f32", {32, 32}},
    {"f32_32x32x2_f32", "f32.32x32x2f32", 32, 32, 2, 1, "f32", "f32", "f32", {64, 64}},
    {"f32_4x4x1_16b_f32", "f32.4x4x1f32", 4, 4, 1, 16, "f32", "f32", "f32", {8, 8}},
    {"f32_16x16x1_4b_f32", "f32.16x16x1f32", 16, 16, 1, 4, "f32", "f32", "f32", {32, 32}},
    {"f32_32x32x1_2b_f32", "f32.32x32x1f32", 32, 32, 1, 2, "f32", "f32", "f32", {64, 64}},
    {"f32_16x16x8_xf32", "f32.16x16x8.xf32", 16, 16, 8, 1, "xf32", "xf32", "f32", {16, 0}},
    {"f32_32x32x4_xf32", "f32.32x32x4.xf32", 32, 32, 4, 1, "xf32", "xf32", "f32", {32, 0}},

    {"f64_16x16x4_f64", "f64.16x16x4f64", 16, 16, 4, 1, "f64", "f64", "f64", {32, 64}},
    {"f64_4x4x4_4b_f64", "f64.4x4x4f64", 4, 4, 4, 4, "f64", "f64", "f64", {16, 32}},

    {"f32_16x16x32_fp8_fp8", "f32.16x16x32.fp8.fp8", 16, 16, 32, 1, "fp8", "fp8", "f32", {16, 16}},
    {"f32_16x16x32_fp8_bf8", "f32.16x16x32.fp8.bf8", 16, 16, 32, 1, "fp8", "bf8", "f32", {16, 16}},
    {"f32_16x16x32_bf8_fp8", "f32.16x16x32.bf8.fp8", 16, 16, 32, 1, "bf8", "fp8", "f32", {16, 16}},
    {"f32_16x16x32_bf8_bf8", "f32.16x16x32.bf8.bf8", 16, 16, 32, 1, "bf8", "bf8", "f32", {16, 16}},
    {"f32_32x32x16_fp8_fp8", "f32.32x32x16.fp8.fp8", 32, 32, 16, 1, "fp8", "fp8", "f32", {32, 32}},
    {"f32_32x32x16_fp8_bf8", "f32.32x32x16.fp8.bf8", 32, 32, 16, 1, "fp8", "bf8", "f32", {32, 32}},
    {"f32_32x32x16_bf8_fp8", "f32.32x32x16.bf8.fp8", 32, 32, 16, 1, "bf8", "fp8", "f32", {32, 32}},
    {"f32_32x32x16_bf8_bf8", "f32.32x32x16.bf8.bf8", 32, 32, 16, 1, "bf8", "bf8", "f32", {32, 32}},

    {"i32_16x16x32_i8", "i32.16x16x32.i8", 16, 16, 32, 1, "i8", "i8", "i32", {16, 16}},
    {"i32_16x16x64_i8", "i32.16x16x64.i8", 16, 16, 64, 1, "i8", "i8", "i32", {0, 16}},
    {"i32_32x32x16_i8", "i32.32x32x16.i8", 32, 32, 16, 1, "i8", "i8", "i32", {32, 32}},
    {"i32_32x32x32_i8", "i32.32x32x32.i8", 32, 32, 32, 1, "i8", "i8", "i32", {0, 32}},
    {"i32_4x4x4_16b_i8", "i32.4x4x4i8", 4, 4, 4, 16, "i8", "i8", "i32", {8, 8}},
    {"i32_16x16x4_4b_i8", "i32.16x16x4i8", 16, 16, 4, 4, "i8", "i8", "i32", {32, 32}},
    {"i32_32x32x4_2b_i8", "i32.32x32x4i8", 32, 32, 4, 2, "i8", "i8", "i32", {64, 64}},
};

// f8f6f4: the format of each operand is a field of the instruction, so any pair is legal. An 8-bit
// operand on either side halves the rate.
const char *const formats[] = {"f8e4m3fn", "f8e5m2", "f6e2m3", "f6e3m2", "f4e2m1"};

MfmaInst makeInst(const std::string &mnemonic, const std::string &rocdl, int M, int N, int K,
                  int blocks, std::string a, std::string b, std::string c, int cycles) {
  MfmaInst inst{};
  inst.mnemonic = "v_mfma_" + mnemonic;
  inst.rocdl = "rocdl.mfma." + rocdl;
  inst.shape = std::to_string(M) + "x" + std::to_string(N) + "x" + std::to_string(K);
  inst.M = M, inst.N = N, inst.K = K, inst.blocks = blocks;
  inst.aType = std::move(a), inst.bType = std::move(b), inst.cType = std::move(c);
  inst.cycles = cycles;
  return inst;
}

void appendFormatRows(std::vector<MfmaInst> &table) {
  for (int size : {16, 32})
    for (const char *a : formats)
      for (const char *b : formats) {
        int k = size == 16 ? 128 : 64;
        std::string shape =
            std::to_string(size) + "x" + std::to_string(size) + "x" + std::to_string(k);
        bool slow = dtypeBits(a) == 8 || dtypeBits(b) == 8;
        MfmaInst inst = makeInst("f32_" + shape + "_f8f6f4", "scale.f32." + shape + ".f8f6f4", size,
                                 size, k, 1, a, b, "f32", size * (slow ? 2 : 1));
        inst.formats = true;
        table.push_back(std::move(inst));
      }
}

} // namespace

std::vector<MfmaInst> tegula::buildMfmaTable(MfmaColumn column, std::string_view fp8,
                                             std::string_view bf8) {
  auto dtype = [&](std::string_view name) -> std::string {
    return std::string(name == "fp8" ? fp8 : name == "bf8" ? bf8 : name);
  };
  std::vector<MfmaInst> table;
  for (const Row &row : rows)
    if (int cycles = row.cycles[static_cast<int>(column)])
      table.push_back(makeInst(row.mnemonic, row.rocdl, row.M, row.N, row.K, row.blocks,
                               dtype(row.a), dtype(row.b), row.c, cycles));
  if (column == MfmaColumn::Cdna4)
    appendFormatRows(table);
  for (MfmaInst &inst : table)
    deriveMfmaLayouts(inst);
  return table;
}
