// Linear maps over GF(2): what layouts, layout conversions, swizzles and bank conflicts are
// computed with.
#ifndef TEGULA_LAYOUT_BITMATRIX_H
#define TEGULA_LAYOUT_BITMATRIX_H

#include <cstdint>
#include <optional>
#include <vector>

namespace tegula {

/// A matrix over GF(2). Column i is the image of input bit i, as a mask of output bits; at most 64
/// of them.
struct BitMatrix {
  std::vector<uint64_t> columns;
  unsigned rows = 0; ///< number of output bits

  static BitMatrix identity(unsigned bits);
  unsigned inputs() const { return static_cast<unsigned>(columns.size()); }
  uint64_t apply(uint64_t input) const;
  bool operator==(const BitMatrix &other) const {
    return rows == other.rows && columns == other.columns;
  }
};

/// Dimension of the span.
unsigned rank(const std::vector<uint64_t> &columns);

/// A ∘ B: B's outputs feed A's inputs.
BitMatrix compose(const BitMatrix &a, const BitMatrix &b);

/// The inverse of a bijection, or nothing.
std::optional<BitMatrix> invert(const BitMatrix &m);

/// A right inverse of an onto map whose non-zero columns are independent: every output gets the one
/// input whose bits at zero columns are 0. Nothing when the columns are dependent or do not span.
std::optional<BitMatrix> pseudoInvert(const BitMatrix &m);

/// A basis of the inputs that the given rows (each a mask of input bits) all send to even parity.
std::vector<uint64_t> kernelOfMasks(const std::vector<uint8_t> &masks, unsigned inputBits);

} // namespace tegula

#endif // TEGULA_LAYOUT_BITMATRIX_H
