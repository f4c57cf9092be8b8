// Operand layouts of the matrix instructions. Each is a bijection that is linear over GF(2), so
// evaluating the published formula at the powers of two gives the whole map; the unit test checks
// the formulas at every place.
#include "MfmaTable.h"

#include <algorithm>

using namespace tegula;

namespace {

int log2Exact(int value) {
  int bits = 0;
  while ((1 << bits) < value)
    ++bits;
  return bits;
}

/// Bases of `place(item, lane)` for `items` items a lane.
template <typename Fn> OperandLayout basesOf(int items, Fn place) {
  OperandLayout layout;
  for (int bit = 0; bit < log2Exact(items); ++bit)
    layout.item.push_back(place(1 << bit, 0));
  for (int bit = 0; bit < 6; ++bit)
    layout.lane.push_back(place(0, 1 << bit));
  return layout;
}

Basis withBlock(const MfmaInst &inst, int block, int first, int second) {
  return inst.blocks == 1 ? Basis{first, second} : Basis{block, first, second};
}

/// k of an item. 8-bit operands of f8f6f4 hold two runs of 16 k, half of K apart; everything else
/// one run.
int itemK(const MfmaInst &inst, const std::string &type, int perLane, int group, int item) {
  bool split = inst.formats && dtypeBits(type) == 8;
  if (!split)
    return perLane * group + item;
  return 16 * group + item % 16 + (item / 16) * (inst.K / 2);
}

/// A of M rows, or B of N columns: lane = row + rows·(block + blocks·group).
OperandLayout inputLayout(const MfmaInst &inst, const std::string &type, int rows, bool isB) {
  int groups = 64 / (rows * inst.blocks), perLane = inst.K / groups;
  return basesOf(perLane, [&](int item, int lane) {
    int row = lane % rows, block = lane / rows % inst.blocks, group = lane / (rows * inst.blocks);
    int k = itemK(inst, type, perLane, group, item);
    return isB ? withBlock(inst, block, k, row) : withBlock(inst, block, row, k);
  });
}

/// D: lanes walk the columns; H consecutive rows sit in consecutive items (one in f64).
OperandLayout outputLayout(const MfmaInst &inst) {
  int M = inst.M, N = inst.N, B = inst.blocks, items = M * N * B / 64;
  if (inst.cType == "f64" &&
      M == 4) // lane 16·i + 4·b + j: the one shape that leaves the general rule
    return basesOf(
        items, [&](int, int lane) { return withBlock(inst, lane / 4 % 4, lane / 16, lane % 4); });
  int H = inst.cType == "f64" ? 1 : 4;
  int BI = std::max(1, 64 * H / (N * M)), MI = 64 / BI / N, G = M / (H * MI);
  return basesOf(items, [&](int item, int lane) {
    int i = item % H + H * (lane / N % MI) + H * MI * (item / H % G);
    int block = lane / (N * MI) + BI * (item / (H * G));
    return withBlock(inst, block, i, lane % N);
  });
}

} // namespace

void tegula::deriveMfmaLayouts(MfmaInst &inst) {
  inst.a = inputLayout(inst, inst.aType, inst.M, /*isB=*/false);
  inst.b = inputLayout(inst, inst.bType, inst.N, /*isB=*/true);
  inst.d = outputLayout(inst);
  auto regs = [](const OperandLayout &layout, std::string_view type) {
    return (1 << layout.item.size()) * dtypeBits(type) / 32;
  };
  inst.aRegs = regs(inst.a, inst.aType);
  inst.bRegs = regs(inst.b, inst.bType);
  inst.cRegs = regs(inst.d, inst.cType);
}
