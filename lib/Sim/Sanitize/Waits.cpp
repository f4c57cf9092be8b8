#include "Sim/Sanitize/Waits.h"
#include "Sim/Exec/Context.h"
#include "Sim/Sanitize/GlobalRaces.h"
#include "Sim/Sanitize/LdsShadow.h"
#include "Sim/Sanitize/Watch.h"
#include <algorithm>

namespace tegula::sim {

namespace {
constexpr unsigned kMaxVm = 63, kMaxLgkm = 15;

void disown(Wave &w, PendingOp &p, bool vm) {
  WaitState &s = w.watch->waits;
  uint8_t *owners = vm ? s.vmOwners : s.lgkmOwners;
  for (unsigned r = p.reg; r < unsigned(p.reg) + p.regs; ++r) {
    if (owners[r])
      --owners[r];
    if (!(s.vmOwners[r] | s.lgkmOwners[r]))
      w.watch->status[r] &= uint8_t(~kPending);
  }
  p.regs = 0;
}

constexpr uint32_t kNotYet = 0x7fa51a7e; // a NaN, an address of nothing, a large number

/// Takes the results out of their registers until they have been waited for.
void delay(Wave &w, PendingOp &p) {
  p.lateReg = p.reg;
  p.lateLanes = w.exec();
  bool scalar = p.reg >= kScalarReg;
  uint32_t *from = scalar ? &w.s[p.reg - kScalarReg] : w.row(p.reg * kRowBytes);
  p.late.assign(from, from + size_t(p.regs) * (scalar ? 1 : kLanes));
  for (size_t i = 0; i < p.late.size(); ++i)
    if (scalar || p.lateLanes >> i % kLanes & 1)
      from[i] = kNotYet;
}
/// The other entry of a FLAT access, if it is outstanding.
PendingOp *twinOf(PendingOp &p, WaitRing &other) {
  for (unsigned i = p.pair ? other.outstanding() : 0; i-- > 0;)
    if (other.at(i).pair == p.pair)
      return &other.at(i);
  return nullptr;
}
void deliver(Wave &w, PendingOp &p, WaitRing &other) {
  if (PendingOp *twin = twinOf(p, other)) { // which delivers them
    twin->late = std::move(p.late);
    twin->lateReg = p.lateReg;
    twin->lateLanes = p.lateLanes;
    p.late.clear();
    return;
  }
  bool scalar = p.lateReg >= kScalarReg;
  uint32_t *to = scalar ? &w.s[p.lateReg - kScalarReg] : w.row(p.lateReg * kRowBytes);
  for (size_t i = 0; i < p.late.size(); ++i)
    if (scalar || p.lateLanes >> i % kLanes & 1)
      to[i] = p.late[i];
  p.late.clear();
}

void own(Wave &w, PendingOp &p, bool vm, unsigned first, unsigned count) {
  WaitState &s = w.watch->waits;
  p.reg = uint16_t(first);
  p.regs = uint16_t(count);
  for (unsigned r = first; r < first + count; ++r) {
    ++(vm ? s.vmOwners : s.lgkmOwners)[r];
    w.watch->status[r] |= kPending;
  }
}
void ownLate(Wave &w, PendingOp &p, bool vm, unsigned first, unsigned count) {
  own(w, p, vm, first, count);
  if (w.tc->launch->config->lateLoads)
    delay(w, p);
}

bool isWriteBack(const Wave &w, const Op &o) {
  return Sem(w.program->uses[size_t(&o - w.program->ops.data())].sem) == Sem::buffer_wbl2;
}

void retire(Wave &w, PendingOp &p, bool vm) {
  WaitState &s = w.watch->waits;
  if (!p.late.empty())
    deliver(w, p, vm ? s.lgkm : s.vm);
  p.pair = 0;
  disown(w, p, vm);
  if (p.kind == PendingKind::Dma && w.wg->shadow)
    landDma(w, p);
  if (vm)
    s.completed = std::max(s.completed, p.stamp);
  if (p.kind == PendingKind::Other && w.wg->races && isWriteBack(w, *p.op))
    w.wg->races->writtenBack(p.part1);
  if (!p.heard)
    return;
  if (w.wg->races)
    w.wg->races->acquire(w, p.heard);
  else
    w.watch->known = Knowledge::joined(w.watch->known, p.heard);
  p.heard = nullptr;
}

PendingOp &begin(Wave &w, const Op &o, PendingKind kind, bool vm) {
  WaitRing &ring = vm ? w.watch->waits.vm : w.watch->waits.lgkm;
  // The counters hold 63 and 15: with as many outstanding the hardware stalls until one is done,
  // and compilers rely on it by not waiting for anything that old.
  if (vm)
    waitVm(w, kMaxVm - 1);
  else
    waitLgkm(w, kMaxLgkm - 1);
  if (ring.full()) { // scalar loads only: nothing proves which of them is done
    retire(w, ring.oldest(), vm);
    ring.pop();
  }
  PendingOp &p = ring.push();
  p.op = &o;
  p.kind = kind;
  p.pair = 0;
  p.reg = p.regs = 0;
  p.lanes = 0;
  p.bytes = 0;
  p.parts = 0;
  p.late.clear();
  p.stamp = w.wg->stamp;
  p.heard = std::move(w.watch->hearing);
  return p;
}

/// The newest entry of `ring` that owns a register, and how many were issued after it.
PendingOp *findOwner(WaitRing &ring, unsigned r, unsigned &after) {
  for (unsigned i = ring.outstanding(); i-- > 0;) {
    PendingOp &p = ring.at(i);
    if (r >= p.reg && r < unsigned(p.reg) + p.regs) {
      after = ring.outstanding() - 1 - i;
      return &p;
    }
  }
  return nullptr;
}

std::string hexPc(const Wave &w, const Op *op) {
  char text[24];
  std::snprintf(text, sizeof text, "0x%x", w.program->pc(op));
  return text;
}

void reportUse(Wave &w, const Op &o, PendingOp &p, bool vm, unsigned after, unsigned reg,
               bool write) {
  if (!w.tc->launch->config->checkWaits) {
    disown(w, p, vm);
    return;
  }
  std::string counter =
      vm ? "vmcnt(" + std::to_string(after) + ")"
         : "lgkmcnt(" + std::to_string(p.kind == PendingKind::Smem ? 0 : after) + ")";
  report(w, o, FindingKind::UseBeforeWait, Severity::Error, w.exec(), 0,
         registerName(w, reg) + " is " + (write ? "overwritten" : "read") + " while the load at " +
             hexPc(w, p.op) + " is outstanding; s_waitcnt " + counter + " would have sufficed",
         p.op);
  disown(w, p, vm); // one report a cause
}

void checkRegister(Wave &w, const Op &o, const Uses &u, unsigned r, bool write) {
  WaitState &s = w.watch->waits;
  unsigned after = 0;
  // Loads of one counter return in order, so a second load into the same register is fine.
  if (s.vmOwners[r] && !(write && u.counter & Uses::kVm))
    if (PendingOp *p = findOwner(s.vm, r, after))
      reportUse(w, o, *p, true, after, r, write);
  if (s.lgkmOwners[r] && !(write && u.counter & Uses::kLds))
    if (PendingOp *p = findOwner(s.lgkm, r, after))
      reportUse(w, o, *p, false, after, r, write);
}
} // namespace

void WaitState::clear() {
  vm.clear();
  lgkm.clear();
  pairs = completed = 0;
  std::fill(std::begin(vmOwners), std::end(vmOwners), uint8_t(0));
  std::fill(std::begin(lgkmOwners), std::end(lgkmOwners), uint8_t(0));
}

PendingOp &beginVm(Wave &w, const Op &o, PendingKind kind) { return begin(w, o, kind, true); }
PendingOp &beginLgkm(Wave &w, const Op &o, PendingKind kind) { return begin(w, o, kind, false); }

void ownRows(Wave &w, PendingOp &p, bool vm, uint32_t rowOffset, unsigned rows) {
  ownLate(w, p, vm, rowOffset / kRowBytes, rows);
}

PendingOp &beginFlat(Wave &w, const Op &o, PendingKind kind, uint32_t rowOffset, unsigned rows) {
  bool load = kind == PendingKind::Load, store = kind == PendingKind::Store;
  PendingOp &p = beginVm(w, o, load || rows ? PendingKind::Load : PendingKind::Store);
  PendingOp &q = beginLgkm(w, o,
                           load    ? PendingKind::LdsRead
                           : store ? PendingKind::LdsWrite
                                   : PendingKind::LdsOther);
  p.pair = q.pair = ++w.watch->waits.pairs;
  if (!rows)
    return q;
  ownLate(w, p, true, rowOffset / kRowBytes, rows);
  own(w, q, false, rowOffset / kRowBytes, rows);
  return q;
}

void ownScalars(Wave &w, PendingOp &p, unsigned first, unsigned count) {
  ownLate(w, p, false, kScalarReg + first, count);
}

void waitVm(Wave &w, unsigned n) {
  WaitRing &ring = w.watch->waits.vm;
  if (ring.outstanding() <= n)
    return;
  while (ring.outstanding() > n) {
    retire(w, ring.oldest(), true);
    ring.pop();
  }
  // What comes now is told apart from what is complete.
  if (w.wg->races && w.wg->races->chains())
    ++w.wg->stamp;
}

uint32_t completedStamp(Wave &w) {
  WaitState &s = w.watch->waits;
  return s.vm.outstanding() ? std::max(s.completed, s.vm.oldest().stamp - 1) : w.wg->stamp;
}

uint32_t storedStamp(const Wave &w) {
  const WaitRing &ring = w.watch->waits.vm;
  for (unsigned i = 0; i < ring.outstanding(); ++i)
    if (ring.at(i).kind == PendingKind::Store)
      return std::max(w.watch->waits.completed, ring.at(i).stamp - 1);
  return w.wg->stamp;
}

void waitLgkm(Wave &w, unsigned n) {
  WaitRing &ring = w.watch->waits.lgkm;
  // Scalar loads return out of order: with one outstanding, only lgkmcnt(0) proves anything about
  // scalars; LDS results are in order among themselves, and at most n operations remain in all.
  unsigned lds = 0;
  for (unsigned i = 0; i < ring.outstanding(); ++i)
    lds += ring.at(i).kind != PendingKind::Smem;
  for (unsigned i = 0; i < ring.outstanding() && lds > n; ++i) {
    PendingOp &p = ring.at(i);
    if (p.kind == PendingKind::Smem)
      continue;
    retire(w, p, false);
    p.kind = PendingKind::Smem; // done; keeps its place until everything before it is
    p.regs = 0;
    --lds;
  }
  while (ring.outstanding() && ring.oldest().kind == PendingKind::Smem &&
         (n == 0 || ring.oldest().regs == 0)) {
    retire(w, ring.oldest(), false);
    ring.pop();
  }
}

void checkPendingUses(Wave &w, const Op &o, const Uses &u) {
  for (const Uses::Run &run : u) {
    if (!run.has(kUseRead | kUseWrite) || run.first >= kHardwareReg)
      continue;
    for (unsigned r = run.first; r < unsigned(run.first) + run.count; ++r)
      if (w.watch->status[r] & kPending)
        checkRegister(w, o, u, r, !run.has(kUseRead));
  }
}

void restampAtBarrier(Wave &w) {
  if (!w.wg->shadow)
    return;
  WaitRing &ring = w.watch->waits.lgkm;
  for (unsigned i = 0; i < ring.outstanding(); ++i) {
    PendingOp &p = ring.at(i);
    if (p.kind == PendingKind::LdsRead || p.kind == PendingKind::LdsWrite)
      restampLds(w, p);
  }
}

} // namespace tegula::sim
