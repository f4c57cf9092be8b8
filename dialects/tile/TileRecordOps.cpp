// Assertions and prints: formats fit their values.
#include "dialects/tile/Tile.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;
using namespace tegula::tile;

#define GET_OP_CLASSES
#include "dialects/tile/TileRecordOps.cpp.inc"

/// Elements of all values of one print: more than a host wants to read.
static constexpr int64_t kMostPrinted = 1 << 16;

std::optional<unsigned> tegula::tile::countHoles(StringRef format) {
  unsigned holes = 0;
  for (size_t i = 0; i < format.size(); ++i) {
    StringRef rest = format.substr(i);
    if (rest.starts_with("{{") || rest.starts_with("}}")) {
      ++i;
    } else if (rest.starts_with("{}") || rest.starts_with("{u}")) {
      ++holes;
      i += rest.starts_with("{}") ? 1 : 2;
    } else if (format[i] == '{' || format[i] == '}') {
      return std::nullopt;
    }
  }
  return holes;
}

static LogicalResult verifyHoles(Operation *op, StringRef format, ValueRange values,
                                 StringRef label) {
  std::optional<unsigned> holes = countHoles(format);
  if (!holes)
    return op->emitOpError() << "\"" << format
                             << "\": a hole is {} or {u}; write {{ and }} for braces [" << label
                             << "]";
  if (*holes != values.size())
    return op->emitOpError() << "\"" << format << "\" has " << *holes << " holes for "
                             << values.size() << " values [" << label << "]";
  return success();
}

/// What a record can hold: numbers of 64 bits that these become without rounding.
static LogicalResult verifyElements(Operation *op, ValueRange values, StringRef label) {
  for (Value value : values)
    if (isNarrowFloat(getElementTypeOrSelf(value)))
      return op->emitOpError() << "of " << getElementTypeOrSelf(value)
                               << "; cast it first, for example .to(tg.f32) [" << label << "]";
  return success();
}

static ArrayRef<int64_t> shapeOf(Value value) {
  auto tile = dyn_cast<RankedTensorType>(value.getType());
  return tile ? tile.getShape() : ArrayRef<int64_t>();
}

LogicalResult AssertOp::verify() {
  if (!getElementTypeOrSelf(getCondition()).isInteger(1))
    return emitOpError() << "of " << shapeText(getCondition().getType())
                         << "; a condition is i1 [tile.assert.c1]";
  if (failed(verifyHoles(*this, getMessage(), getValues(), "tile.assert.c2")) ||
      failed(verifyElements(*this, getValues(), "tile.assert.c3")))
    return failure();
  for (Value value : getValues())
    if (isa<RankedTensorType>(value.getType()) && shapeOf(value) != shapeOf(getCondition()))
      return emitOpError() << "of " << shapeText(getCondition().getType()) << " shows a tile of "
                           << shapeText(value.getType())
                           << "; its values are scalars, or tiles of its shape [tile.assert.c3]";
  return success();
}

LogicalResult AssertOp::canonicalize(AssertOp op, PatternRewriter &rewriter) {
  auto kernel = op->getParentOfType<KernelOp>();
  bool isKept = !kernel || kernel->hasAttr(kAssertsAttr);
  if (isKept && !matchPattern(op.getCondition(), m_One()))
    return failure();
  rewriter.eraseOp(op);
  return success();
}

LogicalResult PrintOp::verify() {
  if (failed(verifyHoles(*this, getFormat(), getValues(), "tile.print.c1")) ||
      failed(verifyElements(*this, getValues(), "tile.print.c2")))
    return failure();
  int64_t elements = 0;
  for (Value value : getValues())
    elements += ShapedType::getNumElements(shapeOf(value));
  if (elements > kMostPrinted)
    return emitOpError() << "shows " << elements << " elements; at most " << kMostPrinted
                         << " can be shown at once [tile.print.c3]";
  return success();
}
