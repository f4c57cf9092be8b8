// tile-apply-raster: which workgroup computes which tile; see Passes.td.
#include "dialects/tile/TileBounds.h"
#include "dialects/tile/TileNormalForms.h"
#include "tegula/Target/Target.h"
#include "tegula/TileTransforms/Passes.h"

namespace tegula::tile {
#define GEN_PASS_DEF_APPLYRASTERPASS
#include "tegula/TileTransforms/Passes.h.inc"
} // namespace tegula::tile

using namespace mlir;
using namespace tegula::tile;

namespace {

/// Unsigned scalar i32 arithmetic at one place.
struct Scalars {
  OpBuilder &builder;
  Location loc;

  Value constant(int64_t value) { return arith::ConstantIntOp::create(builder, loc, value, 32); }
  Value add(Value a, Value b) { return builder.createOrFold<arith::AddIOp>(loc, a, b); }
  Value sub(Value a, Value b) { return builder.createOrFold<arith::SubIOp>(loc, a, b); }
  Value mul(Value a, Value b) { return builder.createOrFold<arith::MulIOp>(loc, a, b); }
  Value div(Value a, Value b) { return builder.createOrFold<arith::DivUIOp>(loc, a, b); }
  Value rem(Value a, Value b) { return builder.createOrFold<arith::RemUIOp>(loc, a, b); }
  Value min(Value a, Value b) { return builder.createOrFold<arith::MinUIOp>(loc, a, b); }
};

// Hardware deals workgroup p to die p mod xcds. Die x shall own a contiguous run: the first `total
// mod xcds` dies have one tile more, so run x starts at x * (total / xcds) + min(x, total mod
// xcds).
Value interleaveXcds(Scalars s, Value position, Value total, int xcds) {
  Value dies = s.constant(xcds);
  Value die = s.rem(position, dies), within = s.div(position, dies);
  Value start = s.add(s.mul(die, s.div(total, dies)), s.min(die, s.rem(total, dies)));
  return s.add(start, within);
}

// Walks `group` rows of tiles column by column before the next group; the last group may have fewer
// rows.
std::pair<Value, Value> groupRows(Scalars s, Value position, Value rows, Value columns,
                                  int64_t group) {
  Value size = s.constant(group);
  Value perGroup = s.mul(size, columns);
  Value first = s.mul(s.div(position, perGroup), size);
  Value height = s.min(s.sub(rows, first), size);
  Value within = s.rem(position, perGroup);
  return {s.add(first, s.rem(within, height)), s.div(within, height)};
}

Value product(Scalars s, ArrayRef<Value> values) {
  Value result = values.front();
  for (Value value : values.drop_front())
    result = s.mul(result, value);
  return result;
}

// Tile numbers of all dimensions. The last two are walked in groups, leading ones are outermost.
SmallVector<Value> unlinearize(Scalars s, Value position, ArrayRef<Value> counts, int64_t group) {
  SmallVector<Value> tiles(counts.size());
  unsigned rank = counts.size();
  if (rank == 1)
    return {position};
  Value plane = s.mul(counts[rank - 2], counts[rank - 1]);
  Value outer = rank > 2 ? s.div(position, plane) : Value();
  Value inner = rank > 2 ? s.rem(position, plane) : position;
  std::tie(tiles[rank - 2], tiles[rank - 1]) =
      groupRows(s, inner, counts[rank - 2], counts[rank - 1], group);
  for (unsigned d = rank - 2; d-- > 0;) {
    tiles[d] = d == 0 ? outer : s.rem(outer, counts[d]);
    outer = s.div(outer, counts[d]);
  }
  return tiles;
}

struct ApplyRaster : tegula::tile::impl::ApplyRasterPassBase<ApplyRaster> {
  void runOnOperation() override {
    KernelOp kernel = getOperation();
    TileIdOp id;
    kernel.walk([&](TileIdOp op) { id = op; });
    if (!id)
      return;
    ScheduleAttr schedule = kernel.getScheduleAttr();
    const tegula::Target *target = lookupTarget(kernel);
    if (!target || !schedule || !schedule.getRasterGroup() || !schedule.getRasterXcd()) {
      kernel.emitOpError("has no raster; run tile-pick-schedule first [tile.schedule.c5]");
      return signalPassFailure();
    }
    OpBuilder builder(id);
    Scalars s{builder, id.getLoc()};
    SmallVector<Value> counts;
    for (auto [d, tile] : llvm::enumerate(id.getShape()))
      counts.push_back(createTileCount(builder, id.getLoc(), id.getView(), d, tile));
    Value position = id.getAt();
    if (!position)
      position = ProgramIdOp::create(builder, id.getLoc(), 0);
    if (*schedule.getRasterXcd() && target->xcds > 1)
      position = interleaveXcds(s, position, product(s, counts), target->xcds);
    id.replaceAllUsesWith(unlinearize(s, position, counts, *schedule.getRasterGroup()));
    id.erase();
  }
};

} // namespace
