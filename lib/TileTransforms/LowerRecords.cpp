// tile-lower-records: assertions and prints write records to a hidden argument; see Passes.td.
#include "GridCount.h"
#include "dialects/tile/TileBounds.h"
#include "tegula/Support/Diagnostics.h"
#include "tegula/TileTransforms/Passes.h"

namespace tegula::tile {
#define GEN_PASS_DEF_LOWERRECORDSPASS
#include "tegula/TileTransforms/Passes.h.inc"
} // namespace tegula::tile

using namespace mlir;
using namespace tegula::tile;

namespace {

// Words in front of a record's values: site, words in all, the workgroup's place, failing element.
constexpr int64_t kPrefixWords = 6;

/// What one op of a kernel writes, at one place.
class RecordWriter {
public:
  RecordWriter(KernelOp kernel, Value records, Operation *op, int64_t site)
      : kernel(kernel), records(records), builder(op), loc(op->getLoc()), site(site) {}

  void lower(AssertOp op);
  void lower(PrintOp op);

private:
  Value i32(int64_t value) { return arith::ConstantIntOp::create(builder, loc, value, 32); }
  Value i64(int64_t value) { return arith::ConstantIntOp::create(builder, loc, value, 64); }
  RankedTensorType tileOf(ArrayRef<int64_t> shape, unsigned bits) {
    return RankedTensorType::get(shape, builder.getIntegerType(bits));
  }
  Value splat(RankedTensorType type, int64_t value) {
    auto number = builder.getIntegerAttr(type.getElementType(), value);
    return arith::ConstantOp::create(builder, loc, SplatElementsAttr::get(type, number));
  }
  Value spread(RankedTensorType type, Value scalar) {
    return BroadcastOp::create(builder, loc, type, scalar);
  }
  template <typename Op> Value make(Value a, Value b) {
    return builder.createOrFold<Op>(loc, a, b);
  }
  Value compare(arith::CmpIPredicate predicate, Value a, Value b) {
    return arith::CmpIOp::create(builder, loc, predicate, a, b);
  }

  Value numbersOf(ArrayRef<int64_t> shape);
  Value reduced(ReduceKind kind, Value tile);
  Value asWord(Value value, bool isUnsigned);
  Value programId(unsigned axis);
  Value take(int64_t words);
  void write(ArrayRef<Value> words, Value first);
  void writeRecord(Value element, ArrayRef<Value> words);
  void scatter(Value tile, Value first);

  KernelOp kernel;
  Value records;
  OpBuilder builder;
  Location loc;
  int64_t site;
};

} // namespace

/// Which holes of a format are for unsigned numbers.
static SmallVector<bool> unsignedHoles(StringRef format) {
  SmallVector<bool> holes;
  for (size_t i = 0; i < format.size(); ++i) {
    StringRef rest = format.substr(i);
    if (rest.starts_with("{{") || rest.starts_with("}}"))
      ++i;
    else if (rest.starts_with("{"))
      holes.push_back(rest.starts_with("{u}"));
  }
  return holes;
}

static bool isTile(Value value) {
  auto tile = dyn_cast<RankedTensorType>(value.getType());
  return tile && tile.getRank() > 0;
}

/// Row-major numbers of a tile's elements, as i32.
Value RecordWriter::numbersOf(ArrayRef<int64_t> shape) {
  RankedTensorType type = tileOf(shape, 32);
  Value total;
  int64_t weight = 1;
  for (unsigned d = shape.size(); d-- > 0; weight *= shape[d]) {
    Value along = IotaOp::create(builder, loc, type, d);
    if (weight != 1)
      along = arith::MulIOp::create(builder, loc, along, splat(type, weight));
    total = total ? arith::AddIOp::create(builder, loc, total, along) : along;
  }
  return total;
}

/// All elements of a tile as a scalar.
Value RecordWriter::reduced(ReduceKind kind, Value tile) {
  auto type = cast<RankedTensorType>(tile.getType());
  SmallVector<int64_t> shape(type.getShape());
  for (unsigned d = 0; d < shape.size(); ++d) {
    if (shape[d] == 1)
      continue;
    shape[d] = 1;
    auto part = RankedTensorType::get(shape, type.getElementType());
    tile = ReduceOp::create(builder, loc, part, kind, tile, d);
  }
  return ElementOp::create(builder, loc, type.getElementType(), tile);
}

/// Numbers as words of 64 bits: integers extended, floats as an f64.
Value RecordWriter::asWord(Value value, bool isUnsigned) {
  Type element = getElementTypeOrSelf(value);
  auto with = [&](Type other) -> Type {
    auto tile = dyn_cast<RankedTensorType>(value.getType());
    return tile ? Type(tile.clone(other)) : other;
  };
  Type word = with(builder.getI64Type());
  if (isa<FloatType>(element)) {
    if (!element.isF64())
      value = arith::ExtFOp::create(builder, loc, with(builder.getF64Type()), value);
    return BitcastOp::create(builder, loc, word, value);
  }
  if (element.isInteger(64))
    return value;
  return isUnsigned || element.isInteger(1)
             ? arith::ExtUIOp::create(builder, loc, word, value).getResult()
             : arith::ExtSIOp::create(builder, loc, word, value).getResult();
}

