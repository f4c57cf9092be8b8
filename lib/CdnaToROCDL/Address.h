// Address arithmetic: i32, folded while it is built, linear in the bits of lane and wave.
#ifndef TEGULA_LIB_CDNATOROCDL_ADDRESS_H
#define TEGULA_LIB_CDNATOROCDL_ADDRESS_H

#include "Lowering.h"
#include <map>

namespace tegula::cdna {

/// Builds i32 arithmetic; what is constant never becomes an op.
class Int {
public:
  Int(mlir::OpBuilder &b, mlir::Location loc) : b(b), loc(loc) {}
  mlir::Value constant(int64_t value);
  mlir::Value add(mlir::Value x, mlir::Value y);
  mlir::Value add(mlir::Value x, int64_t y) { return y == 0 ? x : add(x, constant(y)); }
  mlir::Value sub(mlir::Value x, mlir::Value y);
  mlir::Value mul(mlir::Value x, mlir::Value y);
  mlir::Value mul(mlir::Value x, int64_t y);
  mlir::Value exclusiveOr(mlir::Value x, mlir::Value y);
  mlir::Value min(mlir::Value x, mlir::Value y);
  /// x < y, signed.
  mlir::Value less(mlir::Value x, mlir::Value y);
  mlir::Value select(mlir::Value condition, mlir::Value x, mlir::Value y);
  mlir::Value both(mlir::Value x, mlir::Value y);
  /// The XOR of `images[i]` over the set bits i of `bits`: one and, one shift a distance that
  /// occurs.
  mlir::Value linear(mlir::Value bits, llvm::ArrayRef<int64_t> images);
  static std::optional<int64_t> asConstant(mlir::Value value);
  static bool isZero(mlir::Value value) { return asConstant(value) == 0; }

  mlir::OpBuilder &b;
  mlir::Location loc;
};

/// The coordinates of the registers of a layout in the running lane and wave: a value, the same for
/// many registers, plus a constant.
class Coordinates {
public:
  Coordinates(const Layout &layout, const KernelContext &kernel, Int &ints);
  struct Place {
    mlir::Value base;
    int64_t offset;
  };
  Place at(unsigned dim, int64_t reg);
  /// An upper bound of `at` over all lanes and waves.
  int64_t largest(unsigned dim, int64_t reg) const;
  /// Whether some place of the layout lies outside `extent` of dimension `dim`.
  bool hasPhantoms(unsigned dim, int64_t extent) const { return layout.cover()[dim] > extent; }

private:
  mlir::Value base(unsigned dim, int64_t flipped);
  const Layout layout;
  const KernelContext &kernel;
  Int &ints;
  llvm::SmallVector<int64_t> varying; ///< coordinate bits that lanes or waves switch
  std::map<std::pair<unsigned, int64_t>, mlir::Value> bases;
};

/// The value of digit `index` of `layout.waveRepeats` in the running wave.
mlir::Value waveDigit(const Layout &layout, unsigned index, const KernelContext &kernel, Int &ints);

/// The condition "this lane and wave own their elements": all broadcast bits and copies are 0. Null
/// when there are none.
mlir::Value ownerCondition(const Layout &layout, const KernelContext &kernel, Int &ints);

} // namespace tegula::cdna

#endif // TEGULA_LIB_CDNATOROCDL_ADDRESS_H
