// The layout itself: extents, the map and its inverse, invariants, canonical form.
#include "tegula/Layout/LinearLayout.h"

#include <algorithm>
#include <functional>

using namespace tegula;

namespace {

constexpr int32_t maxComponent = 1 << 30;
constexpr int64_t maxBits = 32 * Target::vgprsPerSimdLane; // of one lane
constexpr unsigned maxRegisterBits = 14;                   // log2 of as many one-bit elements
static_assert(maxBits == 1 << maxRegisterBits);
constexpr unsigned maxWaveBits = 10;

void accumulate(Extents &coordinate, const Bases &bases, uint64_t bits) {
  for (size_t i = 0; i < bases.size(); ++i)
    if (bits >> i & 1)
      for (size_t d = 0; d < coordinate.size(); ++d)
        coordinate[d] ^= bases[i][d];
}

/// Splits a row-major index into its digits, last one fastest.
Extents digits(int64_t index, const Extents &extents) {
  Extents result(extents.size());
  for (size_t d = extents.size(); d-- > 0;) {
    result[d] = index % extents[d];
    index /= extents[d];
  }
  return result;
}

int64_t product(const Extents &extents) {
  int64_t p = 1;
  for (int64_t e : extents)
    p *= e;
  return p;
}

bool isZero(const Basis &v) {
  return std::all_of(v.begin(), v.end(), [](int32_t c) { return c == 0; });
}

/// OR of a dimension's components: the coordinate bits that occur.
uint32_t occurringBits(const Layout &l, unsigned d) {
  uint32_t bits = 0;
  for (const Bases *bases : {&l.reg, &l.lane, &l.wave})
    for (const Basis &v : *bases)
      bits |= static_cast<uint32_t>(v[d]);
  return bits;
}

std::string str(int64_t value) { return std::to_string(value); }

} // namespace

Layout::Layout(Bases reg, Bases lane, Bases wave, Extents repeat, WaveRepeats waveRepeats)
    : reg(std::move(reg)), lane(std::move(lane)), wave(std::move(wave)), repeat(std::move(repeat)),
      waveRepeats(std::move(waveRepeats)) {}

Extents Layout::baseExtents() const {
  Extents extents;
  for (unsigned d = 0; d < rank(); ++d)
    extents.push_back(int64_t(1) << __builtin_popcount(occurringBits(*this, d)));
  return extents;
}

Extents Layout::cover() const {
  Extents extents = baseExtents();
  for (unsigned d = 0; d < rank(); ++d)
    extents[d] *= repeat[d] * waveRepeat(d);
  return extents;
}

int64_t Layout::registersPerLane() const { return (int64_t(1) << reg.size()) * ::product(repeat); }
int64_t Layout::waves() const {
  int64_t count = int64_t(1) << wave.size();
  for (const WaveRepeat &digit : waveRepeats)
    count *= digit.count;
  return count;
}

int64_t Layout::waveRepeat(unsigned d) const {
  for (const WaveRepeat &digit : waveRepeats)
    if (digit.dim == static_cast<int>(d))
      return digit.count;
  return 1;
}

bool Layout::hasWaveCopies() const {
  return zeroWaveBits() != 0 ||
         std::any_of(waveRepeats.begin(), waveRepeats.end(),
                     [](const WaveRepeat &digit) { return digit.dim == kCopies; });
}

size_t Layout::hash() const {
  uint64_t h = 1469598103934665603ull;
  auto mix = [&](uint64_t value) { h = (h ^ value) * 1099511628211ull; };
  for (const Bases *bases : {&reg, &lane, &wave}) {
    mix(bases->size());
    for (const Basis &v : *bases)
      for (int32_t c : v)
        mix(static_cast<uint64_t>(c));
  }
  for (int64_t e : repeat)
    mix(static_cast<uint64_t>(e));
  for (const WaveRepeat &digit : waveRepeats) {
    mix(static_cast<uint64_t>(digit.dim));
    mix(static_cast<uint64_t>(digit.count));
  }
  return h;
}

Extents Layout::apply(int64_t r, int64_t l, int64_t w) const {
  Extents coordinate(rank(), 0);
  accumulate(coordinate, reg, static_cast<uint64_t>(r));
  accumulate(coordinate, lane, static_cast<uint64_t>(l));
  accumulate(coordinate, wave, static_cast<uint64_t>(w));
  Extents rho = digits(r >> reg.size(), repeat), omega(rank(), 0), base = baseExtents();
  int64_t above = w >> wave.size();
  for (size_t i = waveRepeats.size(); i-- > 0; above /= waveRepeats[i].count)
    if (waveRepeats[i].dim != kCopies)
      omega[static_cast<size_t>(waveRepeats[i].dim)] = above % waveRepeats[i].count;
  for (unsigned d = 0; d < rank(); ++d)
    coordinate[d] += base[d] * (rho[d] * waveRepeat(d) + omega[d]);
  return coordinate;
}

