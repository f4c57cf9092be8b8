// tile-pick-schedule: fills in what the user left out and refuses what is illegal; see Passes.td.
#include "ScheduleModel.h"
#include "ScheduleRules.h"
#include "dialects/tile/TileNormalForms.h"
#include "tegula/Target/Target.h"
#include "tegula/TileTransforms/Passes.h"

namespace tegula::tile {
#define GEN_PASS_DEF_PICKSCHEDULEPASS
#include "tegula/TileTransforms/Passes.h.inc"
} // namespace tegula::tile

using namespace mlir;
using namespace tegula::tile;

namespace {
struct PickSchedule : tegula::tile::impl::PickSchedulePassBase<PickSchedule> {
  void runOnOperation() override {
    KernelOp kernel = getOperation();
    const tegula::Target *target = lookupTarget(kernel);
    if (!target) {
      kernel.emitOpError("names no target: a schedule is chosen for one [tile.target.c1]");
      return signalPassFailure();
    }
    KernelFacts facts = collectFacts(kernel);
    if (facts.mma && failed(verifyProduct(facts.mma)))
      return signalPassFailure();
    ScheduleAttr schedule =
        completeSchedule(&getContext(), kernel.getScheduleAttr(), facts, *target);
    if (failed(checkSchedule(kernel, schedule, facts, *target)))
      return signalPassFailure();
    kernel.setScheduleAttr(schedule);
  }
};
} // namespace
