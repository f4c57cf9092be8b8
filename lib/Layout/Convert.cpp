// Converting a value from one layout to another: the pull map, and the cheapest way to carry it
// out.
#include "tegula/Layout/LinearLayout.h"

#include <algorithm>

using namespace tegula;

std::optional<BitMatrix> tegula::convertMap(const Layout &src, const Layout &dst) {
  if (src.baseExtents() != dst.baseExtents() || src.repeat != dst.repeat ||
      src.waveRepeats != dst.waveRepeats || src.lane.size() != dst.lane.size() ||
      src.wave.size() != dst.wave.size())
    return std::nullopt;
  std::optional<BitMatrix> owner = pseudoInvert(src.matrix());
  if (!owner)
    return std::nullopt;
  BitMatrix pull = compose(*owner, dst.matrix());
  // A zero bit of the source is free: reading at the destination's own value keeps the data in its
  // lane and wave.
  size_t srcRegs = src.reg.size(), dstRegs = dst.reg.size(), lanes = src.lane.size();
  for (size_t i = 0; i < lanes; ++i)
    if (src.zeroLaneBits() >> i & 1)
      pull.columns[dstRegs + i] ^= uint64_t(1) << (srcRegs + i);
  for (size_t i = 0; i < src.wave.size(); ++i)
    if (src.zeroWaveBits() >> i & 1)
      pull.columns[dstRegs + lanes + i] ^= uint64_t(1) << (srcRegs + lanes + i);
  return pull;
}

const char *tegula::name(ConvertPath path) {
  static const char *const names[] = {"none", "register", "lane", "exchange", "lds_wave", "lds"};
  return names[static_cast<int>(path)];
}

namespace {

/// The pull map taken apart by kind of bit.
class PullMap {
public:
  PullMap(const BitMatrix &pull, const Layout &src, const Layout &dst, unsigned elementBits)
      : pull(pull), srcRegs(static_cast<unsigned>(src.reg.size())),
        dstRegs(static_cast<unsigned>(dst.reg.size())),
        waves(static_cast<unsigned>(dst.wave.size())) {
    while ((elementBits << subDword) < 32)
      ++subDword;
  }

  uint64_t regPart(unsigned column) const {
    return pull.columns[column] & ((uint64_t(1) << srcRegs) - 1);
  }
  uint64_t lanePart(unsigned column) const { return pull.columns[column] >> srcRegs & 63; }
  uint64_t wavePart(unsigned column) const { return pull.columns[column] >> (srcRegs + 6); }
  unsigned laneColumn(unsigned bit) const { return dstRegs + bit; }
  unsigned waveColumn(unsigned bit) const { return dstRegs + 6 + bit; }

  bool wavesStay() const {
    for (unsigned c = 0; c < dstRegs + 6; ++c)
      if (wavePart(c))
        return false;
    for (unsigned w = 0; w < waves; ++w)
      if (wavePart(waveColumn(w)) != uint64_t(1) << w)
        return false;
    return true;
  }
  /// Within a wave nothing depends on the wave number.
  bool uniformOverWaves() const {
    for (unsigned w = 0; w < waves; ++w)
      if (regPart(waveColumn(w)) || lanePart(waveColumn(w)))
        return false;
    return true;
  }
  bool registersReadOwnLane() const {
    for (unsigned r = 0; r < dstRegs; ++r)
      if (lanePart(r))
        return false;
    return true;
  }
  bool lanesReadSameRegister() const {
    for (unsigned l = 0; l < 6; ++l)
      if (regPart(laneColumn(l)))
        return false;
    return true;
  }
  bool lanesStay() const {
    for (unsigned l = 0; l < 6; ++l)
      if (lanePart(laneColumn(l)) != uint64_t(1) << l)
        return false;
    return true;
  }
  /// Lane bits 2 to 5 stay and don't reach bits 0 and 1, which only mix with each other.
  bool insideQuads() const {
    for (unsigned l = 0; l < 6; ++l)
      if (l < 2 ? lanePart(laneColumn(l)) >> 2 != 0 : lanePart(laneColumn(l)) != uint64_t(1) << l)
        return false;
    return true;
  }
  /// Elements keep their place inside their dword.
  bool dwordsStayWhole() const {
    uint64_t low = (uint64_t(1) << subDword) - 1;
    for (unsigned r = 0; r < dstRegs; ++r)
      if ((regPart(r) & low) != (r < subDword ? uint64_t(1) << r : 0) ||
          (r < subDword && regPart(r) > low))
        return false;
    for (unsigned l = 0; l < 6; ++l)
      if (regPart(laneColumn(l)) & low)
        return false;
    return true;
  }
  int64_t dwords() const { return std::max<int64_t>(1, (int64_t(1) << dstRegs) >> subDword); }

