// tile-apply-persistent: workgroups that stay and walk over the tiles; see Passes.td.
#include "GridCount.h"
#include "tegula/TileTransforms/Passes.h"

namespace tegula::tile {
#define GEN_PASS_DEF_APPLYPERSISTENTPASS
#include "tegula/TileTransforms/Passes.h.inc"
} // namespace tegula::tile

using namespace mlir;
using namespace tegula::tile;

namespace {

/// No more workgroups than tiles: the others would have nothing to do.
void limitGrid(FuncOp grid) {
  Operation *end = grid.getBody().front().getTerminator();
  OpBuilder builder(end);
  Value held = ResidentOp::create(builder, end->getLoc());
  end->setOperand(0, arith::MinSIOp::create(builder, end->getLoc(), end->getOperand(0), held));
}

/// How many places this workgroup has: place, place + step … below `count`. Its place is below the
/// step, so nothing here is negative.
Value countPlaces(OpBuilder &builder, Location loc, Value count, Value place, Value step) {
  Value one = arith::ConstantIntOp::create(builder, loc, 1, 32);
  Value last = arith::SubIOp::create(builder, loc, step, one);
  Value rest = arith::SubIOp::create(builder, loc, last, place);
  Value rounded = arith::AddIOp::create(builder, loc, count, rest);
  return arith::DivUIOp::create(builder, loc, rounded, step);
}

void walkOverTiles(KernelOp kernel, TileIdOp id, FuncOp grid) {
  Block &body = kernel.getBody().front();
  Location loc = id.getLoc();
  SmallVector<Operation *> ops;
  for (Operation &op : body.without_terminator())
    ops.push_back(&op);
  auto builder = OpBuilder::atBlockBegin(&body);
  Value count = cloneGrid(builder, kernel, grid).front();
  Value place = ProgramIdOp::create(builder, loc, 0);
  Value step = ResidentOp::create(builder, loc);
  Value zero = arith::ConstantIntOp::create(builder, loc, 0, 32);
  Value one = arith::ConstantIntOp::create(builder, loc, 1, 32);
  Value mine = countPlaces(builder, loc, count, place, step);
  auto loop = scf::ForOp::create(builder, loc, zero, mine, one);
  for (Operation *op : ops)
    op->moveBefore(loop.getBody()->getTerminator());
  builder.setInsertionPointToStart(loop.getBody());
  Value passed = arith::MulIOp::create(builder, loc, loop.getInductionVar(), step);
  id.getAtMutable().assign(arith::AddIOp::create(builder, loc, place, passed).getResult());
}

struct ApplyPersistent : tegula::tile::impl::ApplyPersistentPassBase<ApplyPersistent> {
  // The grid changes with its kernel, so this is a pass on both.
  void runOnOperation() override {
    for (KernelOp kernel : getOperation().getOps<KernelOp>()) {
      ScheduleAttr schedule = kernel.getScheduleAttr();
      TileIdOp id;
      kernel.walk([&](TileIdOp op) { id = op; });
      if (!schedule || !schedule.getPersistent().value_or(false) || !id || id.getAt())
        continue;
      FuncOp grid = gridOf(kernel);
      if (!grid) {
        kernel.emitOpError("persistent = true needs a grid function [tile.schedule.c7]");
        return signalPassFailure();
      }
      walkOverTiles(kernel, id, grid);
      limitGrid(grid);
    }
  }
};

} // namespace
