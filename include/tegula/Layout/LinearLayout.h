//===----------------------------------------------------------------------------------------===//
// Layouts: which register of which lane of which wave holds which element of a tile.
//
// A tutorial
// ----------
// Take a tile of 8 rows and 32 columns of bf16, held by one wave. 256 elements over 64 lanes are 4
// a lane, 8 bytes. We want a lane to hold 4 neighbours of a row, and 8 neighbouring lanes to hold a
// row:
//
//     lane 0: (0, 0..3)   lane 1: (0, 4..7)  …  lane 7: (0, 28..31)
//     lane 8: (1, 0..3)   …                     lane 63: (7, 28..31)
//
// Number the places with bits. Register r has two, r0 and r1; the lane has six, l0 … l5. Then
//
//     column = r + 4·(l mod 8) = r0·1 + r1·2 + l0·4 + l1·8 + l2·16
//     row    = l / 8           = l3·1 + l4·2 + l5·4
//
// Every bit of the place switches a fixed set of coordinate bits, and no two interfere. So the map
// is known once we write down what each bit contributes, its *basis vector* (row, column):
//
//     reg = [[0,1], [0,2]]     lane = [[0,4], [0,8], [0,16], [1,0], [2,0], [4,0]]     wave = []
//
// To find an element, XOR the vectors of the bits that are set. Register 3 of lane 37 = 100101b:
//
//     [0,1] ⊕ [0,2] ⊕ [0,4] ⊕ [0,16] ⊕ [4,0] = [4, 23]
//
// XOR and not +, because then a swizzle (which XORs rows into columns) is a layout too, and because
// the map is linear over GF(2): composing layouts is a matrix product, "who holds element c" is a
// matrix inverse, "do these lanes collide in a bank" is a rank. That is all of the algebra below.
//
// Broadcasts. A bit whose vector is zero does not change the element: both values of the bit hold
// the same one. The row sums of the tile above live in 8 lanes each: `reduce(L, 1)` has lane =
// [[0,0], [0,0], [0,0], [1,0], [2,0], [4,0]]. A register bit is never zero: a second copy in the
// same lane is the first one.
//
// One owner. All other vectors are linearly independent and reach every element, so up to zero bits
// each element has exactly one place. "Each element is stored once" needs no check anywhere: it is
// a property of the type.
//
// Odd sizes. Powers of two alone would pad a row of 2880 to 4096. So the linear map covers a *base*
// tile, and `repeat` copies of it lie behind one another in each dimension, in further registers.
// 2880 over two waves, 8 elements a lane:
//
//     reg = [[0,1],[0,2],[0,4]]   lane = [[0,8] … [0,256]]   wave = [[0,512]]   repeat = [1, 3]
//
// The base is 1 x 1024; three of them cover 3072 columns. The 192 places past the end are
// *phantoms*: registers without an element. `waveRepeats` do the same with waves (a kernel of
// three waves); with both, waves are the inner count:
//
//     coordinate_i    = L_i(r, l, w) + B_i·(ρ_i·W_i + ω_i)   B base extents, n repeat, W wave
//     repeat register number = r + 2^p·(row-major index of ρ) wave number     = w + 2^q·(ω read as
//     a number of mixed radix, the last digit lowest)
//
// A digit of ω belongs to one dimension, or to none: then it is what a zero vector is among bits,
// and all its values hold the same elements. Nine waves as 3 x 3 have an accumulator of two digits,
// [[0, 3], [1, 3]]; its row sums have [[0, 3], [-1, 3]].
//
// One text. The same distribution could be written with a repeat of 2 or with one more vector.
// `canonicalize` picks one form (see there), `verify` refuses any other, so equal layouts are equal
// attributes.
//
// Building blocks. `product` puts one layout above another: the accumulator of a 256 x 256 tile is
// one matrix instruction, times 4 tiles in n and 8 in m in registers, times the waves
// (`mfmaOperandLayout`). `quotient` asks the opposite: does L begin with this pattern?
// `convertMap(S, D)` tells from where in S each place of D must fetch, `classifyConversion` which
// of renaming, byte permutes, lane moves, exchanges or LDS does it.
//===----------------------------------------------------------------------------------------===//
#ifndef TEGULA_LAYOUT_LINEARLAYOUT_H
#define TEGULA_LAYOUT_LINEARLAYOUT_H

#include "tegula/Layout/BitMatrix.h"
#include "tegula/Target/Target.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tegula {

using Extents = std::vector<int64_t>;

/// What is wrong with a layout. `label` is the invariant ("cdna.layout.c2"), `message` has no label
/// in it.
struct LayoutError {
  std::string label;
  std::string message;
};

