// The handler of a counted instruction. It looks at the registers before the instruction's own
// handler runs.
#include "Sim/Counters/Counting.h"
#include "Sim/Exec/Handlers.h"
#include "Sim/Exec/LdsAccess.h"
#include "Sim/Exec/ScalarAddress.h"
#include <algorithm>

namespace tegula::sim {
namespace {
size_t widthIndex(unsigned width) {
  return size_t(std::find(kAccessWidths.begin(), kAccessWidths.end(), width) -
                kAccessWidths.begin());
}

/// Aligned segments of 1 << shift bytes that an access adds to those of lower addresses.
uint64_t newSegments(uint64_t address, uint64_t bytes, unsigned shift, uint64_t &next) {
  uint64_t first = std::max(address >> shift, next), end = ((address + bytes - 1) >> shift) + 1;
  if (end <= first)
    return 0;
  next = end;
  return end - first;
}

/// Lane accesses of one execution, which are counted by address and allocation.
class MemoryAccess {
public:
  MemoryAccess(const ThreadContext &tc, TrafficKind kind, unsigned width, AccessCount &count)
      : tc_(tc), kind_(kind), width_(widthIndex(width)), count_(count) {}
  void add(uint64_t address, uint64_t bytes) { lanes_[n_++] = {address, bytes}; }
  void finish();

private:
  struct Lane {
    uint64_t address, bytes;
  };
  bool allowed(const Allocation *a, const Lane &lane) const {
    uint8_t rights = kind_ == TrafficKind::Read    ? kRead
                     : kind_ == TrafficKind::Write ? kWrite
                                                   : kRead | kWrite;
    return a && lane.address + lane.bytes <= a->hi && (a->rights & rights) == rights;
  }
  Traffic &trafficOf(const Allocation *a) const {
    return tc_.counters->allocations[size_t(a - tc_.launch->memory->data())][size_t(kind_)];
  }
  void count(const Lane &, Traffic &);

