// Branches, waits, barriers and the end of programs.
#include "Sim/Exec/Context.h"
#include "Sim/Exec/Handlers.h"
#include "Sim/Sanitize/Hazards.h"
#include "Sim/Sanitize/Waits.h"
#include <cstdio>

namespace tegula::sim {

/// Adds the ops from the block's start up to and including `last` to the counters.
void accountBlock(Wave &w, const Op *last) {
  const Op *first = w.program->ops.data();
  const auto &from = w.program->prefix[size_t(w.blockStart - first)],
             &to = w.program->prefix[size_t(last + 1 - first)];
  uint64_t n = 0;
  for (unsigned i = 0; i < kStatClasses; ++i) {
    uint64_t d = to[i] - from[i];
    w.counts[i] += d;
    n += d;
  }
  w.counts[kWritesSlot] += to[kWritesSlot] - from[kWritesSlot];
  w.budget -= int64_t(n);
  if (w.sanitized)
    leaveBlock(w, last);
}

namespace {
/// Only taken branches count: straight-line code needs no counter and every loop has one.
inline const Op *take(Wave &w, const Op &o, const Op *target) {
  accountBlock(w, &o);
  w.blockStart = target;
  if (w.budget >= 0)
    return target;
  w.pc = target;
  w.stop = Stop::Budget;
  return nullptr;
}
inline const Op *takeIf(Wave &w, const Op &o, bool condition) {
  return condition ? take(w, o, &o + int32_t(o.x)) : &o + 1;
}
const Op *stopAt(Wave &w, const Op &o, Stop why) {
  accountBlock(w, &o);
  w.pc = w.blockStart = &o + 1;
  w.stop = why;
  return nullptr;
}
const Op *branch(Wave &w, const Op &o) { return take(w, o, &o + int32_t(o.x)); }
const Op *scc0(Wave &w, const Op &o) { return takeIf(w, o, !w.scc); }
const Op *scc1(Wave &w, const Op &o) { return takeIf(w, o, w.scc); }
const Op *vccz(Wave &w, const Op &o) { return takeIf(w, o, w.get64(kVcc) == 0); }
const Op *vccnz(Wave &w, const Op &o) { return takeIf(w, o, w.get64(kVcc) != 0); }
const Op *execz(Wave &w, const Op &o) { return takeIf(w, o, w.exec() == 0); }
const Op *execnz(Wave &w, const Op &o) { return takeIf(w, o, w.exec() != 0); }

// --- Computed targets: guest addresses are host addresses of the loaded text
uint64_t addressAfter(const Wave &w, const Op &o) {
  uint32_t next = w.program->pc(&o) + 4; // these instructions are 4 bytes; a literal cannot occur
  return reinterpret_cast<uintptr_t>(w.program->text) + next;
}
const Op *jump(Wave &w, const Op &o, uint64_t address) {
  uint64_t text = reinterpret_cast<uintptr_t>(w.program->text), offset = address - text;
  if (address >= text && offset / 4 < w.program->opOf.size() && offset % 4 == 0 &&
      w.program->opOf[offset / 4] >= 0)
    return take(w, o, &w.program->ops[size_t(w.program->opOf[offset / 4])]);
  char message[80];
  std::snprintf(message, sizeof message,
                "jump to 0x%llx, which is no instruction of this code object",
                (unsigned long long)address);
  return fail(w, o, FindingKind::Illegal, message);
}
const Op *getpc(Wave &w, const Op &o) {
  w.set64(o.d, addressAfter(w, o));
  return &o + 1;
}
const Op *setpc(Wave &w, const Op &o) { return jump(w, o, w.get64(o.a)); }
const Op *swappc(Wave &w, const Op &o) {
  uint64_t target = w.get64(o.a);
  w.set64(o.d, addressAfter(w, o));
  return jump(w, o, target);
}
const Op *call(Wave &w, const Op &o) {
  w.set64(o.d, addressAfter(w, o));
  return take(w, o, &o + int32_t(o.x));
}

// --- Waits
const Op *waitcnt(Wave &w, const Op &o) {
  if (w.sanitized) {
    unsigned vm = (o.x & 15) | (o.x >> 10 & 0x30), lgkm = o.x >> 8 & 15;
    if (vm < 63)
      waitVm(w, vm);
    if (lgkm < 15)
      waitLgkm(w, lgkm);
  }
  return &o + 1;
}
const Op *barrier(Wave &w, const Op &o) {
  ++w.barriers;
  return stopAt(w, o, Stop::Barrier);
}
const Op *sleep(Wave &w, const Op &o) { return stopAt(w, o, Stop::Sleeping); }
const Op *end(Wave &w, const Op &o) { return stopAt(w, o, Stop::Ended); }
const Op *nothing(Wave &, const Op &o) { return &o + 1; }
const Op *trap(Wave &w, const Op &o) {
  unsigned id = o.x & 0xff;
  if (id == 3) // debug trap: a no-op without a debugger
    return &o + 1;
  return fail(w, o, FindingKind::Trap,
              "s_trap " + std::to_string(id) + (id == 2 ? " (abort)" : ""));
}
/// Messages that only give up resources early are no-ops; the others need a host that answers.
constexpr unsigned kNoMessage = 0, kEarlyDealloc = 8;
const Op *sendmsg(Wave &w, const Op &o) {
  unsigned message = o.x & 15;
  if (message != kNoMessage && message != kEarlyDealloc)
    return fail(w, o, FindingKind::Unsupported,
                "s_sendmsg " + std::to_string(o.x & 0xffff) + ": nobody receives this message");
  if (w.sanitized)
    beginLgkm(w, o, PendingKind::Other);
  return &o + 1;
}
/// A halted wave waits for a debugger for ever.
const Op *halt(Wave &w, const Op &o) {
  return o.x & 1 ? fail(w, o, FindingKind::Trap, "s_sethalt 1: the wave is halted") : &o + 1;
}
const Op *sendmsgHalt(Wave &w, const Op &o) {
  return fail(w, o, FindingKind::Trap,
              "s_sendmsghalt " + std::to_string(o.x & 0xffff) + ": the wave is halted");
}
const Op *kill(Wave &w, const Op &o) { return o.x & 1 ? stopAt(w, o, Stop::Ended) : &o + 1; }
/// The conditions of a debugger, which is not there.
const Op *debugBranch(Wave &w, const Op &o) { return takeIf(w, o, false); }
const Op *refuse(Wave &w, const Op &o) {
  const Refusal &r = w.program->refusals[o.x];
  return fail(w, o, r.isIllegal ? FindingKind::Illegal : FindingKind::Unsupported, r.why);
}
} // namespace

Handler refuseHandler() { return refuse; }

const HandlerTable &tableProgram() {
  const Shape b = Shape::Branch, p = Shape::Program, s = Shape::Scalar;
  static const HandlerTable table = {
      {Sem::s_branch, branch, b},
      {Sem::s_cbranch_scc0, scc0, b},
      {Sem::s_cbranch_scc1, scc1, b},
      {Sem::s_cbranch_vccz, vccz, b},
      {Sem::s_cbranch_vccnz, vccnz, b},
      {Sem::s_cbranch_execz, execz, b},
      {Sem::s_cbranch_execnz, execnz, b},
      {Sem::s_call_b64, call, b},
      {Sem::s_getpc_b64, getpc, s},
      {Sem::s_setpc_b64, setpc, s},
      {Sem::s_swappc_b64, swappc, s},
      {Sem::s_waitcnt, waitcnt, p},
      {Sem::s_barrier, barrier, p},
      {Sem::s_sleep, sleep, p},
      {Sem::s_endpgm, end, p},
      {Sem::s_endpgm_saved, end, p},
      {Sem::s_nop, nothing, p},
      {Sem::s_setprio, nothing, p},
      {Sem::s_icache_inv, nothing, p},
      {Sem::s_incperflevel, nothing, p},
      {Sem::s_decperflevel, nothing, p},
      {Sem::s_wakeup, nothing, p},
      {Sem::s_ttracedata, nothing, p},
      {Sem::s_trap, trap, p},
      {Sem::s_sendmsg, sendmsg, p},
      {Sem::s_sendmsghalt, sendmsgHalt, p},
      {Sem::s_sethalt, halt, p},
      {Sem::s_setkill, kill, p},
      {Sem::s_endpgm_ordered_ps_done, end, p},
      {Sem::s_cbranch_cdbgsys, debugBranch, b},
      {Sem::s_cbranch_cdbguser, debugBranch, b},
      {Sem::s_cbranch_cdbgsys_or_user, debugBranch, b},
      {Sem::s_cbranch_cdbgsys_and_user, debugBranch, b},
      {Sem::v_nop, nothing, p},
      {Sem::v_clrexcp, nothing, p},
      {Sem::ds_nop, nothing, p},
  };
  return table;
}
} // namespace tegula::sim
