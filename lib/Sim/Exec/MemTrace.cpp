#include "Sim/Exec/MemTrace.h"
#include "Sim/Counters/Counting.h"
#include "Sim/Exec/Handlers.h"
#include "Sim/Exec/ScalarAddress.h"

namespace tegula::sim {

namespace {
void traceDs(const Wave &w, const Op &o, const CountedAccess &a, MemTrace &t) {
  t.space = MemTrace::Space::Lds;
  for (unsigned part = 0; part < a.parts; ++part) {
    uint32_t offset = a.parts == 2 ? (o.x >> (8 * part) & 0xff) * a.unit : o.x;
    for (uint64_t m = w.exec(); m; m &= m - 1) {
      unsigned l = unsigned(__builtin_ctzll(m));
      t.add(l, offset + (a.addTid ? (w.s[kM0] & 0xffff) + 4 * l : w.row(o.a)[l]));
    }
  }
}

void traceVector(Wave &w, const Op &o, const CountedAccess &a, MemTrace &t) {
  VmemLanes v;
  if (a.typed)
    t.bytes = uint8_t(elementBytes(w, o));
  if (t.bytes == 0)
    return;
  vmemAddresses(w, o, a.space, t.bytes, false, v);
  t.space = a.space == Space::Scratch ? MemTrace::Space::Scratch : MemTrace::Space::Global;
  // A FLAT access is traced by where its first lane goes.
  if (a.space == Space::Flat && v.active) {
    uint64_t high = v.address[__builtin_ctzll(v.active)] >> 32;
    if (high == kLdsAperture >> 32 || high == kScratchAperture >> 32) {
      t.space = high == kLdsAperture >> 32 ? MemTrace::Space::Lds : MemTrace::Space::Scratch;
      for (unsigned l = 0; l < kLanes; ++l)
        v.address[l] &= 0xffffffff;
    }
  }
  for (uint64_t m = v.active; m; m &= m - 1) {
    unsigned l = unsigned(__builtin_ctzll(m));
    if (a.space != Space::Buffer || v.room[l] >= t.bytes)
      t.add(l, v.address[l]);
  }
}

void traceScalar(const Wave &w, const Op &o, const CountedAccess &a, MemTrace &t) {
  ScalarRange range =
      a.where == CountedAccess::Where::ScalarBuffer ? scalarBufferRange(w, o) : scalarRange(w, o);
  t.space = MemTrace::Space::Global;
  t.bytes = uint8_t(range.dwords * 4);
  if (range.dwords)
    t.add(0, range.address);
}
} // namespace

bool traceMemory(Wave &w, const Op &o, const Instruction &inst, MemTrace &t) {
  t.space = MemTrace::Space::None;
  t.count = 0;
  if (!inst.ok() || o.fn == refuseHandler())
    return false;
  auto a = describeAccess(inst);
  if (!a)
    return false;
  t.reads = a->use != LdsUse::Write;
  t.writes = a->use == LdsUse::Write || a->use == LdsUse::Atomic;
  t.bytes = a->bytes;
  switch (a->where) {
  case CountedAccess::Where::Lds:
    traceDs(w, o, *a, t);
    break;
  case CountedAccess::Where::Vector:
    traceVector(w, o, *a, t);
    break;
  case CountedAccess::Where::Scalar:
  case CountedAccess::Where::ScalarBuffer:
    traceScalar(w, o, *a, t);
  }
  return true;
}

} // namespace tegula::sim
