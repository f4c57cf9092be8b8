#include "Sim/Counters/Banks.h"
#include "Sim/State/Op.h"
#include <algorithm>
#include <array>
#include <iterator>

namespace tegula::sim {
namespace {
/// Lanes first … last.
constexpr uint64_t run(unsigned first, unsigned last) {
  return (~uint64_t(0) >> (63 - last + first)) << first;
}

/// Lane sets of the first half of a wave; the second half follows in the same way.
std::vector<uint64_t> bothHalves(std::vector<uint64_t> sets) {
  size_t n = sets.size();
  for (size_t i = 0; i < n; ++i)
    sets.push_back(sets[i] << 32);
  return sets;
}
std::vector<uint64_t> consecutive(unsigned lanes) {
  std::vector<uint64_t> sets;
  for (unsigned l = 0; l < 32; l += lanes)
    sets.push_back(run(l, l + lanes - 1));
  return bothHalves(sets);
}
/// 96-bit reads, and 128-bit reads where 32 banks serve them.
std::vector<uint64_t> eightMixed() {
  return bothHalves({run(0, 3) | run(20, 23), run(4, 7) | run(16, 19), run(8, 11) | run(28, 31),
                     run(12, 15) | run(24, 27)});
}
std::vector<uint64_t> fourMixed() {
  return bothHalves(
      {run(0, 3) | run(12, 15) | run(20, 27), run(4, 11) | run(16, 19) | run(28, 31)});
}

/// By number of dwords, 1 … 4. Published measurements for gfx950's reads of 64, 96 and 128 bits and
/// writes of 64, and gfx942's writes of 128; the others are estimates by analogy.
struct Services {
  std::array<LdsService, 5> reads, writes;
};
Services make(Arch arch) {
  Services s;
  s.reads[1] = s.writes[1] = {32, consecutive(32)};
  s.reads[2] = s.writes[2] = {32, consecutive(16)};
  s.reads[3] = s.reads[4] = {32, eightMixed()};
  s.writes[3] = s.writes[4] = {32, consecutive(8)};
  if (arch == Arch::gfx950) {
    s.reads[2] = {64, consecutive(32)};
    s.reads[4] = {64, fourMixed()};
  }
  return s;
}

/// The most dwords that one bank has to deliver or take in this phase.
unsigned busiestBank(unsigned banks, LdsUse use, const uint32_t *address, uint64_t lanes,
                     unsigned bytes) {
  std::array<uint32_t, kLanes * 5> dwords; // a misaligned access of 16 bytes touches five
  size_t n = 0;
  for (uint64_t m = lanes; m; m &= m - 1) {
    uint32_t a = address[__builtin_ctzll(m)];
    for (uint32_t d = a / 4; d <= (a + bytes - 1) / 4; ++d)
      dwords[n++] = d;
  }
  auto end = std::next(dwords.begin(), long(n));
  if (use != LdsUse::Atomic) {
    std::sort(dwords.begin(), end);
    end = std::unique(dwords.begin(), end);
  }
  std::array<unsigned, 64> load{};
  for (auto it = dwords.begin(); it != end; ++it)
    ++load[*it % banks];
  return *std::max_element(load.begin(), load.end());
}
} // namespace

const LdsService &ldsService(Arch arch, LdsUse use, unsigned bytes) {
  static const Services services[] = {make(Arch::gfx942), make(Arch::gfx950)};
  const Services &s = services[unsigned(arch)];
  unsigned dwords = std::clamp((bytes + 3) / 4, 1u, 4u);
  bool read = use == LdsUse::Read || use == LdsUse::TransposedRead;
  return (read ? s.reads : s.writes)[dwords];
}

LdsCost ldsCost(Arch arch, LdsUse use, const uint32_t *address, uint64_t lanes, unsigned bytes) {
  const LdsService &service = ldsService(arch, use, bytes);
  LdsCost cost;
  for (uint64_t phase : service.phases)
    if (uint64_t m = phase & lanes) {
      ++cost.phases;
      cost.conflicts += busiestBank(service.banks, use, address, m, bytes) - 1;
    }
  return cost;
}

} // namespace tegula::sim
