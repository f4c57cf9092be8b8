// Cutting tiles into chunks and back.
#include "Chunks.h"

using namespace mlir;
using namespace tegula::cdna;

Type tegula::cdna::registerType(Type element) {
  if (element.isIntOrFloat() && element.getIntOrFloatBitWidth() <= 8 && isa<FloatType>(element))
    return IntegerType::get(element.getContext(), 8);
  return element;
}

/// Whether the registers start with the accumulator of a 32x32 instruction: along one dimension 1,
/// 2, 8, 16 in registers and 4 in lane bit 5, along the other one the low five lane bits.
static bool is32x32Accumulator(const tegula::Layout &l) {
  if (l.rank() != 2 || l.reg.size() < 4)
    return false;
  const int32_t along[4] = {1, 2, 8, 16};
  for (unsigned d = 0; d < 2; ++d) {
    bool fits = l.lane[5][d] == 4 && l.lane[5][1 - d] == 0;
    for (unsigned bit = 0; bit < 4; ++bit)
      fits &= l.reg[bit][d] == along[bit] && l.reg[bit][1 - d] == 0;
    for (unsigned bit = 0; bit < 5; ++bit)
      fits &= l.lane[bit][1 - d] == 1 << bit && l.lane[bit][d] == 0;
    if (fits)
      return true;
  }
  return false;
}

int64_t tegula::cdna::chunkSize(LayoutAttr layout, Type element) {
  if (element.isF32() && is32x32Accumulator(layout.toLayout()))
    return 16;
  // Never across repeats: the base tile's registers are a power of two.
  return std::min<int64_t>(int64_t(1) << layout.numRegBits(), 128 / elementBits(element));
}

Type tegula::cdna::chunkType(Type element, int64_t count) {
  return count == 1 ? element : VectorType::get({count}, element);
}

int64_t tegula::cdna::chunkCount(Type type) {
  auto vector = dyn_cast<VectorType>(type);
  return vector ? vector.getNumElements() : 1;
}

static Value extractElement(OpBuilder &b, Location loc, Value chunk, int64_t index) {
  if (chunkCount(chunk.getType()) == 1)
    return chunk;
  Value position = LLVM::ConstantOp::create(b, loc, b.getI32Type(), index);
  return LLVM::ExtractElementOp::create(b, loc, chunk, position);
}

static Value insertAll(OpBuilder &b, Location loc, ValueRange scalars) {
  Type type = VectorType::get({(int64_t)scalars.size()}, scalars.front().getType());
  Value result = LLVM::PoisonOp::create(b, loc, type);
  for (auto [i, scalar] : llvm::enumerate(scalars)) {
    Value position = LLVM::ConstantOp::create(b, loc, b.getI32Type(), i);
    result = LLVM::InsertElementOp::create(b, loc, result, scalar, position);
  }
  return result;
}

/// Bytes in whole dwords are handled as dwords: LLVM takes vectors of bytes apart into single ones.
static bool isDwordsOfBytes(Type type) {
  return getElementTypeOrSelf(type).isInteger(8) && chunkCount(type) % 4 == 0;
}
static Value asDwords(OpBuilder &b, Location loc, Value bytes) {
  return LLVM::BitcastOp::create(b, loc, chunkType(b.getI32Type(), chunkCount(bytes.getType()) / 4),
                                 bytes);
}
static Value asBytes(OpBuilder &b, Location loc, Value dwords) {
  return LLVM::BitcastOp::create(
      b, loc, VectorType::get({4 * chunkCount(dwords.getType())}, b.getI8Type()), dwords);
}

Value tegula::cdna::concat(OpBuilder &b, Location loc, ValueRange pieces) {
  SmallVector<Value> level(pieces);
  if (level.size() > 1 && isDwordsOfBytes(level.front().getType())) {
    for (Value &piece : level)
      piece = asDwords(b, loc, piece);
    return asBytes(b, loc, concat(b, loc, level));
  }
  if (level.size() > 1 && chunkCount(level.front().getType()) == 1)
    return insertAll(b, loc, level);
  while (level.size() > 1) {
    SmallVector<Value> joined;
    for (unsigned i = 0; i + 1 < level.size(); i += 2) {
      int64_t count = 2 * chunkCount(level[i].getType());
      SmallVector<int32_t> mask = llvm::to_vector(llvm::seq<int32_t>(0, count));
      joined.push_back(LLVM::ShuffleVectorOp::create(b, loc, level[i], level[i + 1], mask));
    }
    level = joined;
  }
  return level.front();
}

