// DPP and permlane swaps on dwords.
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

SmallVector<Value> tegula::cdna::fromDwords(OpBuilder &b, Location loc, ValueRange words,
                                            RankedTensorType type) {
  Type element = registerType(type.getElementType());
  int64_t size = chunkSize(getLayout(type), type.getElementType());
  Type chunk = chunkType(element, size);
  int64_t bits = bitsOf(chunk);
  SmallVector<Value> chunks;
  for (int64_t first = 0; first < int64_t(words.size()); first += std::max<int64_t>(1, bits / 32)) {
    Value raw = words[first];
    if (bits < 32)
      raw = LLVM::TruncOp::create(b, loc, b.getIntegerType(bits), raw);
    else
      raw = concat(b, loc, words.slice(first, bits / 32));
    chunks.push_back(LLVM::BitcastOp::create(b, loc, chunk, raw));
  }
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