  const ThreadContext &tc_;
  TrafficKind kind_;
  size_t width_;
  AccessCount &count_;
  Lane lanes_[kLanes];
  unsigned n_ = 0;
  uint64_t next64_ = 0, next128_ = 0;
};

void MemoryAccess::count(const Lane &lane, Traffic &t) {
  uint64_t s64 = newSegments(lane.address, lane.bytes, 6, next64_);
  uint64_t s128 = newSegments(lane.address, lane.bytes, 7, next128_);
  ++count_.lanes;
  count_.bytes += lane.bytes;
  count_.segments64 += s64;
  count_.segments128 += s128;
  ++t.lanes[width_];
  t.bytes += lane.bytes;
  t.segments64 += s64;
  t.segments128 += s128;
}

void MemoryAccess::finish() {
  std::sort(lanes_, lanes_ + n_,
            [](const Lane &a, const Lane &b) { return a.address < b.address; });
  const Allocation *in = nullptr;
  bool seen = false;
  for (const Lane *lane = lanes_; lane != lanes_ + n_; ++lane) {
    if (!in || lane->address >= in->hi) {
      in = findAllocation(*tc_.launch->memory, lane->address);
      seen = false;
    }
    if (!allowed(in, *lane))
      continue; // a finding, and no access
    Traffic &t = trafficOf(in);
    t.executions += !seen;
    seen = true;
    count(*lane, t);
  }
}

/// Returns the lanes that are inside the workgroup's LDS.
uint64_t countLds(const Wave &w, LdsUse use, const uint32_t *address, uint64_t lanes,
                  unsigned bytes, AccessCount &count) {
  uint64_t inside = 0;
  for (uint64_t m = lanes; m; m &= m - 1)
    if (uint64_t(address[__builtin_ctzll(m)]) + bytes <= w.wg->ldsBytes)
      inside |= m & -m;
  LdsCost cost = ldsCost(w.program->arch, use, address, inside, bytes);
  count.phases += cost.phases;
  count.conflicts += cost.conflicts;
  return inside;
}

void countLanes(uint64_t lanes, unsigned bytes, AccessCount &count) {
  count.lanes += uint64_t(__builtin_popcountll(lanes));
  count.bytes += uint64_t(__builtin_popcountll(lanes)) * bytes;
}

void countDs(const Wave &w, const Op &o, const CountedAccess &a, AccessCount &count) {
  for (unsigned part = 0; part < a.parts; ++part) {
    uint32_t offset = a.parts == 2 ? (o.x >> (8 * part) & 0xff) * a.unit : o.x;
    LdsAddresses at;
    for (unsigned l = 0; l < kLanes; ++l)
      at.lane[l] = offset + (a.addTid ? (w.s[kM0] & 0xffff) + 4 * l : w.row(o.a)[l]);
    countLanes(countLds(w, a.use, at.lane, w.exec(), a.bytes, count), a.bytes, count);
  }
}

/// Scratch has no allocation of its own, and its lanes are interleaved on the way to memory.
void countScratch(const Wave &w, TrafficKind kind, uint64_t lanes, unsigned bytes,
                  AccessCount &count) {
  if (!lanes)
    return;
  Traffic &t = w.tc->counters->allocations.back()[size_t(kind)];
  ++t.executions;
  t.bytes += uint64_t(__builtin_popcountll(lanes)) * bytes;
  t.lanes[widthIndex(bytes)] += uint64_t(__builtin_popcountll(lanes));
  countLanes(lanes, bytes, count);
}

uint64_t takeAperture(VmemLanes &v, uint64_t aperture) {
  uint64_t lanes = 0;
  for (uint64_t m = v.active; m; m &= m - 1)
    if (v.address[__builtin_ctzll(m)] >> 32 == aperture >> 32)
      lanes |= m & -m;
  v.active &= ~lanes;
  return lanes;
}

/// Lanes of a FLAT access that mean LDS or scratch.
void countApertures(const Wave &w, const CountedAccess &a, TrafficKind kind, VmemLanes &v,
                    AccessCount &count) {
  uint64_t lds = takeAperture(v, kLdsAperture);
  LdsAddresses at;
  for (unsigned l = 0; l < kLanes; ++l)
    at.lane[l] = uint32_t(v.address[l]);
  countLanes(countLds(w, a.use, at.lane, lds, a.bytes, count), a.bytes, count);
  countScratch(w, kind, takeAperture(v, kScratchAperture), a.bytes, count);
}

void countMemory(const Wave &w, const CountedAccess &a, TrafficKind kind, const VmemLanes &v,
                 AccessCount &count) {
  bool whole = kind == TrafficKind::Atomic;
  MemoryAccess access(*w.tc, kind, a.bytes, count);
  for (uint64_t m = v.active; m; m &= m - 1) {
    unsigned l = unsigned(__builtin_ctzll(m));
    uint64_t bytes = a.bytes;
    if (a.space == Space::Buffer && v.room[l] < bytes)
      bytes = whole || bytes < 4 ? 0 : v.room[l] & ~uint64_t(3);
    if (bytes && !(whole && v.address[l] % bytes))
      access.add(v.address[l], bytes);
  }
  access.finish();
}

TrafficKind kindOf(LdsUse use) {
  return use == LdsUse::Write    ? TrafficKind::Write
         : use == LdsUse::Atomic ? TrafficKind::Atomic
                                 : TrafficKind::Read;
}

void countTyped(Wave &w, const Op &o, const CountedAccess &a, AccessCount &count) {
  VmemLanes v;
  unsigned bytes = elementBytes(w, o);
  if (!bytes)
    return;
  vmemAddresses(w, o, Space::Buffer, bytes, false, v);
  MemoryAccess access(*w.tc, kindOf(a.use), bytes, count);
  for (uint64_t m = v.active; m; m &= m - 1)
    if (unsigned l = unsigned(__builtin_ctzll(m)); v.room[l] >= bytes)
      access.add(v.address[l], bytes);
  access.finish();
}

void countUntyped(Wave &w, const Op &o, const CountedAccess &a, AccessCount &count) {
  TrafficKind kind = kindOf(a.use);
  VmemLanes v;
  vmemAddresses(w, o, a.space, a.bytes, false, v);
  if (a.space == Space::Scratch)
    countScratch(w, kind, v.active, a.bytes, count);
  else if (a.space == Space::Flat)
    countApertures(w, a, kind, v, count);
  if (a.space != Space::Scratch)
    countMemory(w, a, kind, v, count);
}

void countVector(Wave &w, const Op &o, const CountedAccess &a, AccessCount &count) {
  (a.typed ? countTyped : countUntyped)(w, o, a, count);
  if (!a.toLds)
    return;
  LdsAddresses at;
  unsigned bytes = std::max<unsigned>(a.bytes, 4); // an element becomes a dword
  copyAddresses(w, o, copySlot(bytes), at);
  countLds(w, LdsUse::Write, at.lane, w.exec(), bytes, count);
}

void countScalar(const Wave &w, const Op &o, const CountedAccess &a, AccessCount &count) {
  ScalarRange range =
      a.where == CountedAccess::Where::ScalarBuffer ? scalarBufferRange(w, o) : scalarRange(w, o);
  bool whole = a.use == LdsUse::Atomic;
  uint64_t bytes = whole ? a.bytes : range.dwords * 4;
  MemoryAccess access(*w.tc, kindOf(a.use), a.bytes, count);
  if (bytes && !(whole && (range.dwords * 4 < bytes || range.address % bytes)))
    access.add(range.address, bytes);
  access.finish();
}

const Op *counted(Wave &w, const Op &o) {
  const Program &p = *w.program;
  const Counting &counting = *p.counting;
  size_t index = counting.accessOfOp[size_t(&o - p.ops.data())];
  const CountedAccess &a = counting.accesses[index];
  AccessCount &count = w.tc->counters->instructions[index];
  ++count.executions;
  switch (a.where) {
  case CountedAccess::Where::Lds:
    countDs(w, o, a, count);
    break;
  case CountedAccess::Where::Vector:
    countVector(w, o, a, count);
    break;
  case CountedAccess::Where::Scalar:
  case CountedAccess::Where::ScalarBuffer:
    countScalar(w, o, a, count);
  }
  return a.fn(w, o);
}
} // namespace

void addCounting(Program &p) {
  auto counting = std::make_shared<Counting>();
  counting->accessOfOp.assign(p.ops.size(), kNoAccess);
  for (size_t i = 0; i < p.ops.size(); ++i) {
    Op &op = p.ops[i];
    // An instruction's own op is its last; a refusing op doesn't access anything.
    if (op.fn == refuseHandler() || (i + 1 < p.ops.size() && p.pcOf[i + 1] == p.pcOf[i]))
      continue;
    auto access = describeAccess(decode(p.arch, p.text, p.textSize, p.pcOf[i]));
    if (!access)
      continue;
    access->fn = op.fn;
    op.fn = counted;
    counting->accessOfOp[i] = uint32_t(counting->accesses.size());
    counting->accesses.push_back(*access);
    counting->pcs.push_back(p.pcOf[i]);
  }
  p.counting = std::move(counting);
}

Handler plainHandler(const Program &p, const Op &o) {
  if (!p.counting)
    return o.fn;
  uint32_t index = p.counting->accessOfOp[size_t(&o - p.ops.data())];
  return index == kNoAccess ? o.fn : p.counting->accesses[index].fn;
}

void AccessCounters::add(const AccessCounters &other) {
  for (size_t i = 0; i < instructions.size(); ++i) {
    AccessCount &a = instructions[i];
    const AccessCount &b = other.instructions[i];
    a.executions += b.executions;
    a.lanes += b.lanes;
    a.bytes += b.bytes;
    a.phases += b.phases;
    a.conflicts += b.conflicts;
    a.segments64 += b.segments64;
    a.segments128 += b.segments128;
  }
  for (size_t i = 0; i < allocations.size(); ++i)
    for (size_t kind = 0; kind < allocations[i].size(); ++kind) {
      Traffic &a = allocations[i][kind];
      const Traffic &b = other.allocations[i][kind];
      a.executions += b.executions;
      a.bytes += b.bytes;
      a.segments64 += b.segments64;
      a.segments128 += b.segments128;
      for (size_t k = 0; k < a.lanes.size(); ++k)
        a.lanes[k] += b.lanes[k];
    }
}

} // namespace tegula::sim
