// Layouts that meet in LDS: how a tile gets from one to the other, and layouts made for it.
//
// A tile that is loaded by rows and stored by columns has two coalesced layouts with nothing in
// common. LDS brings them together: lanes write what they hold, meet, and read what they want. An
// access moves up to 16 bytes that are neighbours in LDS, so neighbours must be in one lane on both
// sides. Three ways lead there:
//
// - one side is blocked: its lanes hold several vectors side by side (`crossRun`), transpose such a
//   block in registers, and write or read runs along the other side's fast dimension;
// - the reader uses transposing reads, which do that between 16 lanes;
// - elements are wide enough as they are.
#ifndef TEGULA_LAYOUT_LDSCONVERSION_H
#define TEGULA_LAYOUT_LDSCONVERSION_H

#include "tegula/Layout/LinearLayout.h"
#include "tegula/Target/Target.h"

namespace tegula {

/// The same layout with the registers that step 1, 2, 4 … along `dim` first: an access of LDS takes
/// neighbouring registers.
Layout runFirst(Layout layout, unsigned dim);

/// The layout of the elements from `origin` (multiples of `block`) on, `block` of them or fewer at
/// the end of the tile, in the registers that hold them. Nothing when a register of some lane or
/// wave holds them and that of another one does not.
std::optional<Layout> part(const Layout &l, const Extents &shape, const Extents &origin,
                           const Extents &block);

/// A block of at most `maxBytes`: the tile's extents rounded up to powers of two, the longest
/// halved until it fits; the tile's own extents where nothing has to be cut.
Extents blockOf(const Extents &shape, unsigned elementBits, int64_t maxBytes);

/// Whether transposing reads of 8- or 16-bit elements give this layout from rows along `fast`: its
/// lowest registers step along one other dimension, its lowest four lane bits along `fast`.
bool isTransposingRead(const Layout &l, unsigned fast, unsigned elementBits);

struct LdsConversion {
  std::vector<unsigned> order; ///< dimensions of the buffer, fastest first
  bool transposeRead = false;
  Extents block; ///< what passes through LDS at a time
  double cost;   ///< in instructions of a wave
};
/// The cheapest way; nothing when the tile is larger than `maxBytes` and cannot be cut.
std::optional<LdsConversion> planLdsConversion(const Layout &src, const Layout &dst,
                                               const Extents &shape, unsigned elementBits,
                                               int64_t maxBytes, const Target &target);

/// Layouts of an access that has to be converted: vectors along `fastDim`, side by side along
/// `crossDim`; for a dimension that LDS is read along, made for transposing reads. Lanes and waves
/// stay inside `block`.
std::vector<Layout> conversionCandidates(const CoalescedRequest &request, const Target &target);

} // namespace tegula

#endif // TEGULA_LAYOUT_LDSCONVERSION_H