  /// (register bit, lane bit) pairs when the map is register renaming plus swaps of one register
  /// bit with one lane bit.
  std::optional<std::vector<std::pair<unsigned, unsigned>>> crossings() const {
    std::vector<std::pair<unsigned, unsigned>> pairs;
    for (unsigned l = 0; l < 6; ++l) {
      uint64_t reg = regPart(laneColumn(l)), lane = lanePart(laneColumn(l));
      if (!reg && lane == uint64_t(1) << l)
        continue;
      if (lane || !reg || (reg & (reg - 1)) || reg < uint64_t(1) << subDword)
        return std::nullopt;
      unsigned swapped = 0, mixed = 0;
      for (unsigned r = 0; r < dstRegs; ++r) {
        bool reads = lanePart(r) >> l & 1;
        swapped += reads && pull.columns[r] == uint64_t(1) << (srcRegs + l);
        mixed += reads && pull.columns[r] != uint64_t(1) << (srcRegs + l);
      }
      if (swapped != 1 || mixed)
        return std::nullopt;
      pairs.push_back({static_cast<unsigned>(__builtin_ctzll(reg)), l});
    }
    return pairs;
  }

private:
  const BitMatrix &pull;
  unsigned srcRegs, dstRegs, waves, subDword = 0;
};

int64_t copies(const Layout &l) { return l.registersPerLane() >> l.reg.size(); }

/// Clocks of swapping a register bit with a lane bit: permlane swaps take 8 for two dwords; DPP
/// with bank masks one instruction a dword and a copy per pair; inside quads a move and a select.
std::optional<int64_t> exchangeCost(unsigned laneBit, int64_t dwords, const Target &target) {
  if (laneBit >= 4)
    return target.hasPermlaneSwap ? std::optional<int64_t>(4 * dwords) : std::nullopt;
  return laneBit >= 2 ? 6 * dwords : 8 * dwords;
}

/// Store and load of every dword at two phases each, a round trip's latency, and the meeting of the
/// waves.
int64_t ldsCost(const Layout &src, const Layout &dst, unsigned elementBits, bool barrier) {
  auto dwords = [&](const Layout &l) {
    return std::max<int64_t>(1, l.registersPerLane() * static_cast<int64_t>(elementBits) / 32);
  };
  return 2 * (dwords(src) + dwords(dst)) + 64 + (barrier ? 32 : 0);
}

} // namespace

Conversion tegula::classifyConversion(const Layout &src, const Layout &dst, unsigned elementBits,
                                      const Target &target) {
  std::optional<BitMatrix> pull = convertMap(src, dst);
  if (!pull)
    return {ConvertPath::Lds, {}, {}, ldsCost(src, dst, elementBits, true)};
  PullMap map(*pull, src, dst, elementBits);
  auto lds = [&](bool barrier) {
    return Conversion{barrier ? ConvertPath::Lds : ConvertPath::LdsWave,
                      *pull,
                      {},
                      ldsCost(src, dst, elementBits, barrier)};
  };
  if (!map.wavesStay())
    return lds(true);
  if (!map.uniformOverWaves())
    return lds(false);
  int64_t dwords = map.dwords() * copies(dst);
  bool noCrossing = map.registersReadOwnLane() && map.lanesReadSameRegister();
  if (noCrossing && map.lanesStay() && map.dwordsStayWhole())
    return {ConvertPath::None, *pull, {}, 0};
  if (noCrossing && map.lanesStay())
    return {ConvertPath::Register, *pull, {}, 4 * dwords};
  if (!map.dwordsStayWhole())
    return lds(false);
  if (noCrossing && map.insideQuads())
    return {ConvertPath::Lane, *pull, {}, 4 * (dwords + 2)};
  if (noCrossing && dwords == 1)
    return {ConvertPath::Lane, *pull, {}, 64};
  Conversion best = lds(false);
  auto pairs = map.crossings();
  if (!pairs)
    return best;
  int64_t cost = 0;
  for (auto [reg, lane] : *pairs) {
    std::optional<int64_t> step = exchangeCost(lane, dwords, target);
    if (!step)
      return best;
    cost += *step;
  }
  if (cost < best.cost)
    return {ConvertPath::Exchange, *pull, *pairs, cost};
  return best;
}
