// Undefined bits to and from memory: the access runs a second time, on shadows of the same layout.
#include "Sim/Counters/Counting.h"
#include "Sim/Exec/LdsAccess.h"
#include "Sim/Exec/VmemAddress.h"
#include "Sim/Sanitize/LdsShadow.h"
#include "Sim/Sanitize/PoisonParts.h"
#include <algorithm>

namespace tegula::sim {

namespace poison {
namespace {
bool isCrossbar(Sem sem) {
  return sem == Sem::ds_bpermute_b32 || sem == Sem::ds_permute_b32 || sem == Sem::ds_swizzle_b32;
}

uint64_t poisonedLanes(const Wave &w, const Uses::Run &run) {
  uint64_t lanes = 0;
  for (unsigned r = run.first; r < unsigned(run.first) + run.count; ++r)
    if (w.watch->status[r] & kPoisoned)
      for (unsigned l = 0; l < kLanes; ++l)
        lanes |= uint64_t(shadow(w, r * kRowBytes)[l] != 0) << l;
  return lanes;
}

void reportRows(Wave &w, const Op &o, const Uses::Run &run, const char *what, uint64_t active) {
  uint64_t bad = poisonedLanes(w, run) & active, left = bad;
  for (unsigned r = run.first; left && r < unsigned(run.first) + run.count; ++r) {
    uint64_t here = poisonedLanes(w, {uint16_t(r), 1, run.operand, run.role}) & left;
    lanesDecide(w, o, r, what, here);
    left &= ~here;
  }
  if (bad)
    define(w, run, bad);
}

/// Where the lanes of a crossbar's result come from: it runs on a row that holds each lane's
/// number.
LaneOrigins crossbarOrigins(Wave &w, const Op &o, const Uses &u) {
  LaneOrigins result = originsOf(w, o.d / kRowBytes); // lanes outside EXEC keep theirs
  uint32_t data = Sem(u.sem) == Sem::ds_swizzle_b32 ? o.a : o.b, any = originOf(w, u);
  LaneOrigins source = originsOf(w, data / kRowBytes);
  Op moved = o;
  moved.fn = plainHandler(*w.program, o);
  moved.d = w.program->tempOffset(kSourceRows);
  uint32_t numbers = w.program->tempOffset(kSourceRows + 1);
  (Sem(u.sem) == Sem::ds_swizzle_b32 ? moved.a : moved.b) = numbers;
  for (unsigned l = 0; l < kLanes; ++l)
    w.row(numbers)[l] = l + 1;
  std::fill_n(w.row(moved.d), kLanes, 0u);
  runOnShadows(w, moved);
  for (uint64_t m = w.exec(); m; m &= m - 1) {
    unsigned l = unsigned(__builtin_ctzll(m));
    uint32_t number = w.row(moved.d)[l];
    uint32_t origin = number && number <= kLanes ? source[number - 1] : 0;
    result[l] = origin ? origin : any; // the lane that the data comes from may be unknown
  }
  return result;
}

/// Data that goes from lane to lane: the handler moves the shadows, by real lane numbers.
void spreadCrossbar(Wave &w, const Op &o, const Uses &u) {
  uint32_t delta = of(w).delta;
  uint64_t unknown = 0;
  LaneOrigins from = crossbarOrigins(w, o, u);
  Op moved = o;
  moved.fn = plainHandler(*w.program, o);
  moved.d += delta;
  if (Sem(u.sem) == Sem::ds_swizzle_b32) {
    moved.a += delta;
  } else {
    moved.b += delta;
    for (const Uses::Run &run : u)
      if (run.has(kUseAddress))
        unknown = poisonedLanes(w, run) & w.exec();
  }
  unsigned reg = o.d / kRowBytes;
  touch(w, reg);
  runOnShadows(w, moved);
  if (unknown && Sem(u.sem) == Sem::ds_permute_b32)
    unknown = w.exec(); // any lane may have been hit
  for (uint64_t m = unknown; m; m &= m - 1)
    shadow(w, o.d)[__builtin_ctzll(m)] = ~0u;
  refreshLanes(w, reg, from);
}
} // namespace

void spreadMemory(Wave &w, const Op &o, const Uses &u) {
  if (isCrossbar(Sem(u.sem)))
    return spreadCrossbar(w, o, u);
  uint64_t exec = w.exec();
  bool scalar = u.traits & kIsSmem, atomic = u.traits & kIsAtomic;
  for (const Uses::Run &run : u) {
    if (run.has(kUseAddress))
      reportRows(w, o, run, "an address", exec);
    if (run.has(kUseBase) && (scalar || exec))
      for (unsigned r = run.first; r < unsigned(run.first) + run.count; ++r)
        if (w.watch->status[r] & kPoisoned) {
          decides(w, o, r, run.first == kScalarReg + kM0 ? "an address" : "part of an address",
                  exec, originOfRegister(w, r));
          define(w, r, ~0ull);
        }
    if (run.has(kUseData) && atomic && !scalar)
      reportRows(w, o, run, "an operand of an atomic", exec);
    if (run.has(kUseData) && scalar)
      for (unsigned r = run.first; r < unsigned(run.first) + run.count; ++r)
        if (w.watch->status[r] & kPoisoned) {
          decides(w, o, r, "stored to global memory", 0, originOfRegister(w, r));
          define(w, r, ~0ull);
        }
  }
  for (const Uses::Run &run : u)
    if (run.has(kUseWrite))
      define(w, run, exec);
}
} // namespace poison

using namespace poison;

namespace {
constexpr unsigned kMostBytes = 64; ///< of a lane's access

bool inside(const VmemLanes &v, unsigned lane, const std::byte *memory, size_t bytes) {
  uintptr_t lo = reinterpret_cast<uintptr_t>(memory);
  return v.address[lane] - lo < bytes;
}

/// Lanes whose address is in global memory; FLAT may lead to LDS and scratch.
uint64_t globalLanes(const Wave &w, const VmemLanes &v) {
  uint64_t lanes = v.active;
  size_t scratch = size_t(w.scratchBytes) * kLanes;
  for (uint64_t m = v.active; m; m &= m - 1) {
    unsigned l = unsigned(__builtin_ctzll(m));
    if (inside(v, l, w.wg->lds, w.wg->ldsBytes) || (scratch && inside(v, l, w.scratch, scratch)))
      lanes &= ~(m & -m);
  }
  return lanes;
}

const Uses::Run *runWith(const Uses &u, unsigned role) {
  for (const Uses::Run &run : u)
    if (run.has(role) && run.first < kScalarReg)
      return &run;
  return nullptr;
}

/// Stores of undefined data are findings, unless all that is undefined of a lane's came from global
/// memory, as it is or by way of arithmetic: then the copy is as undefined as the original, and a
/// finding when it decides something.
void checkStored(Wave &w, const Op &o, const Uses::Run &data, uint64_t lanes, uint32_t bits) {
  for (unsigned r = data.first; r < unsigned(data.first) + data.count; ++r) {
    if (!(w.watch->status[r] & kPoisoned))
      continue;
    uint64_t bad = 0;
    for (uint64_t m = lanes; m; m &= m - 1) {
      unsigned l = unsigned(__builtin_ctzll(m));
      bool copied = w.wg->poison->origins[originAt(w, r, l)].kind == Origin::Global;
      if (!copied && shadow(w, r * kRowBytes)[l] & bits)
        bad |= m & -m;
    }
    if (!bad)
      continue;
    lanesDecide(w, o, r, "stored to global memory", bad);
    define(w, r, bad);
  }
}

/// The stored bits of a register: all, or those of a sub-dword form.
uint32_t storedBits(const Uses &u, unsigned bytes) {
  if (bytes >= 4)
    return ~0u;
  uint32_t bits = bytes == 1 ? 0xff : 0xffff;
  return semName(Sem(u.sem)).find("_d16_hi") != std::string_view::npos ? bits << 16 : bits;
}

bool needsMemoryShadow(const Wave &w, const Uses &u, Space space) {
  bool mayBeScratch = space == Space::Scratch || space == Space::Flat;
  bool mayBeLds = space == Space::Flat || u.traits & kIsDma;
  return (space != Space::Scratch && w.tc->launch->tracked) || (mayBeScratch && w.scratchBytes) ||
         (mayBeLds && !w.wg->poison->lds.empty());
}

/// Runs the access on shadows of registers, LDS and scratch; vmemCheck turns global addresses into
/// those of their shadows.
void runAccess(Wave &w, const Op &o) {
  PoisonTable &table = *w.wg->poison;
  std::byte *lds = w.wg->lds, *scratch = w.scratch;
  if (!table.lds.empty())
    w.wg->lds = table.lds.data();
  if (!of(w).scratch.empty())
    w.scratch = of(w).scratch.data();
  Op moved = o;
  moved.fn = plainHandler(*w.program, o);
  moved.d += of(w).delta;
  runOnShadows(w, moved);
  w.wg->lds = lds;
  w.scratch = scratch;
}

/// An atomic reads what it changes.
void checkAtomic(Wave &w, const Op &o, const VmemLanes &v, unsigned bytes) {
  const Launch &l = *w.tc->launch;
  for (uint64_t m = l.tracked ? globalLanes(w, v) : 0; m; m &= m - 1) {
    uint64_t at = v.address[__builtin_ctzll(m)];
    const Allocation *a = findAllocation(*l.memory, at);
    std::byte *bits = a && a->shadow->tracked() ? a->shadow->undefined(at - a->lo, bytes) : nullptr;
    if (!bits || std::all_of(bits, bits + bytes, [](std::byte b) { return b == std::byte{0}; }))
      continue;
    report(w, o, FindingKind::Uninitialised, Severity::Error, m & -m, at,
           "an atomic changes memory that was never written");
    std::memset(bits, 0, bytes);
  }
}

/// Whether the `bytes` that `at(lane)` points to are zeros, for each of the lanes.
template <class At> bool allZero(uint64_t lanes, unsigned bytes, At at) {
  uint64_t low, high, any = 0;
  if (lanes == ~uint64_t(0) && bytes == 16) { // usual, and not worth a loop of bytes
    for (unsigned l = 0; l < kLanes; ++l) {
      std::memcpy(&low, at(l), 8);
      std::memcpy(&high, at(l) + 8, 8);
      any |= low | high;
    }
    return any == 0;
  }
  for (uint64_t m = lanes; m; m &= m - 1) {
    const std::byte *first = at(unsigned(__builtin_ctzll(m)));
    for (unsigned b = 0; b < bytes; ++b)
      any |= uint64_t(first[b]);
  }
  return any == 0;
}
/// Every bit that the lanes would find in scratch is defined: the access moves nothing.
bool scratchDefined(const Wave &w, const VmemLanes &v, unsigned bytes) {
  const std::byte *shadow = of(w).scratch.data();
  uint64_t base = reinterpret_cast<uintptr_t>(w.scratch);
  return allZero(v.active, bytes, [&](unsigned l) { return shadow + (v.address[l] - base); });
}

void ensureScratch(Wave &w) {
  if (w.scratchBytes && of(w).scratch.empty())
    of(w).scratch.assign(size_t(w.scratchBytes) * kLanes, std::byte{0xff});
  if (of(w).scratchOrigin.empty())
    of(w).scratchOrigin.assign(size_t(w.scratchBytes) * kLanes / 4 + 1, 0);
}

void ensureLds(Wave &w) {
  PoisonTable &table = *w.wg->poison;
  if (!table.lds.empty() || !w.wg->shadow)
    return;
  const LdsShadow &s = *w.wg->shadow;
  table.lds.assign((s.write.size() + 8) * 4, std::byte{0});
  table.ldsOrigin.assign(s.write.size() + 8, 0);
  for (size_t i = 0; i < s.write.size(); ++i)
    for (unsigned b = 0; b < 4; ++b) {
      auto split = s.write[i] == LdsShadow::kSplit ? s.split.find(uint32_t(i)) : s.split.end();
      uint32_t cell = split != s.split.end() ? split->second.write[b] : s.write[i];
      if (cell == 0)
        table.lds[4 * i + b] = std::byte{0xff};
    }
}

std::vector<LaneOrigins> originsOfRows(const Wave &w, const Uses::Run &run) {
  std::vector<LaneOrigins> all;
  for (unsigned r = run.first; r < unsigned(run.first) + run.count; ++r)
    all.push_back(originsOf(w, r));
  return all;
}
/// Registers of a load: `at(lane, dword)` is the origin of what it brought.
template <class F>
void afterLoad(Wave &w, const Uses::Run &dest, std::vector<LaneOrigins> &before, F at) {
  for (unsigned r = dest.first; r < unsigned(dest.first) + dest.count; ++r) {
    LaneOrigins &from = before[r - dest.first]; // lanes that don't load keep what they had
    for (uint64_t m = w.exec(); m; m &= m - 1) {
      unsigned l = unsigned(__builtin_ctzll(m));
      if (shadow(w, r * kRowBytes)[l])
        from[l] = at(l, r - dest.first);
    }
    refreshLanes(w, r, from);
  }
}

/// The origin of undefined bytes that a load found, in whichever memory.
uint32_t foundAt(Wave &w, const Op &o, uint64_t address) {
  PoisonTable &table = *w.wg->poison;
  uint64_t inLds = address - reinterpret_cast<uintptr_t>(w.wg->lds),
           inScratch = address - reinterpret_cast<uintptr_t>(w.scratch);
  Origin from;
  from.op = &o;
  from.kind = Origin::Global;
  from.address = address;
  uint32_t known = 0;
  if (inLds < w.wg->ldsBytes) {
    from.kind = Origin::Lds;
    from.address = inLds;
    known = table.ldsOrigin.empty() ? 0 : table.ldsOrigin[inLds / 4];
  } else if (inScratch < uint64_t(w.scratchBytes) * kLanes) {
    from.kind = Origin::Scratch;
    known = of(w).scratchOrigin.empty() ? 0 : of(w).scratchOrigin[inScratch / 4];
  }
  return known ? known : table.add(from);
}

/// What is undefined in LDS after a copy comes from where it did in memory.
void keepCopyOrigins(Wave &w, const Op &o, const VmemLanes &v, unsigned bytes) {
  PoisonTable &table = *w.wg->poison;
  LdsAddresses to;
  copyAddresses(w, o, copySlot(bytes), to);
  for (uint64_t m = v.active; m; m &= m - 1) {
    unsigned l = unsigned(__builtin_ctzll(m));
    for (unsigned b = 0; b < bytes && uint64_t(to.lane[l]) + b < table.lds.size(); ++b)
      if (table.lds[to.lane[l] + b] != std::byte{0}) {
        table.ldsOrigin[(to.lane[l] + b) / 4] = foundAt(w, o, v.address[l] + b);
        b |= 3;
      }
  }
}

/// A store of undefined data into LDS or scratch: what is read there later comes from where the
/// data does.
void keepOrigins(Wave &w, const VmemLanes &v, const Uses::Run &data, unsigned bytes) {
  uintptr_t lds = reinterpret_cast<uintptr_t>(w.wg->lds),
            scratch = reinterpret_cast<uintptr_t>(w.scratch);
  for (unsigned k = 0; k < data.count && 4 * k < bytes; ++k) {
    LaneOrigins from = originsOf(w, data.first + k);
    for (uint64_t m = v.active; m; m &= m - 1) {
      unsigned l = unsigned(__builtin_ctzll(m));
      for (uint64_t at = v.address[l] + 4 * k, end = at + std::min(bytes - 4 * k, 4u); at < end;
           at += 4 - at % 4) {
        if (from[l] && at - lds < w.wg->ldsBytes && !w.wg->poison->ldsOrigin.empty())
          w.wg->poison->ldsOrigin[(at - lds) / 4] = from[l];
        else if (from[l] && at - scratch < uint64_t(w.scratchBytes) * kLanes)
          of(w).scratchOrigin[(at - scratch) / 4] = from[l];
      }
    }
  }
}
} // namespace

void poisonedVmem(Wave &w, const Op &o, Space space, const VmemLanes &v, unsigned bytes,
                  uint8_t rights) {
  const Uses &u = w.program->uses[size_t(&o - w.program->ops.data())];
  if (u.traits & kIsAtomic)
    return checkAtomic(w, o, v, bytes);
  if (space == Space::Scratch || space == Space::Flat)
    ensureScratch(w);
  bool write = rights == kWrite;
  const Uses::Run *data = runWith(u, kUseData), *dest = runWith(u, kUseWrite);
  bool poisoned = false;
  if (write && data) {
    auto anyPoisoned = [&] {
      bool any = false;
      for (unsigned r = data->first; r < unsigned(data->first) + data->count; ++r)
        any |= (w.watch->status[r] & kPoisoned) != 0;
      return any;
    };
    if (space != Space::Scratch && anyPoisoned())
      checkStored(w, o, *data, globalLanes(w, v), storedBits(u, bytes));
    poisoned = anyPoisoned(); // what was reported counts as defined
  }
  if (!poisoned && !needsMemoryShadow(w, u, space))
    return;
  if (!poisoned && space == Space::Scratch && scratchDefined(w, v, bytes))
    return;
  if (space == Space::Flat || u.traits & kIsDma)
    ensureLds(w);
  if (dest) // the shadow of a clean row is zero; lanes that load nothing keep theirs
    for (unsigned r = dest->first; r < unsigned(dest->first) + dest->count; ++r)
      touch(w, r);
  if (write && data && poisoned)
    keepOrigins(w, v, *data, bytes);
  std::vector<LaneOrigins> before = dest ? originsOfRows(w, *dest) : std::vector<LaneOrigins>();
  runAccess(w, o);
  if (u.traits & kIsDma)
    keepCopyOrigins(w, o, v, bytes);
  if (dest && !write)
    afterLoad(w, *dest, before, [&](unsigned l, unsigned dword) {
      return foundAt(w, o, v.address[l] + std::min(4 * dword, bytes - 1));
    });
}

namespace {
bool ldsDefined(const PoisonTable &table, const uint32_t *address, uint64_t lanes, unsigned bytes) {
  return allZero(lanes, bytes, [&](unsigned l) { return &table.lds[address[l]]; });
}

/// A part of an LDS access. Instructions with two addresses are looked at part by part.
struct LdsPart {
  Wave &w;
  const Op &o;
  const Uses &u;
  const uint32_t *address;
  uint64_t lanes;
  unsigned bytes;
  uint32_t offsetOf(unsigned part) const { return (o.x >> 8 * part & 0xff) * o.aux; }
  bool isSecond() const {
    unsigned l = lanes ? unsigned(__builtin_ctzll(lanes)) : 0;
    return address[l] != w.row(o.a)[l] + offsetOf(0); // only asked where there are two
  }
};

/// What a write leaves in LDS comes from where its data does.
void keepLdsOrigins(const LdsPart &p) {
  const Uses::Run *data[2] = {nullptr, nullptr};
  unsigned runs = 0;
  for (const Uses::Run &run : p.u)
    if (run.has(kUseData) && runs < 2)
      data[runs++] = &run;
  const Uses::Run &run = *data[runs == 2 && p.isSecond()];
  for (unsigned r = run.first; r < unsigned(run.first) + run.count; ++r) {
    LaneOrigins from = originsOf(p.w, r);
    for (uint64_t m = p.lanes; m; m &= m - 1) {
      unsigned l = unsigned(__builtin_ctzll(m)), k = r - run.first;
      uint32_t at = p.address[l] + 4 * k, last = std::min(at + 3, p.address[l] + p.bytes - 1);
      for (uint32_t i = at / 4; from[l] && i <= last / 4; ++i)
        p.w.wg->poison->ldsOrigin[i] = from[l];
    }
  }
}

/// Of the dword of LDS that a lane's `dword`-th register comes from. Transposing reads hand bytes
/// on between lanes: there of any that is undefined.
uint32_t ldsOriginOf(const LdsPart &p, const Uses::Run &dest, unsigned lane, unsigned dword) {
  const std::vector<std::byte> &undefined = p.w.wg->poison->lds;
  const uintptr_t lds = reinterpret_cast<uintptr_t>(p.w.wg->lds);
  bool two = p.bytes >= 4 && dest.count * 4u == 2 * p.bytes;
  unsigned part = two && dword >= p.bytes / 4;
  auto in = [&](uint32_t at, uint32_t end) {
    while (at < end && undefined[at] == std::byte{0})
      ++at;
    return at < end ? foundAt(p.w, p.o, lds + at) : 0;
  };
  uint32_t first = two ? p.w.row(p.o.a)[lane] + p.offsetOf(part) : p.address[lane];
  uint32_t at = first + (two ? dword % (p.bytes / 4) : dword) * 4, end = first + p.bytes;
  bool inside = (p.lanes >> lane & 1) && at < end && end <= p.w.wg->ldsBytes;
  uint32_t origin = inside ? in(at, std::min(at + 4, end)) : 0;
  for (uint64_t m = origin ? 0 : p.lanes; m && !origin; m &= m - 1)
    origin = in(p.address[__builtin_ctzll(m)], p.address[__builtin_ctzll(m)] + p.bytes);
  return origin;
}
} // namespace

void poisonedLds(Wave &w, const Op &o, const uint32_t *address, uint64_t lanes, unsigned bytes,
                 bool write) {
  const Uses &u = w.program->uses[size_t(&o - w.program->ops.data())];
  PoisonTable &table = *w.wg->poison;
  bool poisoned = false;
  for (const Uses::Run &run : u)
    for (unsigned r = run.first; run.has(kUseData) && r < unsigned(run.first) + run.count; ++r)
      poisoned |= (w.watch->status[r] & kPoisoned) != 0;
  if (!poisoned && table.lds.empty() && !w.wg->shadow->unwritten)
    return;
  w.wg->shadow->unwritten = false;
  ensureLds(w);
  if (!poisoned && ldsDefined(table, address, lanes, bytes))
    return;
  const LdsPart part{w, o, u, address, lanes, bytes};
  if (write && poisoned)
    keepLdsOrigins(part);
  uint32_t delta = of(w).delta;
  std::byte *lds = std::exchange(w.wg->lds, table.lds.data());
  Op moved = o;
  moved.fn = plainHandler(*w.program, o);
  moved.d += delta;
  if (write && moved.b != kNoOperand)
    moved.b += delta;
  const Uses::Run *dest = runWith(u, kUseWrite);
  if (dest)
    for (unsigned r = dest->first; r < unsigned(dest->first) + dest->count; ++r)
      touch(w, r);
  std::vector<LaneOrigins> before = dest ? originsOfRows(w, *dest) : std::vector<LaneOrigins>();
  runOnShadows(w, moved);
  w.wg->lds = lds;
  if (!write && dest)
    afterLoad(w, *dest, before,
              [&](unsigned lane, unsigned dword) { return ldsOriginOf(part, *dest, lane, dword); });
}

void poisonedSmem(Wave &w, const Op &o, uint64_t address, unsigned first, unsigned dwords) {
  const Launch &l = *w.tc->launch;
  bool kernarg = address >= l.kernarg && address < l.packet; // which lies behind the padding
  if (!l.tracked && !(kernarg && address + 4 * dwords > l.kernargEnd))
    return;
  for (unsigned i = 0; i < dwords; ++i) {
    uint64_t at = address + 4 * i;
    uint32_t bits = 0;
    Origin from;
    from.op = &o;
    from.address = at;
    from.kind = Origin::Global;
    if (kernarg) {
      from.kind = Origin::Kernarg;
      from.address = at - l.kernarg;
      bits = at >= l.kernargEnd ? ~0u : 0;
    } else if (const Allocation *a = findAllocation(*l.memory, at); a && a->shadow->tracked()) {
      if (const std::byte *p = a->shadow->undefined(at - a->lo, 4))
        std::memcpy(&bits, p, 4);
    }
    if (bits)
      setScalar(w, first + i, bits, w.wg->poison->add(from));
  }
}

void toShadowAddresses(Wave &w, unsigned bytes, VmemLanes &v) {
  alignas(64) static thread_local std::byte nowhere[kMostBytes];
  std::memset(nowhere, 0, sizeof nowhere);
  uint64_t lanes = v.active;
  size_t scratch = of(w).scratch.size();
  size_t lds = w.wg->poison->lds.size();
  for (uint64_t m = lanes; m; m &= m - 1) {
    unsigned l = unsigned(__builtin_ctzll(m));
    if ((scratch && inside(v, l, of(w).scratch.data(), scratch)) ||
        (lds && inside(v, l, w.wg->poison->lds.data(), lds)))
      continue;
    const Allocation *a = findAllocation(*w.tc->launch->memory, v.address[l]);
    std::byte *p = nullptr;
    if (a && a->shadow) {
      size_t n = std::min<size_t>(bytes, a->hi - v.address[l]);
      p = a->shadow->undefined(v.address[l] - a->lo, n);
    }
    v.address[l] = reinterpret_cast<uintptr_t>(p ? p : nowhere);
  }
}

} // namespace tegula::sim