Value tegula::cdna::extractRange(OpBuilder &b, Location loc, ValueRange chunks, int64_t first,
                                 int64_t count) {
  int64_t size = chunkCount(chunks.front().getType());
  if (count > size)
    return concat(b, loc, chunks.slice(first / size, count / size));
  Value chunk = chunks[first / size];
  if (count == size)
    return chunk;
  if (count == 1)
    return extractElement(b, loc, chunk, first % size);
  if (isDwordsOfBytes(chunk.getType()) && first % 4 == 0 && count % 4 == 0)
    return asBytes(b, loc,
                   extractRange(b, loc, asDwords(b, loc, chunk), first % size / 4, count / 4));
  SmallVector<int32_t> mask =
      llvm::to_vector(llvm::seq<int32_t>(first % size, first % size + count));
  return LLVM::ShuffleVectorOp::create(b, loc, chunk,
                                       LLVM::PoisonOp::create(b, loc, chunk.getType()), mask);
}

SmallVector<Value> tegula::cdna::rechunk(OpBuilder &b, Location loc, ValueRange chunks,
                                         int64_t size) {
  int64_t total = chunks.size() * chunkCount(chunks.front().getType());
  SmallVector<Value> result;
  for (int64_t first = 0; first < total; first += size)
    result.push_back(extractRange(b, loc, chunks, first, size));
  return result;
}

SmallVector<Value> tegula::cdna::toRegisters(OpBuilder &b, Location loc, ValueRange chunks) {
  return rechunk(b, loc, chunks, 1);
}

SmallVector<Value> tegula::cdna::toChunks(OpBuilder &b, Location loc, ValueRange registers,
                                          RankedTensorType type) {
  int64_t size = chunkSize(getLayout(type), type.getElementType());
  SmallVector<Value> chunks;
  for (int64_t first = 0; first < (int64_t)registers.size(); first += size)
    chunks.push_back(concat(b, loc, registers.slice(first, size)));
  return chunks;
}

namespace {

/// Bytes of several dwords brought together by v_perm_b32.
class BytePermutes {
public:
  BytePermutes(OpBuilder &b, Location loc, ValueRange chunks) : b(b), loc(loc) {
    for (Value chunk : chunks)
      llvm::append_range(dwords, rechunk(b, loc, asDwords(b, loc, chunk), 1));
  }

  /// Byte i of the result is byte `sources[i]` of the tile.
  Value gather(ArrayRef<int64_t> sources) {
    SmallVector<Value> words;
    for (int64_t first = 0; first < int64_t(sources.size()); first += 4)
      words.push_back(word(sources.slice(first, 4)));
    return asBytes(b, loc, concat(b, loc, words));
  }

private:
  Value word(ArrayRef<int64_t> sources) {
    SmallVector<int64_t, 4> from = llvm::map_to_vector<4>(sources, [](int64_t s) { return s / 4; });
    // By pairs, each pair from two dwords. Where four rows give the same column, the pair takes the
    // next column along: that column's dword needs the same two permutes.
    bool column = llvm::all_equal(llvm::map_range(sources, [](int64_t s) { return s % 4; }));
    int64_t low = sources[0] % 4 & ~1, half = column ? sources[0] % 2 * 2 : 0;
    auto pairOf = [&](unsigned i) {
      int64_t x = sources[i] % 4, y = sources[i + 1] % 4;
      return column ? permute(from[i], from[i + 1], {low, low + 4, low + 1, low + 5})
                    : permute(from[i], from[i + 1], {x, y + 4, x, y + 4});
    };
    if (from[0] == from[2] && from[1] == from[3])
      return permute(from[0], from[1],
                     {sources[0] % 4, sources[1] % 4 + 4, sources[2] % 4, sources[3] % 4 + 4});
    return permute(pairOf(0), pairOf(2), {half, half + 1, half + 4, half + 5});
  }

  Value permute(int64_t x, int64_t y, std::array<int64_t, 4> bytes) {
    return permute(dwords[x], dwords[y], bytes);
  }
  /// Bytes 0 to 3 are x's, 4 to 7 are y's. (The instruction counts its second operand first.)
  Value permute(Value x, Value y, std::array<int64_t, 4> bytes) {
    int64_t selector = 0;
    for (auto [i, byte] : llvm::enumerate(bytes))
      selector |= byte << (8 * i);
    Value &known = made[{x, y, selector}];
    if (!known) {
      Value select =
          LLVM::ConstantOp::create(b, loc, b.getI32Type(), b.getI32IntegerAttr(int32_t(selector)));
      known =
          LLVM::CallIntrinsicOp::create(b, loc, b.getI32Type(), b.getStringAttr("llvm.amdgcn.perm"),
                                        ValueRange{y, x, select})
              .getResult(0);
    }
    return known;
  }

  OpBuilder &b;
  Location loc;
  SmallVector<Value> dwords;
  llvm::DenseMap<std::tuple<Value, Value, int64_t>, Value> made;
};

} // namespace