Value RecordWriter::programId(unsigned axis) {
  FuncOp grid = gridOf(kernel);
  if (axis >= (grid ? grid.getFunctionType().getNumResults() : 1))
    return i64(0);
  Value id = ProgramIdOp::create(builder, loc, axis);
  return arith::ExtUIOp::create(builder, loc, builder.getI64Type(), id);
}

/// Where the next `words` words are this record's: an index into the argument.
Value RecordWriter::take(int64_t words) {
  RankedTensorType one = tileOf({1}, 64);
  auto counted = AtomicRmwOp::create(builder, loc, one, AtomicKind::Add, splat(one, words), records,
                                     ValueRange{i32(0)}, MemoryOrder::Relaxed, MemoryScope::Agent);
  Value begin = ElementOp::create(builder, loc, builder.getI64Type(), counted.getOld());
  return make<arith::AddIOp>(begin, i64(kRecordHeader));
}

/// Words one behind the other; what does not fit is outside the view, and dropped.
void RecordWriter::scatter(Value tile, Value first) {
  auto type = cast<RankedTensorType>(tile.getType());
  Value numbers = numbersOf(type.getShape());
  Value index = arith::AddIOp::create(
      builder, loc, arith::ExtUIOp::create(builder, loc, type, numbers), spread(type, first));
  ScatterOp::create(builder, loc, tile, records, ValueRange{index}, Value());
}

void RecordWriter::write(ArrayRef<Value> words, Value first) {
  int64_t count = words.size();
  RankedTensorType type = tileOf({count}, 64);
  Value place = numbersOf({count}), head = spread(type, words[0]);
  for (int64_t i = 1; i < count; ++i) {
    Value here = compare(arith::CmpIPredicate::eq, place, splat(tileOf({count}, 32), i));
    head = arith::SelectOp::create(builder, loc, here, spread(type, words[i]), head);
  }
  scatter(head, first);
}

/// Scalars stand in front of tiles, whatever their order in the format; the site says so.
void RecordWriter::writeRecord(Value element, ArrayRef<Value> words) {
  SmallVector<Value> head, tiles;
  int64_t total = kPrefixWords;
  for (Value word : words) {
    (isTile(word) ? tiles : head).push_back(word);
    total += isTile(word) ? cast<RankedTensorType>(word.getType()).getNumElements() : 1;
  }
  head.insert(head.begin(),
              {i64(site), i64(total), programId(0), programId(1), programId(2), element});
  Value first = take(total);
  write(head, first);
  int64_t offset = head.size();
  for (Value tile : tiles) {
    scatter(tile, make<arith::AddIOp>(first, i64(offset)));
    offset += cast<RankedTensorType>(tile.getType()).getNumElements();
  }
}

void RecordWriter::lower(AssertOp op) {
  Value condition = op.getCondition(), first, numbers;
  if (!isTile(condition)) {
    if (isa<RankedTensorType>(condition.getType()))
      condition = ElementOp::create(builder, loc, builder.getI1Type(), condition);
    condition = make<arith::XOrIOp>(condition, arith::ConstantIntOp::create(builder, loc, 1, 1));
    first = i32(0);
  } else {
    auto type = cast<RankedTensorType>(condition.getType());
    numbers = numbersOf(type.getShape());
    Value none = splat(tileOf(type.getShape(), 32), INT32_MAX);
    Value failing = arith::SelectOp::create(builder, loc, condition, none, numbers);
    first = reduced(ReduceKind::Min, failing);
    condition = compare(arith::CmpIPredicate::ne, first, i32(INT32_MAX));
  }
  auto branch = scf::IfOp::create(builder, loc, condition);
  builder.setInsertionPoint(branch.thenBlock()->getTerminator());
  SmallVector<bool> isUnsigned = unsignedHoles(op.getMessage());
  SmallVector<Value> words;
  for (auto [i, value] : llvm::enumerate(op.getValues())) {
    Value word = asWord(value, isUnsigned[i]);
    if (auto type = dyn_cast<RankedTensorType>(word.getType())) {
      if (isTile(word)) {
        Value here =
            compare(arith::CmpIPredicate::eq, numbers, spread(tileOf(type.getShape(), 32), first));
        word = arith::SelectOp::create(builder, loc, here, word, splat(type, 0));
      }
      word = reduced(ReduceKind::Add, word);
    }
    words.push_back(word);
  }
  writeRecord(arith::ExtUIOp::create(builder, loc, builder.getI64Type(), first), words);
  ExitOp::create(builder, loc);
  op.erase();
}

