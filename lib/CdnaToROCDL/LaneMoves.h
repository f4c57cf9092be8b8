// Moves of dwords, and of values made of them, between the lanes of a wave.
#ifndef TEGULA_LIB_CDNATOROCDL_LANEMOVES_H
#define TEGULA_LIB_CDNATOROCDL_LANEMOVES_H

#include "Lowering.h"

namespace tegula::cdna {

using namespace mlir; // a header of this folder's patterns alone

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
  OpBuilder &b;
  Location loc;
  const KernelContext &kernel;

  Value constant(int64_t x) const { return LLVM::ConstantOp::create(b, loc, b.getI32Type(), x); }

  /// The dwords of a value. One of 32 bits stays as it is, so that LLVM can fold the move into its
  /// user.
  SmallVector<Value> split(Value x) const {
    unsigned width = x.getType().getIntOrFloatBitWidth();
    if (width == 32)
      return {x};
    if (width == 64) {
      Value words =
          LLVM::BitcastOp::create(b, loc, VectorType::get({2}, b.getI32Type()), x).getResult();
      return {extractRange(b, loc, words, 0, 1), extractRange(b, loc, words, 1, 1)};
    }
    Value bits = LLVM::BitcastOp::create(b, loc, b.getIntegerType(width), x);
    return {LLVM::ZExtOp::create(b, loc, b.getI32Type(), bits)};
  }
  Value join(ArrayRef<Value> words, Type type) const {
    unsigned width = type.getIntOrFloatBitWidth();
    Value bits = words.front();
    if (width == 64)
      bits = concat(b, loc, words);
    else if (width < 32)
      bits = LLVM::TruncOp::create(b, loc, b.getIntegerType(width), bits);
    return bits.getType() == type ? bits : LLVM::BitcastOp::create(b, loc, type, bits).getResult();
  }

  Value dppWord(Value old, Value x, int32_t control, int32_t bankMask, bool boundControl) const {
    return moveByDpp(b, loc, old, x, control, bankMask, boundControl);
  }
  /// "old" is never read, which lets LLVM fold the move into its user.
  Value permuteWord(Value x, int32_t control) const {
    return dppWord(LLVM::PoisonOp::create(b, loc, x.getType()), x, control, 15, true);
  }
  /// A permutation of lanes.
  Value permute(Value x, int32_t control) const {
    SmallVector<Value> words =
        llvm::map_to_vector(split(x), [&](Value word) { return permuteWord(word, control); });
    return join(words, x.getType());
  }
  /// The last lane of the row before, or of the two rows before; lanes that have none get `idle`.
  Value fromRowBefore(Value idle, Value x, int32_t control, bool fillsZero) const {
    SmallVector<Value> words;
    for (auto [old, word] : llvm::zip_equal(split(idle), split(x)))
      words.push_back(dppWord(old, word, control, 15, fillsZero));
    return join(words, x.getType());
  }
  Value readLane(Value x, int64_t lane) const {
    SmallVector<Value> words = llvm::map_to_vector(split(x), [&](Value word) {
      return ROCDL::ReadlaneOp::create(b, loc, word.getType(), word, constant(lane)).getResult();
    });
    return join(words, x.getType());
  }

  /// The value of lane l XOR 2^bit.
  Value across(Value x, unsigned bit) const {
    SmallVector<Value> words = llvm::map_to_vector(split(x), [&](Value word) {
      if (bit >= 4)
        return throughLdsUnit(word, bit).second;
      return wordPartners(word, bit, /*below=*/false).second;
    });
    return join(words, x.getType());
  }

  /// The values of lanes l and l XOR 2^bit, in any order. `below`: the bits under this one are
  /// reduced already.
  std::pair<Value, Value> partners(Value x, unsigned bit, bool below) const {
    SmallVector<Value> mine, others;
    for (Value word : split(x)) {
      auto [one, other] = wordPartners(word, bit, below);
      mine.push_back(one);
      others.push_back(other);
    }
    return {join(mine, x.getType()), join(others, x.getType())};
  }

private:
  std::pair<Value, Value> wordPartners(Value x, unsigned bit, bool below) const {
    switch (bit) {
    case 0:
      return {x, permuteWord(x, kQuadXor1)};
    case 1:
      return {x, permuteWord(x, kQuadXor2)};
    case 2: {
      if (below)
        return {x, permuteWord(x, kRowHalfMirror)};
      Value up = dppWord(x, x, kRowShiftLeft4, 0b0101, false); // banks 0 and 2 read four lanes up
      return {x, dppWord(up, x, kRowShiftRight4, 0b1010, false)};
    }
    case 3:
      return {x, permuteWord(x, kRowRotate8)};
    default:
      return kernel.target->hasPermlaneSwap ? swapped(x, bit) : throughLdsUnit(x, bit);
    }
  }
  Value bits(Value x) const { return LLVM::BitcastOp::create(b, loc, b.getI32Type(), x); }

  std::pair<Value, Value> swapped(Value x, unsigned bit) const {
    Value word = bits(x);
    auto [low, high] = swapAcross(b, loc, kernel, word, word, bit);
    return {LLVM::BitcastOp::create(b, loc, x.getType(), low),
            LLVM::BitcastOp::create(b, loc, x.getType(), high)};
  }

  std::pair<Value, Value> throughLdsUnit(Value x, unsigned bit) const {
    Value word = bits(x), moved;
    if (bit == 4) {
      moved =
          ROCDL::DsSwizzleOp::create(b, loc, b.getI32Type(), word, constant(0x401F)); // lane XOR 16
    } else {
      Value other = LLVM::XOrOp::create(b, loc, kernel.lane, constant(32));
      moved = ROCDL::DsBpermuteOp::create(b, loc, b.getI32Type(),
                                          LLVM::ShlOp::create(b, loc, other, constant(2)), word);
    }
    return {x, LLVM::BitcastOp::create(b, loc, x.getType(), moved)};
  }
};

} // namespace tegula::cdna

#endif // TEGULA_LIB_CDNATOROCDL_LANEMOVES_H
