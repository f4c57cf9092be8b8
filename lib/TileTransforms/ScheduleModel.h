// Chooses the schedule fields a user left out.
#ifndef TEGULA_TILETRANSFORMS_SCHEDULEMODEL_H
#define TEGULA_TILETRANSFORMS_SCHEDULEMODEL_H

#include "KernelFacts.h"

namespace tegula {
struct Target;
}

namespace tegula::tile {

/// `given` with every field filled in; given fields stay as they are, legal or not.
ScheduleAttr completeSchedule(mlir::MLIRContext *context, ScheduleAttr given,
                              const KernelFacts &facts, const Target &target);

} // namespace tegula::tile

#endif // TEGULA_TILETRANSFORMS_SCHEDULEMODEL_H