std::optional<Place> Layout::ownerOf(const Extents &coordinate) const {
  std::optional<BitMatrix> inverse = pseudoInvert(matrix());
  if (!inverse || coordinate.size() != rank())
    return std::nullopt;
  Extents base = baseExtents();
  uint64_t low = 0;
  int64_t rho = 0, omega = 0;
  unsigned shift = 0;
  Extents copies(rank());
  for (unsigned d = 0; d < rank(); ++d) {
    copies[d] = coordinate[d] / base[d];
    if (coordinate[d] < 0 || copies[d] >= repeat[d] * waveRepeat(d))
      return std::nullopt;
    low |= static_cast<uint64_t>(coordinate[d] % base[d]) << shift;
    shift += static_cast<unsigned>(__builtin_ctzll(static_cast<uint64_t>(base[d])));
    rho = rho * repeat[d] + copies[d] / waveRepeat(d);
  }
  for (const WaveRepeat &digit : waveRepeats)
    omega = omega * digit.count +
            (digit.dim == kCopies ? 0 : copies[static_cast<size_t>(digit.dim)] % digit.count);
  int64_t bits = static_cast<int64_t>(inverse->apply(low));
  int64_t p = static_cast<int64_t>(reg.size()), n = static_cast<int64_t>(lane.size());
  int64_t r = bits & ((int64_t(1) << p) - 1), l = bits >> p & ((int64_t(1) << n) - 1),
          w = bits >> (p + n);
  return Place{r + (rho << p), l, w + (omega << wave.size())};
}

uint64_t Layout::zeroLaneBits() const {
  uint64_t bits = 0;
  for (size_t i = 0; i < lane.size(); ++i)
    bits |= uint64_t(isZero(lane[i])) << i;
  return bits;
}

uint64_t Layout::zeroWaveBits() const {
  uint64_t bits = 0;
  for (size_t i = 0; i < wave.size(); ++i)
    bits |= uint64_t(isZero(wave[i])) << i;
  return bits;
}

BitMatrix Layout::matrix() const {
  std::vector<unsigned> shift;
  BitMatrix m;
  for (int64_t extent : baseExtents()) {
    shift.push_back(m.rows);
    m.rows += static_cast<unsigned>(__builtin_ctzll(static_cast<uint64_t>(extent)));
  }
  for (const Bases *bases : {&reg, &lane, &wave})
    for (const Basis &v : *bases) {
      uint64_t column = 0;
      for (unsigned d = 0; d < rank(); ++d)
        column |= static_cast<uint64_t>(v[d]) << shift[d];
      m.columns.push_back(column);
    }
  return m;
}