SmallVector<Value> tegula::cdna::gatherRegisters(OpBuilder &b, Location loc, ValueRange chunks,
                                                 ArrayRef<int64_t> sources, RankedTensorType type) {
  int64_t size = chunkSize(getLayout(type), type.getElementType());
  SmallVector<Value> result;
  std::optional<BytePermutes> bytes;
  if (isDwordsOfBytes(chunks.front().getType()) && size % 4 == 0)
    bytes.emplace(b, loc, chunks);
  for (int64_t first = 0; first < (int64_t)sources.size(); first += size) {
    ArrayRef<int64_t> part = sources.slice(first, size);
    int64_t from = chunkCount(chunks.front().getType());
    bool isRun = part[0] % size == 0 && from % size == 0;
    for (int64_t i = 0; i < size; ++i)
      isRun &= part[i] == part[0] + i;
    if (isRun) {
      result.push_back(extractRange(b, loc, chunks, part[0], size));
      continue;
    }
    if (bytes) {
      result.push_back(bytes->gather(part));
      continue;
    }
    SmallVector<Value> registers =
        llvm::map_to_vector(part, [&](int64_t r) { return extractRange(b, loc, chunks, r, 1); });
    result.push_back(concat(b, loc, registers));
  }
  return result;
}

Value tegula::cdna::splatConstant(OpBuilder &b, Location loc, Type type, TypedAttr value) {
  TypedAttr attribute = value;
  Type element = getElementTypeOrSelf(type);
  if (value.getType() != element) // an f8 constant: its bits, as a byte
    attribute = b.getIntegerAttr(element, cast<FloatAttr>(value).getValue().bitcastToAPInt().zext(
                                              element.getIntOrFloatBitWidth()));
  if (auto vector = dyn_cast<VectorType>(type))
    attribute = DenseElementsAttr::get(vector, Attribute(attribute));
  return arith::ConstantOp::create(b, loc, attribute);
}

Type tegula::cdna::memoryType(OpBuilder &b, int64_t bytes) {
  return bytes > 4 ? Type(VectorType::get({bytes / 4}, b.getI32Type()))
                   : Type(b.getIntegerType(8 * bytes));
}

/// The type of `count` elements in memory: a lane mask is a byte there.
static Type storedType(OpBuilder &b, Type element, int64_t count) {
  return chunkType(element.isInteger(1) ? Type(b.getI8Type()) : element, count);
}

static Value bitcast(OpBuilder &b, Location loc, Value value, Type type) {
  return value.getType() == type ? value : LLVM::BitcastOp::create(b, loc, type, value).getResult();
}

static Value zero(OpBuilder &b, Location loc, Type type) {
  Type element = getElementTypeOrSelf(type);
  return splatConstant(b, loc, type, cast<TypedAttr>(b.getZeroAttr(element)));
}

Value tegula::cdna::fromMemory(OpBuilder &b, Location loc, Value raw, Type element, int64_t count) {
  Value stored = bitcast(b, loc, raw, storedType(b, element, count));
  if (!element.isInteger(1))
    return stored;
  return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ne, stored,
                               zero(b, loc, stored.getType()));
}

Value tegula::cdna::toMemory(OpBuilder &b, Location loc, Value piece, Type element, int64_t count) {
  if (element.isInteger(1))
    piece = arith::ExtUIOp::create(b, loc, storedType(b, element, count), piece);
  return bitcast(b, loc, piece, memoryType(b, count * elementBytes(element)));
}

ValueConverter::ValueConverter() {
  addConversion([](Type type) { return type; });
  addConversion([](FloatType type) { return registerType(type); });
  addConversion([](RankedTensorType type,
                   SmallVectorImpl<Type> &out) -> std::optional<LogicalResult> {
    LayoutAttr layout = getLayout(type);
    if (!layout)
      return std::nullopt;
    int64_t size = chunkSize(layout, type.getElementType());
    out.append(layout.numRegisters() / size, chunkType(registerType(type.getElementType()), size));
    return success();
  });
  addConversion([](BufferType type, SmallVectorImpl<Type> &out) -> std::optional<LogicalResult> {
    out.push_back(LLVM::LLVMPointerType::get(type.getContext(), 8));
    auto dynamic = [](ArrayRef<int64_t> list) {
      return llvm::count_if(list, ShapedType::isDynamic);
    };
    out.append(dynamic(type.getStrides()) + dynamic(type.getShape()),
               IntegerType::get(type.getContext(), 32));
    return success();
  });
  addConversion([](SlotType type) -> Type { return IntegerType::get(type.getContext(), 32); });
  auto nothing = [](SmallVectorImpl<Type> &) -> std::optional<LogicalResult> { return success(); };
  addConversion([=](LdsType, SmallVectorImpl<Type> &out) { return nothing(out); });
  addConversion([=](TokenType, SmallVectorImpl<Type> &out) { return nothing(out); });
  addSourceMaterialization([](OpBuilder &b, Type type, ValueRange inputs, Location loc) -> Value {
    return UnrealizedConversionCastOp::create(b, loc, type, inputs).getResult(0);
  });
  addTargetMaterialization(
      [](OpBuilder &b, TypeRange types, ValueRange inputs, Location loc) -> SmallVector<Value> {
        return llvm::to_vector_of<Value>(
            UnrealizedConversionCastOp::create(b, loc, types, inputs).getResults());
      });
}
