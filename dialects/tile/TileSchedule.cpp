// Rules on schedule fields that need neither the kernel's body nor the target. The rest is checked
// by tile-pick-schedule, which knows both.
#include "dialects/tile/TileNormalForms.h"
#include "tegula/Target/Target.h"

using namespace mlir;
using namespace tegula::tile;

static LogicalResult verifyWaves(KernelOp kernel, ArrayRef<int64_t> waves) {
  constexpr int64_t most = tegula::Target::maxWavesPerWorkgroup;
  bool legal = waves.size() == 2 && waves[0] >= 1 && waves[1] >= 1 && waves[0] <= most &&
               waves[1] <= most / waves[0];
  if (waves.empty() || legal)
    return success();
  return kernel.emitOpError() << "waves = " << listText(waves)
                              << "; it is [rows, columns] with a product from 1 to " << most
                              << " [tile.schedule.c1]";
}

static bool isMmaShape(StringRef text) {
  SmallVector<StringRef> parts;
  text.split(parts, 'x');
  return parts.size() == 3 && llvm::all_of(parts, [](StringRef part) {
           unsigned value = 0;
           return !part.getAsInteger(10, value) && value > 0;
         });
}

LogicalResult tegula::tile::verifyScheduleValues(KernelOp kernel, ScheduleAttr schedule) {
  if (failed(verifyWaves(kernel, schedule.getWaves())))
    return failure();
  if (schedule.getMma() && !isMmaShape(schedule.getMma().getValue()))
    return kernel.emitOpError() << "mma = " << schedule.getMma()
                                << "; it is a shape MxNxK such as \"16x16x32\" [tile.schedule.c2]";
  auto outside = [](std::optional<int64_t> value, int64_t low, int64_t high) {
    return value && (*value < low || *value > high);
  };
  if (outside(schedule.getStages(), 1, 5))
    return kernel.emitOpError() << "stages = " << *schedule.getStages()
                                << "; legal are 1 to 5 [tile.schedule.c3]";
  if (outside(schedule.getRasterGroup(), 1, 1 << 15))
    return kernel.emitOpError() << "raster group = " << *schedule.getRasterGroup()
                                << "; legal are 1 to 32768 rows of tiles [tile.schedule.c5]";
  if (outside(schedule.getSplitK(), 1, 1024))
    return kernel.emitOpError() << "split_k = " << *schedule.getSplitK()
                                << "; legal are 1 to 1024 workgroups a tile [tile.schedule.c6]";
  if (schedule.getSplitK().value_or(1) > 1 && schedule.getPersistent().value_or(false))
    return kernel.emitOpError() << "split_k = " << *schedule.getSplitK()
                                << " with persistent = true; split_k = 1 or persistent = false is "
                                   "legal [tile.schedule.c6]";
  if (outside(schedule.getOccupancy(), 1, 32))
    return kernel.emitOpError() << "occupancy = " << *schedule.getOccupancy()
                                << "; legal are 1 to 32 workgroups a CU [tile.schedule.c8]";
  return success();
}