namespace {

std::optional<LayoutError> verifyShape(const Layout &l, const Extents &shape) {
  if (l.rank() != shape.size())
    return LayoutError{"cdna.layout.c1", "the layout has " + str(l.rank()) +
                                             " dimensions, the tile has " +
                                             str(static_cast<int64_t>(shape.size()))};
  if (l.lane.size() != 6)
    return LayoutError{"cdna.layout.c1", "a layout has exactly 6 lane vectors, found " +
                                             str(static_cast<int64_t>(l.lane.size()))};
  if (l.wave.size() > maxWaveBits)
    return LayoutError{"cdna.layout.c1",
                       "too many wave vectors: " + str(static_cast<int64_t>(l.wave.size()))};
  for (const Bases *bases : {&l.reg, &l.lane, &l.wave})
    for (const Basis &v : *bases) {
      if (v.size() != l.rank())
        return LayoutError{"cdna.layout.c1", "a basis vector has " +
                                                 str(static_cast<int64_t>(v.size())) +
                                                 " components, expected " + str(l.rank())};
      if (std::any_of(v.begin(), v.end(), [](int32_t c) { return c < 0 || c >= maxComponent; }))
        return LayoutError{"cdna.layout.c1",
                           "components of basis vectors are between 0 and 2^30 - 1"};
    }
  auto isCount = [](int64_t n) { return n >= 1 && n < maxComponent; };
  bool counts = std::all_of(l.repeat.begin(), l.repeat.end(), isCount);
  std::vector<int> dims;
  for (const WaveRepeat &digit : l.waveRepeats) {
    counts &= isCount(digit.count);
    if (digit.dim < kCopies || digit.dim >= static_cast<int>(l.rank()) ||
        (digit.dim != kCopies && std::find(dims.begin(), dims.end(), digit.dim) != dims.end()))
      return LayoutError{"cdna.layout.c1", "wave repeats name a dimension of the tile once, or -1"};
    dims.push_back(digit.dim);
  }
  if (!counts)
    return LayoutError{"cdna.layout.c1", "repeats are between 1 and 2^30 - 1"};
  return std::nullopt;
}

std::optional<LayoutError> verifyBasis(const Layout &l) {
  int64_t bits = 0, nonZero = 0;
  for (unsigned d = 0; d < l.rank(); ++d) {
    uint32_t occurring = occurringBits(l, d);
    if (occurring & (occurring + 1))
      return LayoutError{"cdna.layout.c2", "no vector reaches some coordinate bit of dimension " +
                                               str(d) + " below its highest one"};
    bits += __builtin_popcount(occurring);
  }
  for (const Bases *bases : {&l.reg, &l.lane, &l.wave})
    nonZero +=
        std::count_if(bases->begin(), bases->end(), [](const Basis &v) { return !isZero(v); });
  if (bits == nonZero && bits <= 64 && rank(l.matrix().columns) == bits)
    return std::nullopt;
  return LayoutError{"cdna.layout.c2", "the non-zero vectors are not a basis: " + str(nonZero) +
                                           " vectors for " + str(bits) +
                                           " coordinate bits must be independent"};
}

std::optional<LayoutError> verifyCover(const Layout &l, const Extents &shape) {
  using Wide = unsigned __int128; // three factors below 2^31
  Extents base = l.baseExtents();
  for (unsigned d = 0; d < l.rank(); ++d) {
    Wide step = Wide(base[d]) * Wide(l.waveRepeat(d)),
         extent = Wide(std::max<int64_t>(shape[d], 0));
    if (step * Wide(l.repeat[d]) < extent)
      return LayoutError{"cdna.layout.c3", "the layout covers fewer than " + str(shape[d]) +
                                               " elements of dimension " + str(d)};
    if (l.repeat[d] > 1 && step * Wide(l.repeat[d] - 1) >= extent)
      return LayoutError{"cdna.layout.c3",
                         "the last repeat of dimension " + str(d) + " holds no element"};
  }
  return std::nullopt;
}

} // namespace

std::optional<LayoutError> tegula::verify(const Layout &l, const Extents &shape,
                                          unsigned elementBits) {
  if (auto error = verifyShape(l, shape))
    return error;
  if (l.reg.size() > maxRegisterBits)
    return LayoutError{"cdna.layout.c6",
                       "too many register vectors: " + str(static_cast<int64_t>(l.reg.size()))};
  if (auto error = verifyBasis(l))
    return error;
  if (auto error = verifyCover(l, shape))
    return error;
  if (canonicalize(l) != l)
    return LayoutError{"cdna.layout.c5",
                       "not in canonical form; expected " + print(canonicalize(l))};
  auto tooLarge = [] {
    return LayoutError{"cdna.layout.c6", "the tile needs more than " +
                                             str(Target::vgprsPerSimdLane) +
                                             " registers of a lane"};
  };
  unsigned __int128 bits = elementBits;
  bits <<= l.reg.size();
  for (int64_t n : l.repeat)
    if ((bits *= static_cast<unsigned __int128>(n)) > maxBits)
      return tooLarge();
  if (bits > maxBits)
    return tooLarge();
  return std::nullopt;
}

Layout tegula::canonicalize(Layout l) {
  l.reg.erase(std::remove_if(l.reg.begin(), l.reg.end(), isZero), l.reg.end());
  Extents base = l.baseExtents();
  auto moveBit = [&](int d, int64_t &copies, Bases &bases) {
    Basis v(l.rank(), 0);
    if (d != kCopies) {
      v[static_cast<size_t>(d)] = static_cast<int32_t>(base[static_cast<size_t>(d)]);
      base[static_cast<size_t>(d)] *= 2;
    }
    bases.push_back(std::move(v));
    copies /= 2;
  };
  auto canMove = [&](int d) { return d == kCopies || base[static_cast<size_t>(d)] < maxComponent; };
  WaveRepeats digits; // from the lowest on
  for (size_t i = l.waveRepeats.size(); i-- > 0;) {
    WaveRepeat digit = l.waveRepeats[i];
    while (digit.count % 2 == 0 && canMove(digit.dim))
      moveBit(digit.dim, digit.count, l.wave);
    bool joins = !digits.empty() && digit.dim == kCopies && digits.back().dim == kCopies;
    if (joins)
      digits.back().count *= digit.count;
    else if (digit.count != 1)
      digits.push_back(digit);
  }
  l.waveRepeats.assign(digits.rbegin(), digits.rend());
  for (unsigned d = l.rank(); d-- > 0;)
    while (l.waveRepeat(d) == 1 && l.repeat[d] % 2 == 0 && canMove(static_cast<int>(d)))
      moveBit(static_cast<int>(d), l.repeat[d], l.reg);
  return l;
}