void RecordWriter::lower(PrintOp op) {
  SmallVector<bool> isUnsigned = unsignedHoles(op.getFormat());
  SmallVector<Value> words;
  for (auto [i, value] : llvm::enumerate(op.getValues())) {
    Value word = asWord(value, isUnsigned[i]);
    if (isa<RankedTensorType>(word.getType()) && !isTile(word))
      word = ElementOp::create(builder, loc, builder.getI64Type(), word);
    words.push_back(word);
  }
  writeRecord(i64(0), words);
  op.erase();
}

//===--- What a record's site tells the host ---===//

static Attribute placesOf(Builder &b, Location loc) {
  std::vector<tegula::SourcePoint> points = tegula::callsOf(loc);
  points.insert(points.begin(), tegula::sourcePoint(loc));
  SmallVector<Attribute> places;
  for (const tegula::SourcePoint &point : points)
    if (point.line)
      places.push_back(b.getDictionaryAttr(
          {b.getNamedAttr("file", b.getStringAttr(point.file)),
           b.getNamedAttr("line", b.getI64IntegerAttr(point.line)),
           b.getNamedAttr("column", b.getI64IntegerAttr(point.column)),
           b.getNamedAttr("end_line", b.getI64IntegerAttr(point.endLine)),
           b.getNamedAttr("end_column", b.getI64IntegerAttr(point.endColumn))}));
  return b.getArrayAttr(places);
}

static ArrayRef<int64_t> shapeOf(Value value) {
  auto tile = dyn_cast<RankedTensorType>(value.getType());
  return tile ? tile.getShape() : ArrayRef<int64_t>();
}

static Attribute siteOf(Operation *op, StringRef kind, StringRef format, ValueRange values,
                        ArrayRef<int64_t> shape) {
  Builder b(op->getContext());
  SmallVector<Attribute> fields;
  for (Value value : values) {
    // Of an assertion's tile one element is told.
    ArrayRef<int64_t> extents = kind == "print" ? shapeOf(value) : ArrayRef<int64_t>();
    fields.push_back(b.getDictionaryAttr(
        {b.getNamedAttr("dtype", b.getStringAttr(dtypeName(getElementTypeOrSelf(value)))),
         b.getNamedAttr("shape", b.getI64ArrayAttr(extents))}));
  }
  return b.getDictionaryAttr({b.getNamedAttr("kind", b.getStringAttr(kind)),
                              b.getNamedAttr("format", b.getStringAttr(format)),
                              b.getNamedAttr("shape", b.getI64ArrayAttr(shape)),
                              b.getNamedAttr("fields", b.getArrayAttr(fields)),
                              b.getNamedAttr("places", placesOf(b, op->getLoc()))});
}

static Attribute siteOf(Operation *op) {
  if (auto print = dyn_cast<PrintOp>(op))
    return siteOf(op, "print", print.getFormat(), print.getValues(), {});
  auto check = cast<AssertOp>(op);
  return siteOf(op, check.getBounds() ? "bounds" : "assert", check.getMessage(), check.getValues(),
                shapeOf(check.getCondition()));
}

namespace {
struct LowerRecords : tegula::tile::impl::LowerRecordsPassBase<LowerRecords> {
  // The grid takes its kernel's arguments, so this is a pass on both.
  void runOnOperation() override {
    for (KernelOp kernel : getOperation().getOps<KernelOp>())
      lower(kernel);
  }

  static Value addArgument(KernelOp kernel) {
    Builder b(kernel.getContext());
    auto type = ViewType::get(b.getContext(), {kRecordHeader + kRecordWords}, b.getI64Type(), {},
                              {1}, ViewType::naturalAlign(b.getI64Type()));
    auto attributes = b.getDictionaryAttr(
        {b.getNamedAttr(kArgRecordsAttr, b.getUnitAttr()),
         b.getNamedAttr(kArgAliasAttr, b.getI32IntegerAttr(nextAliasSet(kernel)))});
    unsigned index = kernel.getNumArguments();
    (void)kernel.insertArgument(index, type, attributes, kernel.getLoc());
    if (FuncOp grid = gridOf(kernel))
      (void)grid.insertArgument(index, type, DictionaryAttr(), kernel.getLoc());
    return kernel.getArgument(index);
  }

  static void lower(KernelOp kernel) {
    SmallVector<Operation *> ops;
    kernel.walk([&](Operation *op) {
      if (isa<AssertOp, PrintOp>(op))
        ops.push_back(op);
    });
    if (ops.empty())
      return;
    Value records = addArgument(kernel);
    SmallVector<Attribute> sites;
    for (Operation *op : ops) {
      RecordWriter writer(kernel, records, op, sites.size());
      sites.push_back(siteOf(op));
      if (auto check = dyn_cast<AssertOp>(op))
        writer.lower(check);
      else
        writer.lower(cast<PrintOp>(op));
    }
    kernel->setAttr(kRecordSitesAttr, ArrayAttr::get(kernel.getContext(), sites));
  }
};
} // namespace
