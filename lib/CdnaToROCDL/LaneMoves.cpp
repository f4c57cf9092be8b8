// DPP, permlane swaps and the LDS unit's exchanges on dwords.
#include "LaneMoves.h"
#include "Address.h"

using namespace mlir;
using namespace tegula::cdna;

static int64_t bitsOf(Type type) {
  return getElementTypeOrSelf(type).getIntOrFloatBitWidth() * chunkCount(type);
}

SmallVector<Value> tegula::cdna::toDwords(OpBuilder &b, Location loc, ValueRange chunks) {
  SmallVector<Value> words;
  for (Value chunk : chunks) {
    int64_t bits = bitsOf(chunk.getType());
    if (bits < 32) {
      Value raw = LLVM::BitcastOp::create(b, loc, b.getIntegerType(bits), chunk);
      words.push_back(LLVM::ZExtOp::create(b, loc, b.getI32Type(), raw));
      continue;
    }
    Value raw = LLVM::BitcastOp::create(b, loc, chunkType(b.getI32Type(), bits / 32), chunk);
    llvm::append_range(words, rechunk(b, loc, raw, 1));
  }
  return words;
}

/// One value of at most as many dwords as there are.
static Value fromWords(OpBuilder &b, Location loc, ValueRange words, Type type) {
  int64_t bits = bitsOf(type);
  Value raw = bits < 32
                  ? LLVM::TruncOp::create(b, loc, b.getIntegerType(bits), words.front()).getResult()
                  : concat(b, loc, words.take_front(bits / 32));
  return raw.getType() == type ? raw : LLVM::BitcastOp::create(b, loc, type, raw).getResult();
}

SmallVector<Value> tegula::cdna::fromDwords(OpBuilder &b, Location loc, ValueRange words,
                                            RankedTensorType type) {
  Type chunk = chunkType(registerType(type.getElementType()),
                         chunkSize(getLayout(type), type.getElementType()));
  int64_t step = std::max<int64_t>(1, bitsOf(chunk) / 32);
  SmallVector<Value> chunks;
  for (; !words.empty(); words = words.drop_front(step))
    chunks.push_back(fromWords(b, loc, words, chunk));
  return chunks;
}

Value tegula::cdna::moveByDpp(OpBuilder &b, Location loc, Value old, Value x, int32_t control,
                              int32_t bankMask, bool boundControl) {
  return ROCDL::DPPUpdateOp::create(b, loc, x.getType(), old, x, control, 15, bankMask,
                                    boundControl);
}

/// Inside a quad: both registers moved, then chosen by the lane.
static std::pair<Value, Value> swapInQuad(OpBuilder &b, Location loc, const KernelContext &kernel,
                                          Value x, Value y, unsigned bit) {
  Int ints(b, loc);
  Value has = arith::CmpIOp::create(
      b, loc, arith::CmpIPredicate::ne,
      arith::AndIOp::create(b, loc, kernel.lane, ints.constant(int64_t(1) << bit)),
      ints.constant(0));
  auto moved = [&](Value v) {
    Value poison = LLVM::PoisonOp::create(b, loc, v.getType());
    return moveByDpp(b, loc, poison, v, bit == 0 ? kQuadXor1 : kQuadXor2, 15, true);
  };
  return {ints.select(has, moved(y), x), ints.select(has, y, moved(x))};
}

std::pair<Value, Value> tegula::cdna::swapAcross(OpBuilder &b, Location loc,
                                                 const KernelContext &kernel, Value x, Value y,
                                                 unsigned bit) {
  switch (bit) {
  case 0:
  case 1:
    return swapInQuad(b, loc, kernel, x, y, bit);
  case 2: // banks 1 and 3 have the bit
    return {moveByDpp(b, loc, x, y, kRowShiftRight4, 0b1010, false),
            moveByDpp(b, loc, y, x, kRowShiftLeft4, 0b0101, false)};
  case 3: // banks 2 and 3
    return {moveByDpp(b, loc, x, y, kRowRotate8, 0b1100, false),
            moveByDpp(b, loc, y, x, kRowRotate8, 0b0011, false)};
  default:
    break;
  }
  auto pair = LLVM::LLVMStructType::getLiteral(b.getContext(), {b.getI32Type(), b.getI32Type()});
  Value both = bit == 4
                   ? ROCDL::Permlane16SwapOp::create(b, loc, pair, x, y, false, false).getResult()
                   : ROCDL::Permlane32SwapOp::create(b, loc, pair, x, y, false, false).getResult();
  return {LLVM::ExtractValueOp::create(b, loc, both, 0),
          LLVM::ExtractValueOp::create(b, loc, both, 1)};
}

