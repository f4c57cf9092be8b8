#include "Sim/Sanitize/Watch.h"
#include "Sim/Exec/Context.h"

namespace tegula::sim {

std::string registerName(const Wave &w, unsigned r) {
  if (r >= kHardwareReg)
    return "hardware register " + std::to_string(r - kHardwareReg);
  if (r >= kScalarReg) {
    unsigned s = r - kScalarReg;
    return s == kVcc || s == kVcc + 1     ? "vcc"
           : s == kExec || s == kExec + 1 ? "exec"
           : s == kM0                     ? "m0"
           : r == kSccReg                 ? "scc"
                                          : "s" + std::to_string(s);
  }
  unsigned accum = w.tc->launch->kernel->accumOffset;
  return r < accum ? "v" + std::to_string(r) : "a" + std::to_string(r - accum);
}

void startWatch(Wave &w, unsigned scalars) {
  Watch &watch = *w.watch;
  watch.waits.clear();
  watch.trail.clear();
  watch.known = watch.hearing = watch.scalarKnown = nullptr;
  watch.scalarFrom = 0;
  watch.polled = {};
  for (uint8_t &s : watch.status)
    s &= uint8_t(~kPending);
  if (w.wg->poison)
    startPoison(w, scalars);
}

void beforeOp(Wave &w, const Op &o, bool status) {
  size_t index = size_t(&o - w.program->ops.data());
  if (status)
    checkPendingUses(w, o, w.program->uses[index]);
  bool near = w.program->checks[index].flags & OpCheck::kWaitStates ||
              size_t(&o - w.blockStart) < w.watch->trail.reach;
  if (near && w.tc->launch->config->checkWaitStates)
    checkWaitStates(w, o);
  if (status && w.wg->poison)
    spreadPoison(w, o, w.program->uses[index]);
}

void watchMoved(Wave &w, const Op &o, const Uses &uses, const Extra *extra) {
  checkPendingUses(w, o, uses);
  if (!w.wg->poison)
    return;
  w.watch->moved = extra;
  spreadPoison(w, o, uses);
  w.watch->moved = nullptr;
}

} // namespace tegula::sim