/// One digit of the wave number above the linear bits: `count` waves side by side along a
/// dimension, or (`kCopies`) as many that hold the same.
struct WaveRepeat {
  int dim;
  int64_t count;
  bool operator==(const WaveRepeat &o) const { return dim == o.dim && count == o.count; }
};
inline constexpr int kCopies = -1;
using WaveRepeats = std::vector<WaveRepeat>;

/// A register of a lane of a wave. `reg` counts repeats, `wave` wave repeats: see the tutorial.
struct Place {
  int64_t reg, lane, wave;
  bool operator==(const Place &o) const { return reg == o.reg && lane == o.lane && wave == o.wave; }
};

struct Layout {
  Bases reg, lane, wave;
  Extents repeat;          ///< one a dimension; its size is the rank
  WaveRepeats waveRepeats; ///< highest digit first, a dimension at most once

  Layout() = default;
  Layout(Bases reg, Bases lane, Bases wave, Extents repeat, WaveRepeats waveRepeats = {});

  bool operator==(const Layout &o) const {
    return reg == o.reg && lane == o.lane && wave == o.wave && repeat == o.repeat &&
           waveRepeats == o.waveRepeats;
  }
  bool operator!=(const Layout &o) const { return !(*this == o); }

  unsigned rank() const { return static_cast<unsigned>(repeat.size()); }
  Extents baseExtents() const; ///< B_i
  Extents cover() const;       ///< B_i·n_i·W_i: extents that have a place
  int64_t registersPerLane() const;
  int64_t waves() const;
  int64_t waveRepeat(unsigned d) const; ///< W_d
  bool hasWaveCopies() const;           ///< several waves hold the same
  size_t hash() const;

  /// The element at a place; coordinates past the tile's extents mean a phantom.
  Extents apply(int64_t reg, int64_t lane, int64_t wave) const;
  Extents apply(const Place &p) const { return apply(p.reg, p.lane, p.wave); }

  /// The place of an element whose zero bits and copies are all 0; nothing outside the cover.
  std::optional<Place> ownerOf(const Extents &coordinate) const;

  /// Bits of `lane` (or `wave`) whose vector is zero: only places with these bits 0 store.
  uint64_t zeroLaneBits() const;
  uint64_t zeroWaveBits() const;

  /// The linear part, from place bits (reg low, then lane, then wave) to coordinate bits (dimension
  /// 0 lowest, each with as many bits as the base extent has).
  BitMatrix matrix() const;
};

/// The first broken invariant for a tile of these extents, if any: c1 shape, c2 basis, c3 cover, c5
/// canonical form, c6 registers. (c4, the number of waves, is the kernel's to check.)
std::optional<LayoutError> verify(const Layout &layout, const Extents &shape, unsigned elementBits);

/// The form in which a layout is written. For each digit of the waves, lowest first: while its
/// count is even, its lowest bit becomes the next wave vector; digits of 1 vanish and neighbouring
/// copies are one. Then for each dimension, last first: if W_i is 1, while n_i is even, its lowest
/// bit becomes the next register vector. Register zero vectors are dropped.
Layout canonicalize(Layout layout);

//===--- Text ---===//

/// `reg = [[0, 1]], lane = […], wave = […]` and, when there are some, `, repeat = [1, 3]`, `,
/// wave_repeat = [[0, 3], [-1, 5]]`: what stands between the brackets of `#cdna.layout<…>`.
std::string print(const Layout &layout);
/// Reads that text; on failure returns nothing and says why in `error`.
std::optional<Layout> parse(std::string_view text, std::string *error = nullptr);

//===--- Algebra. Operations that can fail return nothing. ---===//

/// `a` on the low coordinate bits, `b` above. `a` must have no repeats; either may have fewer than
/// 6 lane vectors.
std::optional<Layout> product(const Layout &a, const Layout &b);
/// The b with product(a, b) == l.
std::optional<Layout> quotient(const Layout &l, const Layout &a);

/// Drops coordinate d (layout of a row vector beside a matrix). Register copies vanish; lane and
/// wave copies stay as zero vectors and digits of no dimension. Fails when what is left has two
/// owners for an element.
std::optional<Layout> slice(const Layout &l, unsigned d);
/// As slice, but keeps d with extent 1; only for layouts pure in d (each vector is wholly in d or
/// has no component there).
std::optional<Layout> reduce(const Layout &l, unsigned d);
bool isPure(const Layout &l, unsigned d);

/// Result dimension i is source dimension perm[i]. Lanes and waves keep their elements; so do
/// registers, unless two dimensions repeat: repeats are then numbered in the new order of
/// dimensions.
Layout transpose(const Layout &l, const std::vector<unsigned> &perm);
/// Row-major reshape. Splits and merges powers of two only; extents of 1 come and go freely.
std::optional<Layout> reshape(const Layout &l, const Extents &from, const Extents &to);
/// Dimension d grows from 1 to `extent`, by register copies.
std::optional<Layout> broadcast(const Layout &l, unsigned d, int64_t extent);

