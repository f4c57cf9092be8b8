// What a code object takes for granted of its arguments: element types, ranks, static and named
// extents, strides, alignment, reach.
//
// Arguments of different alias sets are apart in memory, unless both are only read.
//
// A tile's base address has 64 bits, offsets from it 32, and the end of a view is found by a bound
// on the offset. So strides that are known at launch only are not negative, the rows of such arrays
// don't overlap, and no tile spans 2^31 bytes.
#ifndef TEGULA_LIB_RUNTIME_CONTRACT_H
#define TEGULA_LIB_RUNTIME_CONTRACT_H

#include "Manifest.h"

namespace tegula::runtime {

/// Why arguments can't be served: the argument, what was found, what was expected.
struct Refusal {
  std::string argument, found, expected;
  bool overlaps = false; ///< other arguments of this one's types and extents would be served
  std::string message() const {
    return "argument '" + argument + "': found " + found + ", expected " + expected;
  }
};

/// The strides with which the kernel sees each argument. An axis of one element has any stride:
/// it is given that of a real row, since what lies beyond its end must not look like data.
struct PassedStrides {
  int64_t of[maxArguments][TGR_MAX_RANK];
};

/// Checks `count` arguments, as many as the variant has parameters.
std::optional<Refusal> checkArguments(const Variant &variant, const tgr_argument *arguments,
                                      PassedStrides &passed);

/// Whether rows overlap or interleave, or a stride is 0: no bound tells where a row ends.
bool rowsRepeat(uint32_t rank, const int64_t *shape, const int64_t *strides);

} // namespace tegula::runtime

#endif // TEGULA_LIB_RUNTIME_CONTRACT_H
