// Random bits by Philox-4x32-10 (Salmon et al., "Parallel random numbers: as easy as 1, 2, 3",
// SC'11): ten rounds give four words, which the elements of a lane share where they can.
#include "Address.h"

using namespace mlir;
using namespace tegula::cdna;
using tegula::Layout;

namespace {

constexpr unsigned kRounds = 10;
constexpr int64_t kMultipliers[2] = {0xD2511F53, 0xCD9E8D57};
constexpr int64_t kKeySteps[2] = {0x9E3779B9, 0xBB67AE85};

/// The four words of a counter.
std::array<Value, 4> philox(Int &ints, Value counter, Value seed) {
  Value zero = ints.constant(0), keys[2] = {seed, zero};
  std::array<Value, 4> c = {counter, zero, zero, zero};
  for (unsigned round = 0; round < kRounds; ++round) {
    auto product = [&](unsigned i) {
      return arith::MulUIExtendedOp::create(ints.b, ints.loc, c[2 * i],
                                            ints.constant(int32_t(kMultipliers[i])));
    };
    auto first = product(0), second = product(1);
    c = {ints.exclusiveOr(ints.exclusiveOr(second.getHigh(), c[1]), keys[0]), second.getLow(),
         ints.exclusiveOr(ints.exclusiveOr(first.getHigh(), c[3]), keys[1]), first.getLow()};
    for (unsigned i = 0; i < 2; ++i)
      keys[i] = ints.add(keys[i], ints.constant(int32_t(kKeySteps[i])));
  }
  return c;
}

/// Word `index` mod 4 of a counter's.
Value chosenWord(Int &ints, const std::array<Value, 4> &words, Value index) {
  Value number = arith::AndIOp::create(ints.b, ints.loc, index, ints.constant(3));
  Value word = words[3];
  for (int64_t i = 2; i >= 0; --i)
    word = ints.select(ints.less(number, ints.constant(i + 1)), words[i], word);
  return word;
}

/// The words of a tile's registers.
class TileWords {
public:
  TileWords(RankedTensorType tile, const KernelContext &kernel, Int &ints, Value seed)
      : tile(tile), layout(getLayout(tile).toLayout()), coordinates(layout, kernel, ints),
        ints(ints), seed(seed), aligned(lanesHoldWholeCounters()) {}

  Value ofRegister(int64_t reg) {
    SmallVector<Value> bases;
    int64_t offset = 0, stride = 1;
    for (int64_t d = tile.getRank() - 1; d >= 0; --d) {
      Coordinates::Place place = coordinates.at(d, reg);
      bases.push_back(place.base);
      offset += place.offset * stride;
      stride *= tile.getDimSize(d);
    }
    if (!aligned) {
      Value index = ints.add(rowMajor(bases), offset);
      return chosenWord(ints, philox(ints, quarter(index), seed), index);
    }
    auto [it, isNew] = words.try_emplace({llvm::map_to_vector(bases, pointerOf), offset / 4});
    if (isNew)
      it->second = philox(ints, ints.add(quarter(rowMajor(bases)), offset / 4), seed);
    return it->second[offset % 4];
  }

private:
  using Key = std::pair<SmallVector<const void *>, int64_t>;
  static const void *pointerOf(Value value) { return value.getAsOpaquePointer(); }

  /// The index of an element from its coordinates, the last one first.
  Value rowMajor(ArrayRef<Value> coordinate) {
    Value index = ints.constant(0);
    int64_t stride = 1;
    for (int64_t d = tile.getRank() - 1; d >= 0; --d) {
      index = ints.add(index, ints.mul(coordinate[tile.getRank() - 1 - d], stride));
      stride *= tile.getDimSize(d);
    }
    return index;
  }
  Value quarter(Value index) {
    if (std::optional<int64_t> known = Int::asConstant(index))
      return ints.constant(*known / 4);
    return arith::ShRUIOp::create(ints.b, ints.loc, index, ints.constant(2));
  }
  /// Lanes, waves and rows add multiples of four, so that words can be told apart beforehand.
  bool lanesHoldWholeCounters() const {
    int64_t last = tile.getRank() - 1;
    bool whole = tile.getDimSize(last) % 4 == 0 || tile.getNumElements() == tile.getDimSize(last);
    for (const tegula::Bases *bases : {&layout.lane, &layout.wave})
      for (const tegula::Basis &vector : *bases)
        whole &= vector[last] % 4 == 0;
    return whole && layout.waveRepeat(unsigned(last)) == 1;
  }

  RankedTensorType tile;
  Layout layout;
  Coordinates coordinates;
  Int &ints;
  Value seed;
  bool aligned;
  std::map<Key, std::array<Value, 4>> words;
};

struct Random : CdnaPattern<RandomOp> {
  using CdnaPattern::CdnaPattern;
  LogicalResult matchAndRewrite(RandomOp op, OneToNOpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const final {
    Int ints(rewriter, op.getLoc());
    Value seed = adaptor.getSeed().front();
    auto tile = dyn_cast<RankedTensorType>(op.getType());
    if (!tile) {
      rewriter.replaceOp(op, philox(ints, ints.constant(0), seed).front());
      return success();
    }
    TileWords words(tile, kernel, ints, seed);
    SmallVector<Value> registers;
    for (int64_t r = 0; r < getLayout(tile).numRegisters(); ++r)
      registers.push_back(words.ofRegister(r));
    SmallVector<Value> chunks = toChunks(rewriter, op.getLoc(), registers, tile);
    replaceWithValues(rewriter, op, chunks);
    return success();
  }
};

} // namespace

void tegula::cdna::populateRandomPatterns(RewritePatternSet &patterns,
                                          const TypeConverter &converter,
                                          const KernelContext &context) {
  patterns.add<Random>(converter, context);
}
