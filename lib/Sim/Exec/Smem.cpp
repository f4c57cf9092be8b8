// Scalar memory: d = first scalar destination, b = scalar base, c = scalar offset or kNoOperand, x
// = immediate offset, aux = dwords.
#include "Sim/Exec/Context.h"
#include "Sim/Exec/Handlers.h"
#include "Sim/Exec/ScalarAddress.h"
#include "Sim/Sanitize/GlobalRaces.h"
#include "Sim/Sanitize/Poison.h"
#include "Sim/Sanitize/Waits.h"
#include "Sim/Sanitize/Watch.h"
#include <cstdio>

namespace tegula::sim {
namespace {
void pend(Wave &w, const Op &o, unsigned dwords) {
  if (!w.sanitized)
    return;
  PendingOp &p = beginLgkm(w, o, PendingKind::Smem);
  ownScalars(w, p, o.d, dwords);
}
/// Loads what is in bounds, dword by dword; the rest reads zero.
void loadChecked(Wave &w, const Op &o, uint64_t address, unsigned dwords) {
  if (accessible(*w.tc, o.slot, address, address + dwords * 4, kRead)) {
    if (w.sanitized && w.wg->races && w.tc->cache[o.slot].rights & kWrite)
      w.wg->races->scalar(w, o, address, dwords * 4, Touch::Read);
    std::memcpy(&w.s[o.d], reinterpret_cast<const void *>(address), dwords * 4);
    return;
  }
  bool reported = false;
  for (unsigned i = 0; i < dwords; ++i) {
    uint64_t at = address + 4 * i;
    const Allocation *a = findAllocation(*w.tc->launch->memory, at);
    if (a && at + 4 <= a->hi && (a->rights & kRead)) {
      std::memcpy(&w.s[o.d + i], reinterpret_cast<const void *>(at), 4);
      continue;
    }
    w.s[o.d + i] = 0;
    if (!reported)
      reportAccess(w, o, "a scalar read of 4 bytes", 0, at, 4);
    reported = true;
  }
}
uint64_t offsetOf(const Wave &w, const Op &o) {
  return uint64_t(int64_t(int32_t(o.x))) + (o.c == kNoOperand ? 0 : w.s[o.c]);
}
} // namespace

ScalarRange scalarRange(const Wave &w, const Op &o) {
  return {(w.get64(o.b) + offsetOf(w, o)) & ~uint64_t(3), o.aux};
}
/// Range in bytes: stride ? stride · num_records : num_records.
ScalarRange scalarBufferRange(const Wave &w, const Op &o) {
  uint64_t base = w.get64(o.b) & 0xffffffffffffull;
  uint64_t stride = w.s[o.b + 1] >> 16 & 0x3fff, records = w.s[o.b + 2];
  uint64_t limit = stride ? stride * records : records, offset = offsetOf(w, o) & ~uint64_t(3);
  unsigned inside = 0;
  while (inside < o.aux && offset + 4 * inside + 4 <= limit)
    ++inside;
  return {base + offset, inside};
}

namespace {
const Op *load(Wave &w, const Op &o) {
  ScalarRange range = scalarRange(w, o);
  loadChecked(w, o, range.address, range.dwords);
  if (w.sanitized && w.wg->poison)
    poisonedSmem(w, o, range.address, o.d, range.dwords);
  pend(w, o, o.aux);
  return &o + 1;
}
/// Dwords outside read zero.
const Op *bufferLoad(Wave &w, const Op &o) {
  ScalarRange range = scalarBufferRange(w, o);
  if (range.dwords)
    loadChecked(w, o, range.address, range.dwords);
  if (range.dwords && w.sanitized && w.wg->poison)
    poisonedSmem(w, o, range.address, o.d, range.dwords);
  for (unsigned i = range.dwords; i < o.aux; ++i)
    w.s[o.d + i] = 0;
  pend(w, o, o.aux);
  return &o + 1;
}
/// The functional clock is the number of executed instructions.
const Op *time(Wave &w, const Op &o) {
  uint64_t executed = 0;
  for (uint64_t c : w.counts)
    executed += c;
  w.set64(o.d, (executed + uint64_t(&o - w.blockStart)) * 4);
  pend(w, o, 2);
  return &o + 1;
}
const Op *nothing(Wave &, const Op &o) { return &o + 1; }
/// The scalar cache holds nothing old any more.
const Op *invalidate(Wave &w, const Op &o) {
  if (w.sanitized) {
    w.watch->scalarFrom = w.wg->stamp++;
    w.watch->scalarKnown = w.watch->known;
    w.watch->polled = {};
  }
  return &o + 1;
}
} // namespace

const HandlerTable &tableSmem() {
  const Shape s = Shape::Smem;
  static const HandlerTable table = {
      {Sem::s_load_dword, load, s, Elem::None, 1},
      {Sem::s_load_dwordx2, load, s, Elem::None, 2},
      {Sem::s_load_dwordx4, load, s, Elem::None, 4},
      {Sem::s_load_dwordx8, load, s, Elem::None, 8},
      {Sem::s_load_dwordx16, load, s, Elem::None, 16},
      {Sem::s_buffer_load_dword, bufferLoad, s, Elem::None, 1},
      {Sem::s_buffer_load_dwordx2, bufferLoad, s, Elem::None, 2},
      {Sem::s_buffer_load_dwordx4, bufferLoad, s, Elem::None, 4},
      {Sem::s_buffer_load_dwordx8, bufferLoad, s, Elem::None, 8},
      {Sem::s_buffer_load_dwordx16, bufferLoad, s, Elem::None, 16},
      {Sem::s_memtime, time, s},
      {Sem::s_memrealtime, time, s},
      {Sem::s_dcache_inv, invalidate, s},
      {Sem::s_dcache_wb, nothing, s},
      {Sem::s_dcache_inv_vol, invalidate, s},
      {Sem::s_dcache_wb_vol, nothing, s},
  };
  return table;
}
} // namespace tegula::sim
