// Addresses and guards of accesses by element indices.
#include "IndexedAccess.h"

using namespace mlir;
using namespace tegula::cdna;
namespace tile = tegula::tile;

static Value constant64(OpBuilder &b, Location loc, int64_t x) {
  return arith::ConstantOp::create(b, loc, b.getI64IntegerAttr(x));
}

IndexedAccess::IndexedAccess(IndexedPlace from, RankedTensorType type, bool writes,
                             const KernelContext &kernel, Int &ints)
    : place(std::move(from)), type(type), writes(writes), kernel(kernel), ints(ints),
      coordinates(getLayout(type).toLayout(), kernel, ints) {
  OpBuilder &b = ints.b;
  Location loc = ints.loc;
  Type pointer = LLVM::LLVMPointerType::get(b.getContext(), 1);
  base = BasePointerOp::create(b, loc, pointer, place.view);
  Value bytes;
  for (unsigned a = 0; a < place.origin.size(); ++a) {
    if (Int::isZero(place.origin[a]))
      continue;
    Value part = b.createOrFold<arith::MulIOp>(loc, wide(b, place.origin[a]), strideBytes(a));
    bytes = bytes ? b.createOrFold<arith::AddIOp>(loc, bytes, part) : part;
  }
  if (bytes)
    base = LLVM::GEPOp::create(b, loc, pointer, b.getI8Type(), base, ArrayRef<LLVM::GEPArg>{bytes});
  for (unsigned j = 0; j < place.indices.size(); ++j) {
    lefts.push_back(llvm::is_contained(place.check, int32_t(j)) ? left(j) : Value());
    strides.push_back(strideBytes(place.dims[j]));
  }
}

Value IndexedAccess::wide(OpBuilder &b, Value x) {
  return x.getType().isInteger(64) ? x
                                   : b.createOrFold<arith::ExtSIOp>(ints.loc, b.getI64Type(), x);
}

/// Bytes from one element of the argument's dimension to the next, i64.
Value IndexedAccess::strideBytes(unsigned a) {
  int64_t size = viewType().getElementBytes();
  if (!viewType().isDynamicStride(a))
    return constant64(ints.b, ints.loc, viewType().getStrides()[a] * size);
  Value elements = tile::StrideOp::create(ints.b, ints.loc, place.view, a);
  return ints.b.createOrFold<arith::MulIOp>(ints.loc, elements, constant64(ints.b, ints.loc, size));
}

/// Elements from the origin to the end along index j's dimension, 0 when it lies past the end.
Value IndexedAccess::left(unsigned j) {
  unsigned a = place.dims[j];
  Value end = !viewType().isDynamicDim(a)
                  ? ints.constant(viewType().getShape()[a])
                  : tile::DimOp::create(ints.b, ints.loc, place.view, a).getResult();
  if (!place.limits.empty())
    end = ints.min(end, place.limits[a]);
  if (Int::isZero(place.origin[a]))
    return end;
  return ints.b.createOrFold<arith::MaxSIOp>(ints.loc, ints.sub(end, place.origin[a]),
                                             ints.constant(0));
}

Value tegula::cdna::isElement(RankedTensorType tile, int64_t r, bool owned,
                              Coordinates &coordinates, const KernelContext &kernel, Int &ints) {
  Value condition;
  if (owned)
    condition = ownerCondition(getLayout(tile).toLayout(), kernel, ints);
  for (unsigned d = 0; d < tile.getRank(); ++d)
    if (coordinates.largest(d, r) >= tile.getDimSize(d)) {
      Coordinates::Place at = coordinates.at(d, r);
      condition =
          ints.both(condition, ints.less(at.base, ints.constant(tile.getDimSize(d) - at.offset)));
    }
  return condition;
}

Value IndexedAccess::inside(int64_t r) {
  OpBuilder &b = ints.b;
  Value condition = isElement(type, r, writes, coordinates, kernel, ints);
  for (auto [j, end] : llvm::enumerate(lefts)) {
    if (!end)
      continue;
    // Unsigned: what is negative lies past every end.
    Value index = place.indices[j][r];
    Value bound = index.getType().isInteger(64) ? wide(b, end) : end;
    condition =
        ints.both(condition,
                  b.createOrFold<arith::CmpIOp>(ints.loc, arith::CmpIPredicate::ult, index, bound));
  }
  return condition;
}

Value IndexedAccess::endsAtRuns(int64_t width) {
  OpBuilder &b = ints.b;
  Value condition;
  for (auto [dim, end] : llvm::zip_equal(place.dims, lefts)) {
    if (!end || unsigned(dim) != viewType().getUnitStrideDim())
      continue;
    Value rest = b.createOrFold<arith::AndIOp>(ints.loc, end, ints.constant(width - 1));
    if (!Int::isZero(rest))
      condition =
          ints.both(condition, b.createOrFold<arith::CmpIOp>(ints.loc, arith::CmpIPredicate::eq,
                                                             rest, ints.constant(0)));
  }
  return condition;
}

Value IndexedAccess::pointer(OpBuilder &b, int64_t r) {
  Value bytes;
  for (auto [index, stride] : llvm::zip_equal(place.indices, strides)) {
    Value part = b.createOrFold<arith::MulIOp>(ints.loc, wide(b, index[r]), stride);
    bytes = bytes ? b.createOrFold<arith::AddIOp>(ints.loc, bytes, part) : part;
  }
  return bytes ? LLVM::GEPOp::create(b, ints.loc, base.getType(), b.getI8Type(), base,
                                     ArrayRef<LLVM::GEPArg>{bytes})
                     .getResult()
               : base;
}

SmallVector<Value> tegula::cdna::guarded(OpBuilder &b, Location loc, Value condition,
                                         ValueRange otherwise,
                                         llvm::function_ref<SmallVector<Value>(OpBuilder &)> body) {
  if (!condition)
    return body(b);
  bool hasElse = !otherwise.empty();
  auto branch = scf::IfOp::create(b, loc, otherwise.getTypes(), condition, hasElse);
  OpBuilder inner = branch.getThenBodyBuilder(b.getListener());
  SmallVector<Value> results = body(inner);
  if (hasElse) {
    scf::YieldOp::create(inner, loc, results);
    OpBuilder other = branch.getElseBodyBuilder(b.getListener());
    scf::YieldOp::create(other, loc, otherwise);
  }
  return llvm::to_vector_of<Value>(branch.getResults());
}

LLVM::AtomicBinOp tegula::cdna::binOp(tile::AtomicKind kind, bool isFloat) {
  switch (kind) {
  case tile::AtomicKind::Add:
    return isFloat ? LLVM::AtomicBinOp::fadd : LLVM::AtomicBinOp::add;
  case tile::AtomicKind::Max:
    return isFloat ? LLVM::AtomicBinOp::fmaximum : LLVM::AtomicBinOp::max;
  case tile::AtomicKind::Min:
    return isFloat ? LLVM::AtomicBinOp::fminimum : LLVM::AtomicBinOp::min;
  case tile::AtomicKind::UMax:
    return LLVM::AtomicBinOp::umax;
  case tile::AtomicKind::UMin:
    return LLVM::AtomicBinOp::umin;
  case tile::AtomicKind::And:
    return LLVM::AtomicBinOp::_and;
  case tile::AtomicKind::Or:
    return LLVM::AtomicBinOp::_or;
  case tile::AtomicKind::Xor:
    return LLVM::AtomicBinOp::_xor;
  case tile::AtomicKind::Xchg:
    return LLVM::AtomicBinOp::xchg;
  }
  llvm_unreachable("every kind is above");
}
