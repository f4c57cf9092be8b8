#include "Sim/Sanitize/Waits.h"
#include "Sim/Exec/Context.h"
#include "Sim/Sanitize/LdsShadow.h"

namespace tegula::sim {

namespace {
constexpr unsigned kMaxVm = 63, kMaxLgkm = 15;

void disown(Wave &w, PendingOp &p, bool vm) {
  uint8_t *owners = vm ? w.waits->vmRows : w.waits->lgkmRows;
  for (unsigned r = 0; r < p.rows; ++r)
    if (owners[p.row + r])
      --owners[p.row + r], --w.pending;
  for (unsigned r = 0; r < p.scalars; ++r)
    if (w.waits->scalars[p.scalar + r])
      --w.waits->scalars[p.scalar + r], --w.pending;
  p.rows = p.scalars = 0;
}

void retire(Wave &w, PendingOp &p, bool vm) {
  disown(w, p, vm);
  if (p.kind == PendingKind::Dma && w.wg->shadow)
    landDma(w, p);
}

PendingOp &begin(Wave &w, const Op &o, PendingKind kind, bool vm) {
  WaitRing &ring = vm ? w.waits->vm : w.waits->lgkm;
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
  p.both = false;
  p.row = p.rows = 0;
  p.scalar = p.scalars = 0;
  p.lanes = 0;
  p.bytes = 0;
  p.parts = 0;
  return p;
}

/// The newest entry of `ring` that owns row (or scalar) `r`, and how many were issued after it.
PendingOp *findOwner(WaitRing &ring, unsigned r, bool scalar, unsigned &after) {
  for (unsigned i = ring.outstanding(); i-- > 0;) {
    PendingOp &p = ring.at(i);
    unsigned first = scalar ? p.scalar : p.row, count = scalar ? p.scalars : p.rows;
    if (r >= first && r < first + count) {
      after = ring.outstanding() - 1 - i;
      return &p;
    }
  }
  return nullptr;
}

std::string rowName(const Wave &w, unsigned r) {
  unsigned accum = w.tc->launch->kernel->accumOffset;
  return r < accum ? "v" + std::to_string(r) : "a" + std::to_string(r - accum);
}

std::string hexPc(const Wave &w, const Op *op) {
  char text[24];
  std::snprintf(text, sizeof text, "0x%x", w.program->pc(op));
  return text;
}

void reportUse(Wave &w, const Op &o, PendingOp &p, bool vm, unsigned after, const std::string &reg,
               bool write) {
  std::string counter =
      vm ? "vmcnt(" + std::to_string(after) + ")"
         : "lgkmcnt(" + std::to_string(p.kind == PendingKind::Smem ? 0 : after) + ")";
  report(w, o, FindingKind::UseBeforeWait, Severity::Error, w.exec(), 0,
         reg + " is " + (write ? "overwritten" : "read") + " while the load at " + hexPc(w, p.op) +
             " is outstanding; s_waitcnt " + counter + " would have sufficed",
         p.op);
  disown(w, p, vm); // one report a cause
}

void checkRow(Wave &w, const Op &o, const Uses &u, unsigned r, bool write) {
  WaitState &s = *w.waits;
  unsigned after = 0;
  // Loads of one counter return in order, so a second load into the same register is fine.
  if (s.vmRows[r] && !(write && u.counter & Uses::kVm))
    if (PendingOp *p = findOwner(s.vm, r, false, after))
      reportUse(w, o, *p, true, after, rowName(w, r), write);
  if (s.lgkmRows[r] && !(write && u.counter & Uses::kLds))
    if (PendingOp *p = findOwner(s.lgkm, r, false, after))
      reportUse(w, o, *p, false, after, rowName(w, r), write);
}
} // namespace

PendingOp &beginVm(Wave &w, const Op &o, PendingKind kind) { return begin(w, o, kind, true); }
PendingOp &beginLgkm(Wave &w, const Op &o, PendingKind kind) { return begin(w, o, kind, false); }

void ownRows(Wave &w, PendingOp &p, bool vm, uint32_t rowOffset, unsigned rows) {
  p.row = uint16_t(rowOffset / kRowBytes);
  p.rows = uint16_t(rows);
  uint8_t *owners = vm ? w.waits->vmRows : w.waits->lgkmRows;
  for (unsigned r = 0; r < rows; ++r)
    ++owners[p.row + r], ++w.pending;
}

void ownScalars(Wave &w, PendingOp &p, unsigned first, unsigned count) {
  p.scalar = uint8_t(first);
  p.scalars = uint8_t(count);
  for (unsigned r = 0; r < count; ++r)
    ++w.waits->scalars[first + r], ++w.pending;
}

void waitVm(Wave &w, unsigned n) {
  WaitRing &ring = w.waits->vm;
  while (ring.outstanding() > n) {
    retire(w, ring.oldest(), true);
    ring.pop();
  }
}

void waitLgkm(Wave &w, unsigned n) {
  WaitRing &ring = w.waits->lgkm;
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
    p.scalars = 0;
    --lds;
  }
  while (ring.outstanding() && ring.oldest().kind == PendingKind::Smem &&
         (n == 0 || ring.oldest().scalars == 0)) {
    retire(w, ring.oldest(), false);
    ring.pop();
  }
}

void checkPendingUses(Wave &w, const Op &o) {
  const Uses &u = w.program->uses[size_t(&o - w.program->ops.data())];
  for (unsigned i = 0; i < u.numRows; ++i)
    for (unsigned r = u.rows[i].first; r < unsigned(u.rows[i].first + u.rows[i].count); ++r)
      if (w.waits->vmRows[r] | w.waits->lgkmRows[r])
        checkRow(w, o, u, r, u.rows[i].write);
  for (unsigned i = 0; i < u.numScalars; ++i)
    for (unsigned r = u.scalars[i].first; r < unsigned(u.scalars[i].first + u.scalars[i].count);
         ++r)
      if (w.waits->scalars[r]) {
        unsigned after = 0;
        if (PendingOp *p = findOwner(w.waits->lgkm, r, true, after))
          reportUse(w, o, *p, false, after, "s" + std::to_string(r), u.scalars[i].write);
      }
}

void restampAtBarrier(Wave &w) {
  if (!w.wg->shadow)
    return;
  WaitRing &ring = w.waits->lgkm;
  for (unsigned i = 0; i < ring.outstanding(); ++i) {
    PendingOp &p = ring.at(i);
    if (p.kind == PendingKind::LdsRead || p.kind == PendingKind::LdsWrite)
      restampLds(w, p);
  }
}

} // namespace tegula::sim
