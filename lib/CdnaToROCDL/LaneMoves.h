// Moves of dwords, and of values made of them, between the lanes of a wave.
#ifndef TEGULA_LIB_CDNATOROCDL_LANEMOVES_H
#define TEGULA_LIB_CDNATOROCDL_LANEMOVES_H

#include "Lowering.h"

namespace tegula::cdna {

// DPP controls.
enum : int32_t {
  kQuadXor1 = 177, // quad_perm [1, 0, 3, 2]
  kQuadXor2 = 78,  // quad_perm [2, 3, 0, 1]
  kRowShiftLeft4 = 260,
  kRowShiftRight4 = 276,
  kRowRotate8 = 296,
  kRowMirror = 320,
  kRowHalfMirror = 321,
  kRowBroadcast15 = 322,
  kRowBroadcast31 = 323,
};

/// The chunks of a tile as dwords: several elements each, or half of one. A chunk of less than a
/// dword has zeros above.
llvm::SmallVector<mlir::Value> toDwords(mlir::OpBuilder &b, mlir::Location loc,
                                        mlir::ValueRange chunks);
/// The opposite, for a tile of this type.
llvm::SmallVector<mlir::Value> fromDwords(mlir::OpBuilder &b, mlir::Location loc,
                                          mlir::ValueRange words, mlir::RankedTensorType type);

/// x of another lane, `old` in the banks of four lanes that `bankMask` leaves out.
mlir::Value moveByDpp(mlir::OpBuilder &b, mlir::Location loc, mlir::Value old, mlir::Value x,
                      int32_t control, int32_t bankMask, bool boundControl);

/// Swaps a bit that tells two registers apart with bit `bit` of the lane: lanes that have it give
/// their x for the y of lanes that have not. Bits 4 and 5 need a target with permlane swaps.
std::pair<mlir::Value, mlir::Value> swapAcross(mlir::OpBuilder &b, mlir::Location loc,
                                               const KernelContext &kernel, mlir::Value x,
                                               mlir::Value y, unsigned bit);

/// Moves between the lanes of a wave. The instructions move dwords: wider values go as two,
/// narrower ones as one with zeros above.
struct LaneMoves {
  mlir::OpBuilder &b;
  mlir::Location loc;
  const KernelContext &kernel;

  /// A permutation of lanes.
  mlir::Value permute(mlir::Value x, int32_t control) const;
  /// The last lane of the row before, or of the two rows before; lanes that have none get `idle`.
  mlir::Value fromRowBefore(mlir::Value idle, mlir::Value x, int32_t control, bool fillsZero) const;
  mlir::Value readLane(mlir::Value x, int64_t lane) const;
  /// The value of lane l XOR 2^bit.
  mlir::Value across(mlir::Value x, unsigned bit) const;
  /// The values of lanes l and l XOR 2^bit, in any order. `below`: the bits under this one are
  /// reduced already.
  std::pair<mlir::Value, mlir::Value> partners(mlir::Value x, unsigned bit, bool below) const;

private:
  using Pair = std::pair<mlir::Value, mlir::Value>;

  mlir::Value constant(int64_t x) const;
  llvm::SmallVector<mlir::Value> split(mlir::Value x) const;
  mlir::Value join(mlir::ValueRange words, mlir::Type type) const;
  /// `move` for each dword of x.
  mlir::Value byWords(mlir::Value x, llvm::function_ref<mlir::Value(mlir::Value)> move) const;
  mlir::Value permuteWord(mlir::Value x, int32_t control) const;
  Pair wordPartners(mlir::Value x, unsigned bit, bool below) const;
  Pair swapped(mlir::Value x, unsigned bit) const;
  Pair throughLdsUnit(mlir::Value x, unsigned bit) const;
  mlir::Value bits(mlir::Value x) const;
};

} // namespace tegula::cdna

#endif // TEGULA_LIB_CDNATOROCDL_LANEMOVES_H
