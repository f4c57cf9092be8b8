// Floats of 16 bits and fewer as bit patterns: what the integer expansions of casts need to know.
#ifndef TEGULA_LIB_TILETOCDNA_NARROWFORMAT_H
#define TEGULA_LIB_TILETOCDNA_NARROWFORMAT_H

#include "mlir/IR/BuiltinTypes.h"
#include <optional>

namespace tegula::cdna {

/// Codes are those of magnitudes, without the sign, but for the NaN of types without -0, which is
/// the sign bit itself.
struct NarrowFormat {
  explicit NarrowFormat(mlir::FloatType type)
      : bits(type.getWidth()), mantissa(type.getFPMantissaWidth() - 1) {
    const llvm::fltSemantics &semantics = type.getFloatSemantics();
    least = llvm::APFloat::semanticsMinExponent(semantics);
    largest = code(llvm::APFloat::getLargest(semantics));
    if (llvm::APFloat::semanticsHasInf(semantics))
      infinity = code(llvm::APFloat::getInf(semantics));
    if (llvm::APFloat::semanticsHasNaN(semantics))
      nan = code(llvm::APFloat::getNaN(semantics));
  }

  int64_t signBit() const { return int64_t(1) << (bits - 1); }
  /// Zero has no sign, and the code that -0 would have is the NaN.
  bool isUnsignedZero() const { return nan == signBit(); }
  /// Bits of an f32's mantissa that are cut off.
  unsigned dropped() const { return 23 - mantissa; }

  unsigned bits, mantissa; ///< of the type, and those stored of the significand
  int least;               ///< exponent of the smallest normal number
  int64_t largest;         ///< code of the largest finite number
  std::optional<int64_t> infinity, nan;

private:
  static int64_t code(const llvm::APFloat &value) { return value.bitcastToAPInt().getZExtValue(); }
};

} // namespace tegula::cdna

#endif // TEGULA_LIB_TILETOCDNA_NARROWFORMAT_H
