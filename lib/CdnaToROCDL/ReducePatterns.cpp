// Reductions inside a lane and across the lanes of a wave.
#include "Address.h"
#include "LaneMoves.h"

using namespace mlir;
using namespace tegula::cdna;
using tegula::Layout;

//===-- combining
//---------------------------------------------------------------------------------------------===//

static Value combine(OpBuilder &b, Location loc, ReduceKind kind, Value x, Value y) {
  bool isFloat = isa<FloatType>(getElementTypeOrSelf(x.getType()));
  switch (kind) {
  case ReduceKind::Add:
    return isFloat ? arith::AddFOp::create(b, loc, x, y).getResult()
                   : arith::AddIOp::create(b, loc, x, y).getResult();
  case ReduceKind::Mul:
    return isFloat ? arith::MulFOp::create(b, loc, x, y).getResult()
                   : arith::MulIOp::create(b, loc, x, y).getResult();
  case ReduceKind::Max: // a NaN wins
    return isFloat ? arith::MaximumFOp::create(b, loc, x, y).getResult()
                   : arith::MaxSIOp::create(b, loc, x, y).getResult();
  case ReduceKind::Min:
    return isFloat ? arith::MinimumFOp::create(b, loc, x, y).getResult()
                   : arith::MinSIOp::create(b, loc, x, y).getResult();
  case ReduceKind::And:
    return arith::AndIOp::create(b, loc, x, y);
  case ReduceKind::Or:
    return arith::OrIOp::create(b, loc, x, y);
  case ReduceKind::Xor:
    return arith::XOrIOp::create(b, loc, x, y);
  }
  llvm_unreachable("every kind is above");
}

/// A balanced tree over values of one type, neighbours first.
static Value tree(OpBuilder &b, Location loc, ReduceKind kind, ArrayRef<Value> values) {
  SmallVector<Value> level(values);
  while (level.size() > 1) {
    SmallVector<Value> next;
    for (unsigned i = 0; i + 1 < level.size(); i += 2)
      next.push_back(combine(b, loc, kind, level[i], level[i + 1]));
    if (level.size() % 2)
      next.push_back(level.back());
    level = next;
  }
  return level.front();
}

namespace {

struct ReduceRegisters : CdnaPattern<ReduceRegistersOp> {
  using CdnaPattern::CdnaPattern;

  /// The register of the result that register `r` goes to: its bits and repeats of the axis are
  /// taken out.
  static int64_t target(const Layout &layout, unsigned axis, int64_t r) {
    int64_t result = 0, bit = 0;
    for (unsigned i = 0; i < layout.reg.size(); ++i)
      if (layout.reg[i][axis] == 0)
        result |= (r >> i & 1) << bit++;
    int64_t repeats = r >> layout.reg.size(), weight = int64_t(1) << bit;
    for (unsigned d = layout.rank(); d-- > 0; repeats /= layout.repeat[d]) {
      if (d == axis)
        continue;
      result += weight * (repeats % layout.repeat[d]);
      weight *= layout.repeat[d];
    }
    return result;
  }

  /// Everything into one register: whole chunks first, for packed arithmetic, then halves.
  static Value all(OpBuilder &b, Location loc, ReduceKind kind, ValueRange chunks) {
    Value sum = tree(b, loc, kind, SmallVector<Value>(chunks));
    for (int64_t size = chunkCount(sum.getType()); size > 1; size /= 2)
      sum = combine(b, loc, kind, extractRange(b, loc, sum, 0, size / 2),
                    extractRange(b, loc, sum, size / 2, size / 2));
    return sum;
  }

  LogicalResult matchAndRewrite(ReduceRegistersOp op, OneToNOpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const final {
    Location loc = op.getLoc();
    SmallVector<Value> results(getLayout(op.getType()).numRegisters());
    if (results.size() == 1) {
      results[0] = all(rewriter, loc, op.getKind(), adaptor.getValue());
    } else {
      Layout layout = getLayout(op.getValue().getType()).toLayout();
      SmallVector<SmallVector<Value>> groups(results.size());
      for (auto [r, value] : llvm::enumerate(toRegisters(rewriter, loc, adaptor.getValue())))
        groups[target(layout, op.getAxis(), r)].push_back(value);
      for (auto [result, group] : llvm::zip(results, groups))
        result = tree(rewriter, loc, op.getKind(), group);
    }
    rewriter.replaceOpWithMultiple(
        op, SmallVector<ValueRange>{toChunks(rewriter, loc, results, op.getType())});
    return success();
  }
};

//===-- lanes
//-------------------------------------------------------------------------------------------------===//

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

struct ReduceLanes : CdnaPattern<ReduceLanesOp> {
  using CdnaPattern::CdnaPattern;

  /// All 64 lanes: rows, then row 3 collects the rows before it, then lane 63 holds all and becomes
  /// a scalar.
  void reduceWave(const LaneMoves &moves, ReduceKind kind, MutableArrayRef<Value> values) const {
    Type type = values.front().getType();
    bool fillsZero = kind == ReduceKind::Add; // what the bound control writes; folds into the add
    Value idle = fillsZero ? LLVM::PoisonOp::create(moves.b, moves.loc, type).getResult()
                           : splatConstant(moves.b, moves.loc, type,
                                           tegula::tile::neutralElement(kind, type));
    for (int32_t control : {kQuadXor1, kQuadXor2, kRowHalfMirror, kRowMirror})
      for (Value &x : values)
        x = combine(moves.b, moves.loc, kind, x, moves.permute(x, control));
    for (int32_t control : {kRowBroadcast15, kRowBroadcast31})
      for (Value &x : values)
        x = combine(moves.b, moves.loc, kind, x, moves.fromRowBefore(idle, x, control, fillsZero));
    for (Value &x : values)
      x = moves.readLane(x, 63);
  }

  LogicalResult matchAndRewrite(ReduceLanesOp op, OneToNOpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const final {
    Location loc = op.getLoc();
    SmallVector<Value> values = toRegisters(rewriter, loc, adaptor.getValue());
    LaneMoves moves{rewriter, loc, kernel};
    SmallVector<int32_t> bits(op.getBits());
    llvm::sort(bits);
    // With swap instructions the butterfly is as short for everything but a sum, and needs no
    // scalar at the end.
    if (bits.size() == 6 && (op.getKind() == ReduceKind::Add || !kernel.target->hasPermlaneSwap)) {
      reduceWave(moves, op.getKind(), values);
    } else {
      for (auto [i, bit] : llvm::enumerate(bits))
        for (Value &x : values) { // registers side by side: they hide each other's latency
          auto [mine, other] = moves.partners(x, bit, /*below=*/static_cast<int32_t>(i) == bit);
          x = combine(rewriter, loc, op.getKind(), mine, other);
        }
    }
    rewriter.replaceOpWithMultiple(
        op, SmallVector<ValueRange>{toChunks(rewriter, loc, values, op.getType())});
    return success();
  }
};

} // namespace

void tegula::cdna::populateReducePatterns(RewritePatternSet &patterns,
                                          const TypeConverter &converter,
                                          const KernelContext &context) {
  patterns.add<ReduceRegisters, ReduceLanes>(converter, context);
}
