// The two chips. Figures are the vendor's unless a comment says otherwise.
#include "tegula/Target/Target.h"

#include "MfmaTable.h"

#include <algorithm>

using namespace tegula;

namespace {

// Phase maps. Each row of the published tables is a set of lanes; all of them are cosets of one
// subspace of the lane bits, so three parities describe a table. Lanes {0-3,12-15,20-27} and so on
// are (l2^l3^l4, l5).
const std::vector<uint8_t> halves = {0b100000};
const std::vector<uint8_t> quarters = {0b010000, 0b100000};
const std::vector<uint8_t> eighths = {0b001000, 0b010000, 0b100000};
const std::vector<uint8_t> mixed4 = {0b011100, 0b100000};
const std::vector<uint8_t> mixed8 = {0b001000, 0b010100, 0b100000};

/// In the order of LdsOp. Measured: b64/b96/b128 reads and b64 writes of CDNA4, b128 writes of
/// CDNA3. The others are estimates by analogy (b96 writes: as b128).
std::vector<LdsPhases> cdna3Phases() {
  return {{halves, 32, 4},   {quarters, 32, 8}, {mixed8, 32, 12},
          {mixed8, 32, 16},  {quarters, 32, 8}, {halves, 32, 4},
          {quarters, 32, 8}, {eighths, 32, 12}, {eighths, 32, 16}};
}

std::vector<LdsPhases> cdna4Phases() {
  return {{halves, 32, 4}, {halves, 64, 8},   {mixed8, 32, 12},  {mixed4, 64, 16}, {halves, 64, 8},
          {halves, 32, 4}, {quarters, 32, 8}, {eighths, 32, 12}, {eighths, 32, 16}};
}

Target makeCdna3() {
  Target t{};
  t.name = "gfx942";
  t.product = "MI300X / MI325X";
  t.elfMach = 0x4c;
  t.ldsBytes = 65536;
  t.ldsGranule = 512;
  t.dmaWidths = {4};
  t.xcds = 8;
  t.cus = 304;
  t.clockMHz = 2100;
  t.hbmTBs = 5.3;
  t.fp8Type = "f8e4m3fnuz";
  t.bf8Type = "f8e5m2fnuz";
  t.mfma = buildMfmaTable(MfmaColumn::Cdna3, t.fp8Type, t.bf8Type);
  t.phaseTable = cdna3Phases();
  return t;
}

Target makeCdna4() {
  Target t{};
  t.name = "gfx950";
  t.product = "MI350X / MI355X";
  t.elfMach = 0x4f;
  t.ldsBytes = 163840;
  t.ldsGranule = 1280;
  t.dmaWidths = {4, 12, 16};
  t.xcds = 8;
  t.cus = 256;
  t.clockMHz = 2400;
  t.hbmTBs = 8.0;
  t.fp8Type = "f8e4m3fn";
  t.bf8Type = "f8e5m2";
  t.hasDsReadTranspose = true;
  t.hasPermlaneSwap = true;
  t.hasBf16Cvt = true;
  t.hasMinimum3 = true;
  t.hasScaledMfma = true;
  t.mfma = buildMfmaTable(MfmaColumn::Cdna4, t.fp8Type, t.bf8Type);
  t.phaseTable = cdna4Phases();
  return t;
}

const std::vector<Target> &targets() {
  static const std::vector<Target> all = {makeCdna3(), makeCdna4()};
  return all;
}

} // namespace

const Target *tegula::lookupTarget(std::string_view name) {
  for (const Target &target : targets())
    if (target.name == name)
      return &target;
  return nullptr;
}

std::vector<std::string_view> tegula::targetNames() {
  std::vector<std::string_view> names;
  for (const Target &target : targets())
    names.push_back(target.name);
  return names;
}

int tegula::dtypeBits(std::string_view dtype) {
  static const std::pair<std::string_view, int> bits[] = {
      {"i1", 1},       {"i8", 8},     {"i16", 16},       {"i32", 32},       {"i64", 64},
      {"f64", 64},     {"f32", 32},   {"xf32", 32},      {"f16", 16},       {"bf16", 16},
      {"f8e4m3fn", 8}, {"f8e5m2", 8}, {"f8e4m3fnuz", 8}, {"f8e5m2fnuz", 8}, {"f6e2m3", 6},
      {"f6e3m2", 6},   {"f4e2m1", 4}, {"e8m0", 8}};
  for (auto [name, width] : bits)
    if (name == dtype)
      return width;
  return 0;
}

std::string_view Target::multipliedAs(std::string_view dtype) const {
  bool isF8 = dtype.substr(0, 2) == "f8";
  return isF8 && dtype != fp8Type && dtype != bf8Type ? std::string_view("f16") : dtype;
}

const MfmaInst *Target::findMfma(std::string_view shape, std::string_view aType,
                                 std::string_view bType) const {
  for (const MfmaInst &inst : mfma)
    if (inst.shape == shape && inst.aType == multipliedAs(aType) &&
        inst.bType == multipliedAs(bType))
      return &inst;
  return nullptr;
}

std::vector<const MfmaInst *> Target::mfmaFor(std::string_view aType,
                                              std::string_view bType) const {
  std::vector<const MfmaInst *> found;
  for (const MfmaInst &inst : mfma)
    if (inst.blocks == 1 && inst.aType == multipliedAs(aType) && inst.bType == multipliedAs(bType))
      found.push_back(&inst);
  return found;
}

int64_t Target::wavesPerSimd(int64_t wavesPerWorkgroup, int64_t workgroups) const {
  // Waves are dealt to the SIMDs one by one.
  return (wavesPerWorkgroup * workgroups + simdsPerCu - 1) / simdsPerCu;
}

int64_t Target::ldsPerWorkgroup(int64_t workgroups) const {
  return ldsBytes / workgroups / ldsGranule * ldsGranule;
}

int Target::vgprsPerWave(int64_t wavesPerWorkgroup, int64_t workgroups) const {
  int64_t perSimd = wavesPerSimd(wavesPerWorkgroup, workgroups);
  if (perSimd > waveSlotsPerSimd)
    return 0;
  return static_cast<int>(vgprsPerSimdLane / perSimd / vgprGranule * vgprGranule);
}

int64_t Target::workgroupsPerCu(int64_t waves, int64_t vgprs, int64_t ldsBytes) const {
  auto rounded = [](int64_t value, int64_t granule) {
    return (std::max<int64_t>(value, 1) + granule - 1) / granule * granule;
  };
  int64_t perSimd =
      std::min<int64_t>(waveSlotsPerSimd, vgprsPerSimdLane / rounded(vgprs, vgprGranule));
  int64_t held = perSimd * simdsPerCu / std::max<int64_t>(waves, 1);
  if (waves > 1)
    held = std::min<int64_t>(held, barriersPerCu);
  if (ldsBytes > 0)
    held = std::min(held, this->ldsBytes / rounded(ldsBytes, ldsGranule));
  return std::max<int64_t>(held, 1);
}

LdsPhases Target::phases(LdsOp op) const { return phaseTable[static_cast<size_t>(op)]; }

bool Target::hasDmaWidth(int bytes) const {
  return std::find(dmaWidths.begin(), dmaWidths.end(), bytes) != dmaWidths.end();
}

bool Target::convertsNarrow(std::string_view dtype) const {
  // The conversions of floats of four and six bits came with the products of them.
  return dtype == fp8Type || dtype == bf8Type || (hasScaledMfma && dtypeBits(dtype) < 8);
}