//===--- LaneMoves ---===//

Value LaneMoves::constant(int64_t x) const {
  return LLVM::ConstantOp::create(b, loc, b.getI32Type(), x);
}

/// The dwords of a value. One of 32 bits stays as it is, so that LLVM can fold the move into its
/// user.
SmallVector<Value> LaneMoves::split(Value x) const {
  return bitsOf(x.getType()) == 32 ? SmallVector<Value>{x} : toDwords(b, loc, x);
}

Value LaneMoves::join(ValueRange words, Type type) const { return fromWords(b, loc, words, type); }

Value LaneMoves::byWords(Value x, llvm::function_ref<Value(Value)> move) const {
  return join(llvm::map_to_vector(split(x), move), x.getType());
}

/// "old" is never read, which lets LLVM fold the move into its user.
Value LaneMoves::permuteWord(Value x, int32_t control) const {
  Value old = LLVM::PoisonOp::create(b, loc, x.getType());
  return moveByDpp(b, loc, old, x, control, 15, true);
}

Value LaneMoves::permute(Value x, int32_t control) const {
  return byWords(x, [&](Value word) { return permuteWord(word, control); });
}

Value LaneMoves::fromRowBefore(Value idle, Value x, int32_t control, bool fillsZero) const {
  SmallVector<Value> words;
  for (auto [old, word] : llvm::zip_equal(split(idle), split(x)))
    words.push_back(moveByDpp(b, loc, old, word, control, 15, fillsZero));
  return join(words, x.getType());
}

Value LaneMoves::readLane(Value x, int64_t lane) const {
  return byWords(x, [&](Value word) {
    return ROCDL::ReadlaneOp::create(b, loc, word.getType(), word, constant(lane)).getResult();
  });
}

Value LaneMoves::across(Value x, unsigned bit) const {
  return byWords(x, [&](Value word) {
    return (bit >= 4 ? throughLdsUnit(word, bit) : wordPartners(word, bit, /*below=*/false)).second;
  });
}

LaneMoves::Pair LaneMoves::partners(Value x, unsigned bit, bool below) const {
  SmallVector<Value> mine, others;
  for (Value word : split(x)) {
    auto [one, other] = wordPartners(word, bit, below);
    mine.push_back(one);
    others.push_back(other);
  }
  return {join(mine, x.getType()), join(others, x.getType())};
}

LaneMoves::Pair LaneMoves::wordPartners(Value x, unsigned bit, bool below) const {
  switch (bit) {
  case 0:
    return {x, permuteWord(x, kQuadXor1)};
  case 1:
    return {x, permuteWord(x, kQuadXor2)};
  case 2: {
    if (below)
      return {x, permuteWord(x, kRowHalfMirror)};
    // Banks 0 and 2 read four lanes up.
    Value up = moveByDpp(b, loc, x, x, kRowShiftLeft4, 0b0101, false);
    return {x, moveByDpp(b, loc, up, x, kRowShiftRight4, 0b1010, false)};
  }
  case 3:
    return {x, permuteWord(x, kRowRotate8)};
  default:
    return kernel.target->hasPermlaneSwap ? swapped(x, bit) : throughLdsUnit(x, bit);
  }
}

Value LaneMoves::bits(Value x) const { return LLVM::BitcastOp::create(b, loc, b.getI32Type(), x); }

LaneMoves::Pair LaneMoves::swapped(Value x, unsigned bit) const {
  Value word = bits(x);
  auto [low, high] = swapAcross(b, loc, kernel, word, word, bit);
  return {LLVM::BitcastOp::create(b, loc, x.getType(), low),
          LLVM::BitcastOp::create(b, loc, x.getType(), high)};
}

LaneMoves::Pair LaneMoves::throughLdsUnit(Value x, unsigned bit) const {
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
