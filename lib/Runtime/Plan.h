// From arguments to a launch: which variant, which grid, which bytes of kernel arguments.
#ifndef TEGULA_LIB_RUNTIME_PLAN_H
#define TEGULA_LIB_RUNTIME_PLAN_H

#include "Contract.h"

namespace tegula::runtime {

/// Fills `plan` from the first variant for `arch` whose conditions hold and whose contract the
/// arguments meet; otherwise says why the last one tried refused them. A grid may depend on the
/// compute units.
std::optional<Refusal> makePlan(const std::vector<Variant> &variants, const std::string &arch,
                                uint32_t computeUnits, const tgr_argument *arguments,
                                uint32_t count, tgr_plan &plan);

} // namespace tegula::runtime

#endif // TEGULA_LIB_RUNTIME_PLAN_H
