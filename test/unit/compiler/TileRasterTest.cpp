// The raster deals every tile to exactly one workgroup. The pass's arithmetic is evaluated for
// whole grids, so the test knows nothing about how it is written. Tests named …Full run in a full
// run only (test/run.py).
#include "dialects/tile/Tile.h"
#include "mlir/Parser/Parser.h"
#include "tegula/TileTransforms/Passes.h"
#include <gtest/gtest.h>
#include <numeric>

using namespace mlir;
using namespace tegula::tile;

namespace {

using Numbers = std::vector<uint32_t>;

/// A kernel whose tile.tile_id was lowered. Its arithmetic, as the pass emitted it, is evaluated
/// for all workgroups of a grid at once: what doesn't depend on the workgroup once, the rest as
/// vectors.
class Raster {
public:
  Raster(unsigned rank, int64_t group, bool xcd) {
    context.loadDialect<TileDialect, arith::ArithDialect>();
    module = parseSourceString<ModuleOp>(text(rank, group, xcd), &context);
    PassManager passes(&context);
    passes.addNestedPass<KernelOp>(createApplyRasterPass());
    ok = module && succeeded(passes.run(*module));
  }

  /// The row-major number of each workgroup's tile, of a view with these extents: as many tiles as
  /// elements. A tile outside the grid is UINT32_MAX.
  const Numbers &tilesOf(ArrayRef<uint32_t> extents) {
    counts.assign(extents.begin(), extents.end());
    total = std::accumulate(counts.begin(), counts.end(), 1u, std::multiplies<uint32_t>());
    values.clear();
    module->walk([&](Operation *op) {
      if (auto store = dyn_cast<StoreOp>(op))
        linearize(store);
      else if (op->getNumResults() == 1 && op->getResult(0).getType().isInteger(32))
        values[op->getResult(0)] = evaluate(op);
    });
    return tiles;
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

  /// One number, or one a workgroup.
  Numbers evaluate(Operation *op) {
    if (isa<ProgramIdOp>(op)) {
      Numbers ids(total);
      std::iota(ids.begin(), ids.end(), 0u);
      return ids;
    }
    if (auto dim = dyn_cast<DimOp>(op))
      return {counts[dim.getD()]};
    if (auto constant = dyn_cast<arith::ConstantIntOp>(op))
      return {uint32_t(constant.value())};
    const Numbers &a = values[op->getOperand(0)], &b = values[op->getOperand(1)];
    if (isa<arith::AddIOp>(op))
      return combine(a, b, [](uint32_t x, uint32_t y) { return x + y; });
    if (isa<arith::SubIOp>(op))
      return combine(a, b, [](uint32_t x, uint32_t y) { return x - y; });
    if (isa<arith::MulIOp>(op))
      return combine(a, b, [](uint32_t x, uint32_t y) { return x * y; });
    if (isa<arith::MinUIOp>(op))
      return combine(a, b, [](uint32_t x, uint32_t y) { return std::min(x, y); });
    if (llvm::is_contained(b, 0u)) {
      ADD_FAILURE() << "division by zero";
      return {0};
    }
    if (isa<arith::DivUIOp>(op))
      return combine(a, b, [](uint32_t x, uint32_t y) { return x / y; });
    if (isa<arith::RemUIOp>(op))
      return combine(a, b, [](uint32_t x, uint32_t y) { return x % y; });
    ADD_FAILURE() << "unexpected op " << op->getName().getStringRef().str();
    return {0};
  }

  template <typename Function>
  static Numbers combine(const Numbers &a, const Numbers &b, Function function) {
    Numbers result(std::max(a.size(), b.size()));
    size_t stepA = a.size() > 1, stepB = b.size() > 1;
    for (size_t i = 0; i < result.size(); ++i)
      result[i] = function(a[i * stepA], b[i * stepB]);
    return result;
  }

  void linearize(StoreOp store) {
    tiles.assign(total, 0);
    for (auto [d, index] : llvm::enumerate(store.getIndices())) {
      const Numbers &at = values[index];
      for (uint32_t p = 0; p < total; ++p) {
        uint32_t coordinate = at[at.size() > 1 ? p : 0];
        bool outside = coordinate >= counts[d] || tiles[p] == UINT32_MAX;
        tiles[p] = outside ? UINT32_MAX : tiles[p] * counts[d] + coordinate;
      }
    }
  }

  MLIRContext context;
  OwningOpRef<ModuleOp> module;
  uint32_t total = 0;
  Numbers counts, tiles;
  llvm::DenseMap<Value, Numbers> values;
};

/// Whether each tile has exactly one workgroup.
bool isBijection(const Numbers &tiles) {
  std::vector<bool> seen(tiles.size());
  for (uint32_t tile : tiles) {
    if (tile >= tiles.size() || seen[tile])
      return false;
    seen[tile] = true;
  }
  return true;
}

void expectBijection(Raster &raster, ArrayRef<uint32_t> extents) {
  EXPECT_TRUE(isBijection(raster.tilesOf(extents)))
      << llvm::join(llvm::map_range(extents, [](uint32_t e) { return std::to_string(e); }), "x");
}

constexpr uint32_t kMostTiles = 5000;

// Every grid of 1 to 5,000 tiles: each number of rows with each number of columns.
void expectBijections(int64_t group, bool xcd) {
  Raster raster(2, group, xcd);
  ASSERT_TRUE(raster.ok);
  for (uint32_t rows = 1; rows <= kMostTiles; ++rows)
    for (uint32_t columns = 1; rows * columns <= kMostTiles; ++columns)
      if (!isBijection(raster.tilesOf({rows, columns})))
        FAIL() << rows << " x " << columns << " tiles, groups of " << group;
}

TEST(TileRaster, EveryGridUpTo5000Tiles) { expectBijections(8, true); }

class TileRasterFull : public testing::TestWithParam<int64_t> {};
TEST_P(TileRasterFull, EveryGridUpTo5000Tiles) { expectBijections(GetParam(), true); }
TEST_P(TileRasterFull, EveryGridUpTo5000TilesWithoutDies) { expectBijections(GetParam(), false); }
INSTANTIATE_TEST_SUITE_P(Groups, TileRasterFull,
                         testing::Values(1, 2, 3, 4, 5, 6, 7, 9, 12, 16, 32, 64, 5000, 32768));

// The corners of the above for other groups: single rows and columns, primes, remainders of every
// group and of eight dies.
constexpr uint32_t kGrids[][2] = {{1, 1},   {1, 7},   {7, 1},  {2, 3},    {3, 3},
                                  {8, 8},   {9, 8},   {8, 9},  {1, 4999}, {5000, 1},
                                  {13, 17}, {31, 5},  {5, 31}, {64, 1},   {63, 11},
                                  {71, 70}, {16, 16}, {17, 2}, {2, 1001}, {50, 100}};

TEST(TileRaster, EveryTileOnceForAllGroups) {
  for (int64_t group : {1, 2, 3, 4, 5, 7, 8, 16, 100, 32768})
    for (bool xcd : {false, true}) {
      Raster raster(2, group, xcd);
      ASSERT_TRUE(raster.ok);
      for (auto &[rows, columns] : kGrids)
        expectBijection(raster, {rows, columns});
    }
}

TEST(TileRaster, LeadingDimensionsToo) {
  for (bool xcd : {false, true}) {
    Raster raster(4, 3, xcd);
    ASSERT_TRUE(raster.ok);
    expectBijection(raster, {2, 3, 5, 7});
    expectBijection(raster, {1, 1, 4, 4});
    expectBijection(raster, {3, 1, 9, 1});
  }
}

// The purpose of the interleave: the workgroups of one die (position mod 8) take neighbouring
// tiles, and the runs of the dies follow each other.
TEST(TileRaster, ADieOwnsAContiguousRun) {
  Raster raster(1, 1, true);
  ASSERT_TRUE(raster.ok);
  for (uint32_t total = 1; total <= kMostTiles; ++total) {
    const Numbers &tiles = raster.tilesOf({total});
    ASSERT_TRUE(isBijection(tiles)) << total;
    for (uint32_t position = 8; position < total; ++position)
      ASSERT_EQ(tiles[position], tiles[position - 8] + 1) << total;
    for (uint32_t die = 1; die < std::min(total, 8u); ++die)
      ASSERT_LT(tiles[die - 1], tiles[die]) << total;
  }
}

// Within a group the row changes fastest: four workgroups in a row share a column of B.
TEST(TileRaster, GroupsWalkRowsFirst) {
  Raster raster(2, 4, false);
  ASSERT_TRUE(raster.ok);
  const Numbers &tiles = raster.tilesOf({8, 10});
  for (uint32_t position = 0; position < 4; ++position)
    EXPECT_EQ(tiles[position], position * 10);
  EXPECT_EQ(tiles[4], 1u);
  EXPECT_EQ(tiles[40], 40u);
}

} // namespace