//===--- Conversion ---===//

/// For each place of `dst` (bits: reg, lane, wave) the place of `src` that holds its element. Zero
/// bits of `src` follow the destination's own bit. Nothing when base extents or repeats differ:
/// then only LDS converts.
std::optional<BitMatrix> convertMap(const Layout &src, const Layout &dst);

enum class ConvertPath {
  None,     ///< renaming of registers
  Register, ///< permutes inside dwords of one lane
  Lane,     ///< a permutation of lanes, the same for all registers
  Exchange, ///< register bits swap with lane bits
  LdsWave,  ///< through LDS, each wave by itself
  Lds,
};
const char *name(ConvertPath path);

struct Conversion {
  ConvertPath path;
  BitMatrix pull; ///< the pull map; empty for Lds when the bases differ
  std::vector<std::pair<unsigned, unsigned>> crossings; ///< Exchange: (register bit, lane bit)
  int64_t cost;                                         ///< clocks per SIMD, an estimate to rank by
};
Conversion classifyConversion(const Layout &src, const Layout &dst, unsigned elementBits,
                              const Target &target);

//===--- Memory ---===//

/// Elements that one access can move: the longest run reg[0…] = 1, 2, 4 … along `fastDim`, at most
/// `maxBytes`. At least 1.
int64_t vectorWidth(const Layout &l, unsigned fastDim, unsigned elementBits, int64_t maxBytes = 16);

/// Where the lanes of a transposing LDS read (64 bits a lane) fetch what they then hold as `l`.
/// With n = 64 / elementBits elements a lane, the instruction moves in each group of 16 lanes
/// element e of lane s to lane t, item j with e + n·s = t + 16·j: log2 n bits of the lane number
/// become bits of the element, and the other way round. `l` has so many register vectors.
Layout transposedSource(Layout l, unsigned elementBits);

/// Of the 64-byte segments that the first `lanes` lanes of one access of at most `maxBytes` a lane
/// touch, the share of bytes used, for rows of unknown pitch.
double coalescingScore(const Layout &l, unsigned fastDim, unsigned elementBits, int64_t lanes = 16,
                       int64_t maxBytes = 16);

struct CoalescedRequest {
  Extents shape;
  unsigned elementBits;
  unsigned waves;
  unsigned fastDim;        ///< the dimension of unit stride
  unsigned vectorBytes;    ///< wished bytes per lane and access; shortened when the row is shorter
  bool wavesAlongFast;     ///< spread waves over the row first
  unsigned crossDim = 0;   ///< another dimension, of the next two fields
  unsigned crossRun = 1;   ///< vectors of a lane that lie side by side along `crossDim`
  unsigned crossLanes = 1; ///< of the lowest lanes, how many lie side by side along it
  Extents block = {};      ///< what lanes and waves may spread over; empty: all of the tile
};
/// A layout for loads and stores: vectors, then lanes, along `fastDim`, then the other dimensions.
/// Nothing when the waves do not fit (an odd number that has nothing to spread over still fits: it
/// becomes phantoms).
std::optional<Layout> coalescedLayout(const CoalescedRequest &request);
/// The layout with `odd` times its waves, which lie side by side along d above all else and share
/// `extent` elements; what is left over are phantoms. Registers beyond the first `kept` vectors
/// that held d's highest bits become repeats. Where nothing is left to share, the waves are copies.
Layout shareAmongWaves(Layout layout, unsigned d, int64_t extent, int64_t odd, size_t kept);
/// The layout whose waves along d are copies.
Layout copyWaves(Layout layout, unsigned d);
/// The candidates of a load or store, best first, without duplicates: vectors of maxVectorBytes … 4
/// bytes, both ways of spreading waves.
std::vector<Layout> coalescedCandidates(const Extents &shape, unsigned elementBits, unsigned waves,
                                        unsigned fastDim, unsigned maxVectorBytes = 16);

//===--- Matrix instructions ---===//

enum class MfmaOperand { A, B, Acc };

struct MfmaTile {
  int64_t M, N, K;         ///< of the whole tile; only the two that the operand has are read
  unsigned wavesM, wavesN; ///< powers of two: wave = wavesN·wm + wn; odd factors above, m highest
  bool swapped;            ///< the instruction gets B first, so that a lane owns neighbours in n
};
/// The layout that operand has in registers when the tile is computed with `inst`: registers run
/// over the instruction's own items, then tiles in n, then in m, then steps of K. Coordinates: A
/// (m, k), B (k, n), Acc (m, n). Where waves don't share the instructions of a dimension evenly,
/// some hold phantoms. Nothing for instructions of several blocks.
std::optional<Layout> mfmaOperandLayout(const MfmaInst &inst, MfmaOperand operand,
                                        const MfmaTile &tile);

} // namespace tegula

#endif // TEGULA_LAYOUT_LINEARLAYOUT_H
