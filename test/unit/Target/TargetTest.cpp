// The target tables: published layouts place by place, and consistency of every row.
#include "tegula/Target/Target.h"
#include "tegula/Layout/BitMatrix.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <map>
#include <set>

using namespace tegula;

namespace {

Basis place(const OperandLayout &layout, unsigned item, unsigned lane) {
  Basis c(layout.lane[0].size(), 0);
  auto add = [&](const Bases &bases, unsigned bits) {
    for (size_t i = 0; i < bases.size(); ++i)
      for (size_t d = 0; bits >> i & 1 && d < c.size(); ++d)
        c[d] ^= bases[i][d];
  };
  add(layout.item, item);
  add(layout.lane, lane);
  return c;
}

unsigned items(const OperandLayout &layout) { return 1u << layout.item.size(); }

const Target &cdna3() { return *lookupTarget("gfx942"); }
const Target &cdna4() { return *lookupTarget("gfx950"); }

TEST(Target, Names) {
  EXPECT_EQ(targetNames(), (std::vector<std::string_view>{"gfx942", "gfx950"}));
  EXPECT_EQ(lookupTarget("gfx9999"), nullptr);
  EXPECT_EQ(lookupTarget(""), nullptr);
}

TEST(Target, Facts) {
  EXPECT_EQ(cdna3().ldsBytes, 65536);
  EXPECT_EQ(cdna4().ldsBytes, 163840);
  EXPECT_TRUE(cdna4().hasDmaWidth(16) && cdna3().hasDmaWidth(4) && !cdna3().hasDmaWidth(16));
  EXPECT_EQ(cdna3().fp8Type, "f8e4m3fnuz");
  EXPECT_EQ(cdna4().fp8Type, "f8e4m3fn");
  EXPECT_EQ(cdna4().cus, 256);
}

TEST(Target, FindMfma) {
  EXPECT_EQ(cdna3().findMfma("16x16x32", "bf16", "bf16"), nullptr);
  const MfmaInst *inst = cdna4().findMfma("16x16x32", "bf16", "bf16");
  ASSERT_NE(inst, nullptr);
  EXPECT_EQ(inst->mnemonic, "v_mfma_f32_16x16x32_bf16");
  EXPECT_EQ(std::make_tuple(inst->aRegs, inst->bRegs, inst->cRegs, inst->cycles),
            std::make_tuple(4, 4, 4, 16));
  EXPECT_EQ(cdna3().findMfma("16x16x32", "f8e4m3fn", "f8e4m3fn"), nullptr) << "the other flavour";
  EXPECT_NE(cdna3().findMfma("16x16x32", "f8e4m3fnuz", "f8e5m2fnuz"), nullptr);
  EXPECT_EQ(cdna4().findMfma("16x16x128", "f8e4m3fn", "f4e2m1")->cycles, 32);
  EXPECT_EQ(cdna4().findMfma("16x16x128", "f6e2m3", "f4e2m1")->cycles, 16);
  EXPECT_EQ(cdna4().findMfma("16x16x128", "f6e2m3", "f4e2m1")->aRegs, 6);
  std::vector<std::string> shapes;
  for (const MfmaInst *row : cdna4().mfmaFor("bf16", "bf16"))
    shapes.push_back(row->shape);
  EXPECT_EQ(shapes, (std::vector<std::string>{"16x16x16", "16x16x32", "32x32x8", "32x32x16"}));
}

TEST(Target, RowsAreUniqueAndRatesFit) {
  for (const Target *t : {&cdna3(), &cdna4()}) {
    std::set<std::tuple<std::string, std::string, std::string>> seen;
    for (const MfmaInst &inst : t->mfma) {
      EXPECT_TRUE(seen.insert({inst.shape, inst.aType, inst.bType}).second)
          << inst.mnemonic << inst.aType;
      int64_t flopPerClock = int64_t(4) * 2 * inst.M * inst.N * inst.K * inst.blocks / inst.cycles;
      EXPECT_EQ(flopPerClock & (flopPerClock - 1), 0) << inst.mnemonic;
      EXPECT_LE(flopPerClock, 16384) << inst.mnemonic;
      EXPECT_EQ(inst.cRegs, inst.M * inst.N * inst.blocks * dtypeBits(inst.cType) / 32 / 64)
          << inst.mnemonic;
    }
  }
}

TEST(Target, EveryLayoutIsABijection) {
  for (const Target *t : {&cdna3(), &cdna4()})
    for (const MfmaInst &inst : t->mfma)
      for (auto [layout, rows, columns] : {std::make_tuple(&inst.a, inst.M, inst.K),
                                           {&inst.b, inst.K, inst.N},
                                           {&inst.d, inst.M, inst.N}}) {
        std::set<Basis> seen;
        for (unsigned lane = 0; lane < 64; ++lane)
          for (unsigned item = 0; item < items(*layout); ++item) {
            Basis c = place(*layout, item, lane);
            EXPECT_TRUE(seen.insert(c).second) << inst.mnemonic;
            EXPECT_EQ(c.size(), inst.blocks > 1 ? 3u : 2u);
            EXPECT_TRUE(c[c.size() - 2] < rows && c.back() < columns &&
                        (inst.blocks == 1 || c[0] < inst.blocks));
          }
        EXPECT_EQ(static_cast<int>(seen.size()), rows * columns * inst.blocks) << inst.mnemonic;
      }
}

/// The worked forms of the instruction reference, written per shape class and not from the general
/// formula.
struct Worked {
  const char *shape, *type;
  std::function<Basis(int lane, int item)> a, d;
};

const std::vector<Worked> &workedForms() {
  auto oneBlock16 = [](int kl) {
    return [kl](int l, int item) { return Basis{l % 16, kl * (l / 16) + item}; };
  };
  auto oneBlock32 = [](int kl) {
    return [kl](int l, int item) { return Basis{l % 32, kl * (l / 32) + item}; };
  };
  auto d16 = [](int l, int r) { return Basis{4 * (l / 16) + r, l % 16}; };
  auto d32 = [](int l, int r) { return Basis{8 * (r / 4) + 4 * (l / 32) + r % 4, l % 32}; };
  static const std::vector<Worked> forms = {
      {"16x16x32", "bf16", oneBlock16(8), d16},
      {"16x16x16", "f16", oneBlock16(4), d16},
      {"16x16x4", "f32", oneBlock16(1), d16},
      {"16x16x64", "i8", oneBlock16(16), d16},
      {"32x32x16", "bf16", oneBlock32(8), d32},
      {"32x32x8", "f16", oneBlock32(4), d32},
      {"32x32x2", "f32", oneBlock32(1), d32},
      {"4x4x4", "bf16", [](int l, int i) { return Basis{l / 4, l % 4, i}; },
       [](int l, int r) { return Basis{l / 4, r, l % 4}; }},
      {"16x16x4", "bf16", [](int l, int i) { return Basis{l / 16, l % 16, i}; },
       [](int l, int r) { return Basis{r / 4, 4 * (l / 16) + r % 4, l % 16}; }},
      {"32x32x4", "bf16", [](int l, int i) { return Basis{l / 32, l % 32, i}; },
       [](int l, int r) { return Basis{r / 16, 8 * (r % 16 / 4) + 4 * (l / 32) + r % 4, l % 32}; }},
      {"16x16x4", "f64", [](int l, int) { return Basis{l % 16, l / 16}; },
       [](int l, int r) { return Basis{4 * r + l / 16, l % 16}; }},
      {"4x4x4", "f64", [](int l, int) { return Basis{l / 4 % 4, l % 4, l / 16}; },
       [](int l, int) { return Basis{l / 4 % 4, l / 16, l % 4}; }},
      {"16x16x128", "f4e2m1", oneBlock16(32), d16},
      {"16x16x128", "f8e4m3fn",
       [](int l, int i) { return Basis{l % 16, 16 * (l / 16) + i % 16 + 64 * (i / 16)}; }, d16},
      {"32x32x64", "f8e5m2",
       [](int l, int i) { return Basis{l % 32, 16 * (l / 32) + i % 16 + 32 * (i / 16)}; }, d32},
      {"32x32x64", "f6e3m2", oneBlock32(32), d32},
  };
  return forms;
}

TEST(Target, WorkedForms) {
  for (const Worked &form : workedForms()) {
    const MfmaInst *inst = cdna4().findMfma(form.shape, form.type, form.type);
    ASSERT_NE(inst, nullptr) << form.shape << form.type;
    for (int lane = 0; lane < 64; ++lane) {
      for (unsigned item = 0; item < items(inst->a); ++item) {
        Basis a = form.a(lane, static_cast<int>(item)), b = a;
        std::swap(b[b.size() - 2], b.back()); // B: the same with components exchanged
        EXPECT_EQ(place(inst->a, item, static_cast<unsigned>(lane)), a) << inst->mnemonic;
        EXPECT_EQ(place(inst->b, item, static_cast<unsigned>(lane)), b) << inst->mnemonic;
      }
      for (unsigned item = 0; item < items(inst->d); ++item)
        EXPECT_EQ(place(inst->d, item, static_cast<unsigned>(lane)),
                  form.d(lane, static_cast<int>(item)))
            << inst->mnemonic;
    }
  }
}

TEST(Target, PhasesAreThePublishedLaneSets) {
  auto sets = [](const LdsPhases &phases) {
    std::map<unsigned, std::set<int>> byPhase;
    for (int lane = 0; lane < 64; ++lane) {
      unsigned phase = 0;
      for (size_t i = 0; i < phases.masks.size(); ++i)
        phase |= static_cast<unsigned>(__builtin_parity(lane & phases.masks[i])) << i;
      byPhase[phase].insert(lane);
    }
    std::set<std::set<int>> result;
    for (auto &[phase, lanes] : byPhase)
      result.insert(lanes);
    return result;
  };
  auto both = [](std::set<std::set<int>> half) { // the same 32 lanes further up
    std::set<std::set<int>> all = half;
    for (const std::set<int> &lanes : half) {
      std::set<int> up;
      for (int lane : lanes)
        up.insert(lane + 32);
      all.insert(up);
    }
    return all;
  };
  auto b128 = both({{0, 1, 2, 3, 12, 13, 14, 15, 20, 21, 22, 23, 24, 25, 26, 27},
                    {4, 5, 6, 7, 8, 9, 10, 11, 16, 17, 18, 19, 28, 29, 30, 31}});
  auto b96 = both({{0, 1, 2, 3, 20, 21, 22, 23},
                   {4, 5, 6, 7, 16, 17, 18, 19},
                   {8, 9, 10, 11, 28, 29, 30, 31},
                   {12, 13, 14, 15, 24, 25, 26, 27}});
  EXPECT_EQ(sets(cdna4().phases(LdsOp::ReadB128)), b128);
  EXPECT_EQ(sets(cdna4().phases(LdsOp::ReadB96)), b96);
  EXPECT_EQ(sets(cdna3().phases(LdsOp::ReadB128)), b96);
  for (const Target *t : {&cdna3(), &cdna4()})
    for (int op = 0; op <= static_cast<int>(LdsOp::WriteB128); ++op) {
      LdsPhases phases = t->phases(static_cast<LdsOp>(op));
      int lanes = 64 >> phases.masks.size();
      EXPECT_LE(lanes * phases.bytes, phases.banks * 4) << "a phase moves at most one dword a bank";
    }
}

TEST(Target, RegistersOfAWave) {
  const Target &t = cdna4();
  EXPECT_EQ(t.vgprsPerWave(1, 1), 512);
  EXPECT_EQ(t.vgprsPerWave(4, 1), 512) << "one a SIMD";
  EXPECT_EQ(t.vgprsPerWave(8, 1), 256);
  EXPECT_EQ(t.vgprsPerWave(12, 1), 168) << "170, in blocks of 8";
  EXPECT_EQ(t.vgprsPerWave(4, 5), 96);
  EXPECT_EQ(t.vgprsPerWave(16, 2), 64);
  EXPECT_EQ(t.vgprsPerWave(16, 3), 0) << "12 waves a SIMD, which has 8 slots";
}

TEST(Target, WorkgroupsPerCu) {
  const Target &t = *lookupTarget("gfx942");
  EXPECT_EQ(t.workgroupsPerCu(4, 512, 65536), 1) << "all registers, all LDS";
  EXPECT_EQ(t.workgroupsPerCu(4, 128, 0), 4) << "registers of four waves a SIMD";
  EXPECT_EQ(t.workgroupsPerCu(4, 129, 0), 3) << "136, in blocks of 8";
  EXPECT_EQ(t.workgroupsPerCu(4, 62, 12288), 5) << "LDS";
  EXPECT_EQ(t.workgroupsPerCu(1, 8, 0), 32) << "wave slots";
  EXPECT_EQ(t.workgroupsPerCu(2, 8, 0), 16) << "wave slots";
  EXPECT_EQ(t.workgroupsPerCu(16, 8, 0), 2) << "wave slots";
  EXPECT_EQ(t.workgroupsPerCu(16, 256, 0), 1) << "never none";
}

TEST(Target, DtypeBits) {
  EXPECT_EQ(dtypeBits("bf16"), 16);
  EXPECT_EQ(dtypeBits("f4e2m1"), 4);
  EXPECT_EQ(dtypeBits("f7"), 0);
}

} // namespace
