// The raster deals every tile to exactly one workgroup. The pass's arithmetic is evaluated for
// whole grids, so the test knows nothing about how it is written.
#include "dialects/tile/Tile.h"
#include "mlir/Parser/Parser.h"
#include "tegula/TileTransforms/Passes.h"
#include <gtest/gtest.h>
#include <numeric>

using namespace mlir;
using namespace tegula::tile;

namespace {

/// A kernel whose tile.tile_id was lowered, evaluated at grid positions.
class Raster {
public:
  Raster(unsigned rank, int64_t group, bool xcd) {
    context.loadDialect<TileDialect, arith::ArithDialect>();
    module = parseSourceString<ModuleOp>(text(rank, group, xcd), &context);
    PassManager passes(&context);
    passes.addNestedPass<KernelOp>(createApplyRasterPass());
    ok = module && succeeded(passes.run(*module));
  }

  // Tile (1, …, 1) of a view with these extents: as many tiles as elements.
  void setCounts(ArrayRef<uint32_t> extents) { counts.assign(extents.begin(), extents.end()); }

  /// The tile of workgroup `position`, as a row-major number; nothing when it lies outside the
  /// grid.
  std::optional<uint64_t> tileOf(uint32_t position) {
    llvm::DenseMap<Value, uint32_t> values;
    std::optional<uint64_t> tile;
    module->walk([&](Operation *op) {
      if (auto store = dyn_cast<StoreOp>(op))
        tile = linear(store, values);
      else if (op->getNumResults() == 1 && op->getResult(0).getType().isInteger(32))
        values[op->getResult(0)] = evaluate(op, position, values);
    });
    return tile;
  }

  bool ok = false;

private:
  static std::string text(unsigned rank, int64_t group, bool xcd) {
    std::string dims, strides, shape, results, types, unit;
    for (unsigned d = 0; d < rank; ++d) {
      dims += "?x";
      strides += d + 1 < rank ? "?, " : "1";
      shape += d ? ", 1" : "1";
      results += (d ? ", %t" : "%t") + std::to_string(d);
      types += d ? ", i32" : "i32";
      unit += "1x";
    }
    std::string view = "!tile.view<" + dims + "f32, strides = [" + strides + "]>";
    return "tile.kernel @k(%c: " + view +
           ") attributes {target = #tile.target<\"gfx950\">, schedule = "
           "#tile.schedule<raster = {group = " +
           std::to_string(group) + ", xcd = " + (xcd ? "true" : "false") + "}>} {\n" + results +
           " = tile.tile_id %c [" + shape + "] : " + view + " -> " + types +
           "\n%x = arith.constant dense<0.0> : tensor<" + unit + "f32>\ntile.store %x, %c[" +
           results + "] : tensor<" + unit + "f32>, " + view + "\ntile.return }";
  }

  uint32_t evaluate(Operation *op, uint32_t position, llvm::DenseMap<Value, uint32_t> &values) {
    if (isa<ProgramIdOp>(op))
      return position;
    if (auto dim = dyn_cast<DimOp>(op))
      return counts[dim.getD()];
    if (auto constant = dyn_cast<arith::ConstantIntOp>(op))
      return constant.value();
    uint32_t a = values.lookup(op->getOperand(0)), b = values.lookup(op->getOperand(1));
    if (isa<arith::AddIOp>(op))
      return a + b;
    if (isa<arith::SubIOp>(op))
      return a - b;
    if (isa<arith::MulIOp>(op))
      return a * b;
    if (isa<arith::MinUIOp>(op))
      return std::min(a, b);
    EXPECT_NE(b, 0u) << "division by zero";
    if (isa<arith::DivUIOp>(op))
      return a / b;
    if (isa<arith::RemUIOp>(op))
      return a % b;
    ADD_FAILURE() << "unexpected op " << op->getName().getStringRef().str();
    return 0;
  }

  std::optional<uint64_t> linear(StoreOp store, llvm::DenseMap<Value, uint32_t> &values) {
    uint64_t tile = 0;
    for (auto [d, index] : llvm::enumerate(store.getIndices())) {
      uint32_t at = values.lookup(index);
      if (at >= counts[d])
        return std::nullopt;
      tile = tile * counts[d] + at;
    }
    return tile;
  }

  MLIRContext context;
  OwningOpRef<ModuleOp> module;
  std::vector<uint32_t> counts;
};

void expectBijection(Raster &raster, ArrayRef<uint32_t> extents) {
  raster.setCounts(extents);
  uint32_t total = std::accumulate(extents.begin(), extents.end(), 1u, std::multiplies<uint32_t>());
  std::vector<bool> seen(total);
  for (uint32_t position = 0; position < total; ++position) {
    std::optional<uint64_t> tile = raster.tileOf(position);
    ASSERT_TRUE(tile && *tile < total && !seen[*tile])
        << "workgroup " << position << " of "
        << llvm::join(llvm::map_range(extents, [](uint32_t e) { return std::to_string(e); }), "x");
    seen[*tile] = true;
  }
}

// Rows x columns up to 5,000 tiles: single rows and columns, primes, remainders of every group and
// of eight dies.
constexpr uint32_t kGrids[][2] = {{1, 1},   {1, 7},   {7, 1},  {2, 3},    {3, 3},
                                  {8, 8},   {9, 8},   {8, 9},  {1, 4999}, {5000, 1},
                                  {13, 17}, {31, 5},  {5, 31}, {64, 1},   {63, 11},
                                  {71, 70}, {16, 16}, {17, 2}, {2, 1001}, {50, 100}};

TEST(TileRaster, EveryTileOnceForAllGrids) {
  for (int64_t group : {1, 2, 3, 8, 16, 100})
    for (bool xcd : {false, true}) {
      Raster raster(2, group, xcd);
      ASSERT_TRUE(raster.ok);
      for (auto &[rows, columns] : kGrids)
        expectBijection(raster, {rows, columns});
    }
}

TEST(TileRaster, EveryLinearGridUpTo300) {
  Raster raster(1, 8, true);
  ASSERT_TRUE(raster.ok);
  for (uint32_t total = 1; total <= 300; ++total)
    expectBijection(raster, {total});
}

TEST(TileRaster, LeadingDimensionsToo) {
  for (bool xcd : {false, true}) {
    Raster raster(4, 3, xcd);
    ASSERT_TRUE(raster.ok);
    expectBijection(raster, {2, 3, 5, 7});
    expectBijection(raster, {1, 1, 4, 4});
  }
}

// The purpose of the interleave: the workgroups of one die (position mod 8) take neighbouring
// tiles.
TEST(TileRaster, ADieOwnsAContiguousRun) {
  Raster raster(1, 1, true);
  ASSERT_TRUE(raster.ok);
  for (uint32_t total : {8u, 100u, 1001u}) {
    raster.setCounts({total});
    for (uint32_t position = 8; position < total; ++position)
      EXPECT_EQ(*raster.tileOf(position), *raster.tileOf(position - 8) + 1);
  }
}

// Within a group the row changes fastest: four workgroups in a row share a column of B.
TEST(TileRaster, GroupsWalkRowsFirst) {
  Raster raster(2, 4, false);
  ASSERT_TRUE(raster.ok);
  raster.setCounts({8, 10});
  for (uint32_t position = 0; position < 4; ++position)
    EXPECT_EQ(*raster.tileOf(position), position * 10);
  EXPECT_EQ(*raster.tileOf(4), 1u);
  EXPECT_EQ(*raster.tileOf(40), 40u);
}

} // namespace
