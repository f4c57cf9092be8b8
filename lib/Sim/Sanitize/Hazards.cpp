#include "Sim/Sanitize/Hazards.h"
#include "Sim/Exec/Context.h"
#include "Sim/Exec/Stepper.h"
#include "Sim/Sanitize/Watch.h"
#include <algorithm>
#include <bitset>

namespace tegula::sim {

namespace {
enum class Match : uint8_t { Any, Same, Other, OtherOp, NotDot, NotTrans, NoRegister };

struct Rule {
  uint32_t producer;
  uint16_t produced;
  Match match;
  uint32_t consumer;
  uint16_t consumed;
  uint8_t states[2][4]; ///< by arch, then passes 2, 4, 8, 16
  Severity severity;
  const char *what;
};
const Rule kRules[] = {
#define WAIT(P, PR, M, C, CR, S942, S950, SEV, WHAT)                                               \
  {P, PR, Match::M, C, CR, {S942, S950}, Severity::SEV, WHAT},
#include "Sim/Sanitize/hazards.tbl"
#undef WAIT
};
constexpr uint32_t kIsVector = kIsValu | kIsMfma | kIsVmem | kIsLds;
constexpr unsigned kMost = 20; ///< no rule asks for more states
constexpr unsigned kScalarParts =
    kUseBase | kUseConst | kUseMask | kUseSelect | kUseLanes | kUseZero | kUseM0;

unsigned statesOf(const Rule &r, Arch arch, const Uses &producer) {
  unsigned p = producer.passes >= 16 ? 3 : producer.passes >= 8 ? 2 : producer.passes >= 4 ? 1 : 0;
  return r.states[arch == Arch::gfx950][p];
}

/// The distance at which nothing depends on the op any more.
unsigned reachOf(Arch arch, const Uses &u) {
  unsigned reach = 0;
  for (const Rule &r : kRules) {
    if (!(r.producer & u.traits))
      continue;
    bool scalarOnly = r.consumed && !(r.consumed & ~kScalarParts);
    for (const Uses::Run &run : u)
      if (run.has(r.produced) && (!scalarOnly || run.first >= kScalarReg))
        reach = std::max(reach, statesOf(r, arch, u));
  }
  return reach;
}

struct Conflict {
  const Rule *rule = nullptr;
  unsigned states = 0, reg = 0;
};

bool matches(const Rule &r, const Uses &producer, const Uses::Run &produced, const Uses &consumer,
             const Uses::Run &consumed) {
  if (!produced.has(r.produced) || !consumed.has(r.consumed))
    return false;
  bool same = produced.first == consumed.first && produced.count == consumed.count;
  switch (r.match) {
  case Match::Any:
    return true;
  case Match::Same:
    return same;
  case Match::Other:
    return !same;
  case Match::OtherOp:
    return producer.sem != consumer.sem;
  case Match::NotDot:
    return !(producer.traits & kIsDot);
  case Match::NotTrans:
    return !(consumer.traits & kIsTrans);
  case Match::NoRegister:
    break; // not by a register of both
  }
  return false;
}

/// What matrix instructions have written between two instructions: an addend is the newer value.
class Renewed {
public:
  void add(const Uses &u) {
    if (!(u.traits & kIsMfma))
      return;
    for (const Uses::Run &run : u)
      for (unsigned r = 0; run.has(kUseWrite) && r < run.count; ++r)
        registers.set(run.first + r);
  }
  /// Whether nothing that the two runs share is the older value.
  bool covers(const Uses::Run &p, const Uses::Run &q) const {
    unsigned first = std::max(p.first, q.first);
    unsigned end = std::min(p.first + p.count, q.first + q.count);
    while (first < end && registers.test(first))
      ++first;
    return first == end;
  }

private:
  std::bitset<kNumRegs> registers;
};

/// The rule that asks for the most states between the two, if more than `distance`.
Conflict conflictOf(Arch arch, const Uses &producer, const Uses &consumer, unsigned distance,
                    const Renewed &renewed = {}) {
  Conflict c;
  if (producer.traits & kSetsVskip && consumer.traits & kIsVector)
    for (const Rule &r : kRules)
      if (r.match == Match::NoRegister && r.producer & producer.traits &&
          statesOf(r, arch, producer) > distance)
        c = {&r, statesOf(r, arch, producer), kHardwareReg + 1};
  for (const Uses::Run &p : producer)
    for (const Uses::Run &q : consumer) {
      if (!p.overlaps(q)) // nearly always
        continue;
      for (const Rule &r : kRules) {
        if (!(r.producer & producer.traits) || !(r.consumer & consumer.traits))
          continue;
        unsigned states = statesOf(r, arch, producer);
        bool isOld = r.consumed == kUseAddend && renewed.covers(p, q);
        if (states > distance && states > c.states && !isOld &&
            matches(r, producer, p, consumer, q))
          c = {&r, states, std::max(p.first, q.first)};
      }
    }
  return c;
}

/// Calls f(op index, states between it and `o`) for what ran before `o`, newest first, until f is
/// done.
template <class F> void walkBack(const Wave &w, const Op &o, F f) {
  const Trail &trail = w.watch->trail;
  const Op *first = w.program->ops.data();
  unsigned distance = 0;
  auto walk = [&](uint32_t from, uint32_t to) { // ops [from, to], backwards
    for (uint32_t i = to + 1; i-- > from;) {
      if (!f(i, distance))
        return false;
      distance += w.program->uses[i].states;
    }
    return true;
  };
  uint32_t here = uint32_t(&o - first), start = uint32_t(w.blockStart - first);
  if (here > start && !walk(start, here - 1))
    return;
  unsigned known = std::min(trail.count, Trail::kKept);
  for (unsigned k = 1; k <= known; ++k) {
    const Trail::Block &b = trail.block[(trail.count - k) % Trail::kKept];
    if (!walk(b.first, b.last))
      return;
  }
}
} // namespace

unsigned matrixPasses(Arch arch, std::string_view name, unsigned cbsz, unsigned blgp) {
  auto has = [&](std::string_view part) { return name.find(part) != name.npos; };
  if (has("_f64"))
    return has("4x4x4") ? 4 : arch == Arch::gfx950 ? 16 : 8;
  if (has("_4x4x"))
    return 2;
  unsigned scale = has("_32x32x") ? 2 : 1; // twice the passes of the 16x16 form
  if (has("_f8f6f4"))
    return scale * (cbsz < 2 || blgp < 2 ? 8 : 4);
  bool slow = has("16x16x1_") || has("16x16x4_") || has("32x32x1_") || has("32x32x2_f32") ||
              has("32x32x4_2b");
  return scale * (slow ? 8 : 4);
}

void analyseWaitStates(Program &p) {
  const size_t n = p.uses.size();
  for (Uses &u : p.uses)
    u.reach = uint8_t(reachOf(p.arch, u));
  unsigned open = 0;
  for (size_t i = 0; i < n; ++i) {
    const Uses &u = p.uses[i];
    unsigned distance = 0;
    for (size_t j = i; open && j-- > 0 && distance < kMost; distance += p.uses[j].states)
      if (p.uses[j].reach > distance && conflictOf(p.arch, p.uses[j], u, distance).rule) {
        p.checks[i].flags |= OpCheck::kWaitStates;
        break;
      }
    open = std::max<unsigned>(u.reach, open > u.states ? open - u.states : 0);
    p.checks[i].reach = uint8_t(open);
  }
}

void leaveBlock(Wave &w, const Op *last) {
  Trail &t = w.watch->trail;
  const Op *first = w.program->ops.data();
  uint32_t from = uint32_t(w.blockStart - first), to = uint32_t(last - first);
  if (last < w.blockStart) // stopped before its first op
    return;
  t.block[t.count++ % Trail::kKept] = {from, to};
  if (t.count == 2 * Trail::kKept)
    t.count = Trail::kKept;
  unsigned ran = to - from + 1, rest = t.reach > ran ? t.reach - ran : 0;
  t.reach = std::max<unsigned>(rest, w.program->checks[to].reach);
}

void checkWaitStates(Wave &w, const Op &o) {
  const Program &p = *w.program;
  Trail &trail = w.watch->trail;
  const uint32_t here = uint32_t(&o - p.ops.data()), start = uint32_t(w.blockStart - p.ops.data());
  const Trail::Block before =
      trail.count ? trail.block[(trail.count - 1) % Trail::kKept] : Trail::Block{1, 0};
  Trail::Clean &clean = trail.clean[here % Trail::kCleanOps];
  if (clean.op == here && clean.start == start && clean.before.first == before.first &&
      clean.before.last == before.last)
    return;
  bool broken = false;
  unsigned asked = 0;
  const Uses &u = p.uses[here];
  const bool skipped = w.mode & kModeVskip && u.traits & kIsVector; // if VSKIP is known in time
  Renewed renewed;
  walkBack(w, o, [&](uint32_t i, unsigned distance) {
    ++asked;
    if (distance >= kMost)
      return false;
    if (p.uses[i].reach <= distance)
      return true;
    Conflict c = conflictOf(p.arch, p.uses[i], u, distance, renewed);
    renewed.add(p.uses[i]);
    if (!c.rule || (skipped && c.rule->match != Match::NoRegister))
      return true;
    broken = true;
    report(w, o, FindingKind::WaitStates, c.rule->severity, 0, 0,
           registerName(w, c.reg) + ": " + c.rule->what + " after " + std::to_string(distance) +
               " wait states; it takes " + std::to_string(c.states) + " (s_nop " +
               std::to_string(c.states - distance - 1) + " is missing)",
           &p.ops[i]);
    return true;
  });
  if (!broken && !skipped &&
      asked <= here - start + (before.last + 1 - before.first)) // no further back
    clean = {here, start, before};
}

} // namespace tegula::sim
