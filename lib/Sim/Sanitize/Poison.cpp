#include "Sim/Sanitize/Poison.h"
#include "Sim/Exec/Handlers.h"
#include "Sim/Sanitize/PoisonParts.h"
#include "Sim/State/Text.h"
#include <algorithm>

namespace tegula::sim {

void PoisonTable::reset() {
  origins.assign(1, Origin{}); // 0 stands for none
  known.clear();
  lds.clear();
  ldsOrigin.clear();
}

uint32_t PoisonTable::add(const Origin &o) {
  constexpr size_t most = 1 << 16; // then a load's first address stands for all of its
  uintptr_t by = o.op ? reinterpret_cast<uintptr_t>(o.op) : o.reg;
  uint64_t address = origins.size() < most ? o.address : ~uint64_t(0);
  auto [it, isNew] =
      known.try_emplace(std::make_tuple(o.kind, by, address), uint32_t(origins.size()));
  if (isNew)
    origins.push_back(o);
  return it->second;
}

namespace poison {
namespace {
bool anyBit(const uint32_t *row) {
  uint32_t bits = 0;
  for (unsigned i = 0; i < kLanes; ++i)
    bits |= row[i];
  return bits != 0;
}
} // namespace

void touch(Wave &w, unsigned reg) {
  uint8_t &status = w.watch->status[reg];
  if (!(status & kUndefined))
    return;
  status = uint8_t((status & ~kUndefined) | kPoisoned);
  if (reg >= kScalarReg)
    of(w).scalar[reg - kScalarReg] = reg == kSccReg ? 1 : ~0u;
  else
    std::memset(shadow(w, reg * kRowBytes), 0xff, kRowBytes);
  Origin o;
  o.reg = uint16_t(reg);
  of(w).origin[reg] = w.wg->poison->add(o);
}

void refresh(Wave &w, unsigned reg, uint32_t origin) {
  uint8_t &status = w.watch->status[reg];
  bool any =
      reg >= kScalarReg ? of(w).scalar[reg - kScalarReg] != 0 : anyBit(shadow(w, reg * kRowBytes));
  status = uint8_t((status & ~kNotClean) | (any ? kPoisoned : 0));
  if (any)
    of(w).origin[reg] = origin;
}

uint32_t originAt(const Wave &w, unsigned reg, unsigned lane) {
  const Poison &p = of(w);
  return p.origin[reg] == Poison::kMixed ? p.mixed.at(reg)[lane] : p.origin[reg];
}

uint32_t named(const Wave &w, uint32_t a, uint32_t b) {
  if (!a || !b)
    return a | b;
  const std::vector<Origin> &all = w.wg->poison->origins;
  bool copyA = all[a].kind == Origin::Global, copyB = all[b].kind == Origin::Global;
  return copyA != copyB ? (copyA ? b : a) : std::min(a, b);
}

namespace {
uint64_t undefinedLanes(const Wave &w, unsigned reg) {
  if (reg >= kScalarReg)
    return of(w).scalar[reg - kScalarReg];
  uint64_t lanes = 0;
  for (unsigned l = 0; l < kLanes; ++l)
    lanes |= uint64_t(shadow(w, reg * kRowBytes)[l] != 0) << l;
  return lanes;
}
} // namespace

uint32_t originOfRegister(const Wave &w, unsigned reg) {
  uint64_t lanes = undefinedLanes(w, reg);
  return lanes ? originAt(w, reg, unsigned(__builtin_ctzll(lanes))) : 0;
}

LaneOrigins originsOf(const Wave &w, unsigned reg) {
  LaneOrigins all{};
  if (w.watch->status[reg] & kPoisoned)
    for (uint64_t m = undefinedLanes(w, reg); m; m &= m - 1)
      all[unsigned(__builtin_ctzll(m))] = originAt(w, reg, unsigned(__builtin_ctzll(m)));
  return all;
}

void refreshLanes(Wave &w, unsigned reg, const LaneOrigins &from) {
  uint64_t lanes = undefinedLanes(w, reg);
  uint32_t first = lanes ? from[unsigned(__builtin_ctzll(lanes))] : 0;
  bool same = true;
  for (uint64_t m = lanes; m; m &= m - 1)
    same &= from[unsigned(__builtin_ctzll(m))] == first;
  refresh(w, reg, same ? first : Poison::kMixed);
  if (!same)
    of(w).mixed[reg] = from;
}

void define(Wave &w, unsigned reg, uint64_t lanes) {
  uint8_t &status = w.watch->status[reg];
  if (!(status & kNotClean))
    return;
  if (reg >= kScalarReg) {
    of(w).scalar[reg - kScalarReg] = 0;
    status &= uint8_t(~kNotClean);
    return;
  }
  uint32_t *row = shadow(w, reg * kRowBytes);
  if (lanes == ~0ull) {
    if (status & kPoisoned)
      std::memset(row, 0, kRowBytes);
    status &= uint8_t(~kNotClean);
    return;
  }
  touch(w, reg);
  for (uint64_t m = lanes; m; m &= m - 1)
    row[__builtin_ctzll(m)] = 0;
  refresh(w, reg, of(w).origin[reg]); // what is left has its own
}

uint32_t originOf(const Wave &w, const Uses &u) {
  uint32_t origin = 0;
  for (const Uses::Run &run : u)
    if (run.has(kUseRead) && run.first < kHardwareReg)
      for (unsigned r = run.first; r < unsigned(run.first) + run.count; ++r) {
        if (!(w.watch->status[r] & kPoisoned))
          continue;
        if (of(w).origin[r] != Poison::kMixed)
          origin = named(w, origin, of(w).origin[r]);
        else
          for (uint32_t o : originsOf(w, r))
            origin = named(w, origin, o);
      }
  return origin;
}

bool zeroUndecided(const Wave &w, unsigned pair) {
  uint64_t s = scalar64(w, pair);
  return s && !(w.get64(pair) & ~s);
}

uint32_t scalar32(const Wave &w, unsigned index) {
  if (index < 128)
    return of(w).scalar[index];
  if (index == kSccSource)
    return of(w).scalar[128];
  if (index == kVccz)
    return zeroUndecided(w, kVcc);
  return 0;
}
uint64_t scalar64(const Wave &w, unsigned index) {
  return index < 127 ? of(w).scalar[index] | uint64_t(of(w).scalar[index + 1]) << 32 : 0;
}
void setScalar(Wave &w, unsigned index, uint32_t bits, uint32_t origin) {
  of(w).scalar[index] = bits;
  refresh(w, kScalarReg + index, origin);
}
void setScalar64(Wave &w, unsigned index, uint64_t bits, uint32_t origin) {
  setScalar(w, index, uint32_t(bits), origin);
  setScalar(w, index + 1, uint32_t(bits >> 32), origin);
}

/// "scratch byte 12 of lane 3", from an address of the host.
std::string scratchPlace(const Workgroup &wg, uint64_t address) {
  for (const Wave *w : wg.waves) {
    uint64_t at = address - reinterpret_cast<uintptr_t>(w->scratch);
    if (at < uint64_t(w->scratchBytes) * kLanes)
      return "scratch byte " + std::to_string(at % w->scratchBytes) + " of lane " +
             std::to_string(at / w->scratchBytes);
  }
  return "scratch";
}

std::string describe(const Wave &w, uint32_t origin) {
  const Origin &o = w.wg->poison->origins[origin];
  if (o.kind == Origin::Register)
    return registerName(w, o.reg) + " was never written";
  std::string what = o.kind == Origin::Lds       ? "LDS byte " + std::to_string(o.address)
                     : o.kind == Origin::Scratch ? scratchPlace(*w.wg, o.address)
                     : o.kind == Origin::Kernarg ? "kernarg segment byte " + hex(o.address)
                                                 : "global memory at " + hex(o.address);
  return what + ", loaded at " + hex(o.op ? w.program->pc(o.op) : 0) + ", " +
         std::string(o.kind == Origin::Lds       ? "was never written by this workgroup"
                     : o.kind == Origin::Kernarg ? "lies behind the arguments"
                                                 : "was never written");
}

void decides(Wave &w, const Op &o, unsigned reg, const char *what, uint64_t lanes,
             uint32_t origin) {
  const Origin &from = w.wg->poison->origins[origin];
  report(w, o, FindingKind::Uninitialised, Severity::Error, lanes, from.address,
         registerName(w, reg) + " is " + what + " and undefined: " + describe(w, origin), from.op);
}

namespace {
/// Whether a report of the one tells of the other.
bool isSameCause(const Origin &a, const Origin &b) {
  return a.kind == b.kind && a.op == b.op && a.reg == b.reg;
}
/// Calls f(lanes, origin) for each cause among the lanes, by `origin(lane)`.
template <class O, class F> void eachCause(const Wave &w, uint64_t lanes, O origin, F f) {
  const std::vector<Origin> &all = w.wg->poison->origins;
  while (lanes) {
    uint32_t first = origin(unsigned(__builtin_ctzll(lanes)));
    uint64_t same = 0;
    for (uint64_t m = lanes; m; m &= m - 1)
      if (isSameCause(all[first], all[origin(unsigned(__builtin_ctzll(m)))]))
        same |= m & -m;
    f(same, first);
    lanes &= ~same;
  }
}
} // namespace

void lanesDecide(Wave &w, const Op &o, unsigned reg, const char *what, uint64_t lanes) {
  eachCause(
      w, lanes, [&](unsigned l) { return originAt(w, reg, l); },
      [&](uint64_t same, uint32_t origin) { decides(w, o, reg, what, same, origin); });
}

void maskDecides(Wave &w, const Op &o, unsigned pair, const char *what, uint64_t lanes) {
  eachCause(
      w, lanes, [&](unsigned l) { return originAt(w, kScalarReg + pair + l / 32, l % 32); },
      [&](uint64_t same, uint32_t origin) {
        decides(w, o, kScalarReg + kExec, what, same, origin);
      });
}

void runOnShadows(Wave &w, const Op &op) {
  bool sanitized = std::exchange(w.sanitized, false);
  bool shadowing = std::exchange(w.shadowing, true);
  op.fn(w, op);
  w.sanitized = sanitized;
  w.shadowing = shadowing;
}
} // namespace poison

using namespace poison;

void startPoison(Wave &w, unsigned scalars) {
  Watch &watch = *w.watch;
  Poison &p = watch.poison;
  for (unsigned r = 0; r < w.program->vgprs; ++r) {
    if (watch.status[r] & kPoisoned)
      std::memset(shadow(w, r * kRowBytes), 0, kRowBytes);
    watch.status[r] = r == 0 ? 0 : kUndefined; // v0 holds the work-item ids
  }
  std::fill(std::begin(p.scalar), std::end(p.scalar), 0u);
  for (unsigned s = 0; s < Poison::kScalars; ++s) {
    bool ordinary = s < kFlatScratch || (s >= kVcc && s <= kM0) || s == 128; // with TTMPs
    watch.status[kScalarReg + s] = ordinary && s >= scalars ? kUndefined : 0;
  }
  p.scratch.clear();
  p.scratchOrigin.clear();
  p.mixed.clear();
  std::fill(std::begin(p.origin), std::end(p.origin), 0u);
}

namespace {
bool readsUnclean(Wave &w, const Uses &u) {
  bool any = false;
  for (const Uses::Run &run : u) {
    if (!run.has(kUseRead) || run.first >= kHardwareReg)
      continue;
    for (unsigned r = run.first; r < unsigned(run.first) + run.count; ++r)
      if (w.watch->status[r] & kNotClean) {
        touch(w, r);
        any = true;
      }
  }
  return any;
}

/// Branches, jumps, s_setreg, messages: no result, only decisions.
void checkDecisions(Wave &w, const Op &o, const Uses &u) {
  for (const Uses::Run &run : u) {
    bool selects = run.has(kUseSelect) && run.first >= kScalarReg;
    bool m0 = run.first == kScalarReg + kM0 && run.has(kUseBase) &&
              !(u.traits & (kIsVmem | kIsLds | kIsSmem));
    if (!run.has(kUseDecides) && !selects && !m0)
      continue;
    bool vcc = u.traits & kIsVccBranch;
    bool index = Sem(u.sem) == Sem::s_set_gpr_idx_on || Sem(u.sem) == Sem::s_set_gpr_idx_idx;
    for (unsigned r = run.first; r < unsigned(run.first) + run.count; ++r) {
      if (!(w.watch->status[r] & kPoisoned) || (vcc && !zeroUndecided(w, kVcc)) ||
          (index && !(scalar32(w, r - kScalarReg) & 0xff)))
        continue;
      decides(w, o, r,
              selects ? "the lane to access"
              : m0    ? "an operand"
              : index ? "the index of a register"
              : run.has(kUseDecides) && (u.traits & (kIsSetreg | kIsSetvskip))
                  ? "the value of a hardware register"
                  : "what a branch depends on",
              0, originOfRegister(w, r));
      define(w, r, ~0ull); // one report a cause
    }
  }
}

bool isDppWrapped(const Wave &w, const Op &o, const Uses &u) {
  return u.traits & kIsDpp && o.fn == wrapperHandler() && extraOf(w, o).dpp;
}
} // namespace

void spreadPoison(Wave &w, const Op &o, const Uses &u) {
  bool reads = readsUnclean(w, u), writes = false;
  for (const Uses::Run &run : u)
    if (run.has(kUseWrite) && run.first < kHardwareReg)
      for (unsigned r = run.first; r < unsigned(run.first) + run.count; ++r)
        writes |= (w.watch->status[r] & kNotClean) != 0;
  if (!reads && !writes)
    return;
  if (reads)
    checkDecisions(w, o, u);
  if (u.traits & (kIsVmem | kIsLds | kIsSmem))
    return spreadMemory(w, o, u);
  if (!reads && !isDppWrapped(w, o, u)) {
    uint64_t lanes = u.traits & kIsMfma ? ~0ull : w.exec();
    for (const Uses::Run &run : u)
      if (run.has(kUseWrite) && run.first < kHardwareReg)
        define(w, run, lanes);
    return;
  }
  switch (ShadowRule(u.shadow)) {
  case ShadowRule::Scalar:
    return spreadScalar(w, o, u);
  case ShadowRule::Matrix:
    return spreadMatrix(w, o, u);
  case ShadowRule::None:
    return;
  default:
    return spreadVector(w, o, u);
  }
}

} // namespace tegula::sim
