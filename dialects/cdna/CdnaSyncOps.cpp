// Waits, barriers, the order of accesses: ranges and effects.
#include "dialects/cdna/Cdna.h"

using namespace mlir;
using namespace tegula::cdna;

#define GET_OP_CLASSES
#include "dialects/cdna/CdnaSyncOps.cpp.inc"

void tegula::cdna::addOrderingEffects(SmallVectorImpl<MemoryEffects::EffectInstance> &effects) {
  for (SideEffects::Resource *resource : {static_cast<SideEffects::Resource *>(GlobalMemory::get()),
                                          static_cast<SideEffects::Resource *>(LdsMemory::get())}) {
    effects.emplace_back(MemoryEffects::Read::get(), resource);
    effects.emplace_back(MemoryEffects::Write::get(), resource);
  }
}

LogicalResult WaitCountOp::verify() {
  if (getVm() < 0 || getVm() > kAnyVm || getLgkm() < 0 || getLgkm() > kAnyLgkm)
    return emitOpError() << "vm = " << getVm() << ", lgkm = " << getLgkm()
                         << " are not in [0, 63] and [0, 15] [cdna.wait_count.c1]";
  return success();
}

LogicalResult SchedGroupOp::verify() {
  if (getCount() < 1)
    return emitOpError() << "count = " << getCount() << " is not positive [cdna.sched_group.c1]";
  return success();
}

LogicalResult PriorityOp::verify() {
  if (getLevel() < 0 || getLevel() > 3)
    return emitOpError() << "level = " << getLevel() << " is not in [0, 3] [cdna.priority.c1]";
  return success();
}
