#include "Sim/Exec/Launch.h"
#include "Sim/Counters/Counting.h"
#include "Sim/Decode/Print.h"
#include "Sim/Exec/HostFloat.h"
#include "Sim/Exec/Observer.h"
#include "Sim/Exec/Scheduler.h"
#include "Sim/Exec/Stepper.h"
#include "Sim/Sanitize/GlobalRaces.h"
#include "Sim/Sanitize/Watch.h"
#include "Sim/State/Text.h"
#include <algorithm>

namespace tegula::sim {

namespace {
/// Another control word for floats until the end of a block, whichever way it is left.
class HostFloatMode {
public:
  explicit HostFloatMode(uint32_t mxcsr) : saved_(hostFloatMode()) { setHostFloatMode(mxcsr); }
  ~HostFloatMode() { setHostFloatMode(saved_); }
  HostFloatMode(const HostFloatMode &) = delete;
  HostFloatMode &operator=(const HostFloatMode &) = delete;

private:
  const uint32_t saved_;
};

/// Printed instruction and source line of a PC.
void locate(const Launch &l, uint64_t pc, std::string &instruction, std::string &file,
            unsigned &line) {
  instruction = "(the end of .text)";
  const CodeObject &object = *l.object;
  const Program &p = *l.program;
  if (pc < p.textSize)
    instruction = print(decode(p.arch, p.text, p.textSize, pc));
  SourceLine found;
  if (object.lines && object.lines->lookup(object.textAddr + pc, found)) {
    file = found.file;
    line = found.line;
  }
}

Finding baseFinding(const Actor &a, const Op &o, FindingKind kind, Severity severity) {
  Finding f;
  f.kind = kind;
  f.severity = severity;
  f.numerics = a.launch->config->numerics;
  f.schedule = a.launch->config->schedule;
  f.kernel = a.launch->kernel->name;
  f.workgroup = a.workgroup;
  f.workgroupIndex = a.index;
  f.wave = a.wave;
  f.pc = a.launch->program->pc(&o);
  locate(*a.launch, f.pc, f.instruction, f.file, f.line);
  const CodeObject &object = *a.launch->object;
  if (!f.file.empty())
    for (SourceLine &call : object.lines->inlinedAt(object.textAddr + f.pc))
      f.inlinedAt.emplace_back(std::move(call.file), call.line);
  return f;
}

/// Kinds whose address is one of global memory, wherever it points.
bool isOfMemory(FindingKind kind) {
  return kind == FindingKind::OutOfBounds || kind == FindingKind::AddressOverflow;
}

/// An inner op of an Extra is not in Program::ops; its wrapper is.
const Op &outer(const Wave &w, const Op &o) {
  const Op *first = w.program->ops.data();
  if (&o >= first && &o < first + w.program->ops.size())
    return o;
  return *w.pc;
}
} // namespace

void report(Wave &w, const Op &inner, FindingKind kind, Severity severity, uint64_t lanes,
            uint64_t address, const std::string &detail, const Op *earlier, const Actor *other) {
  if (!w.shadowing)
    reportAs({w.tc->launch, w.wg->index, w.wg->id, w.id}, outer(w, inner), kind, severity, lanes,
             address, detail, earlier, other);
}

void reportAs(const Actor &a, const Op &o, FindingKind kind, Severity severity, uint64_t lanes,
              uint64_t address, const std::string &detail, const Op *earlier, const Actor *other) {
  const Launch &l = *a.launch;
  uint64_t pc = l.program->pc(&o), earlierPc = earlier ? l.program->pc(earlier) : 0;
  if (!l.findings->hit(kind, pc, earlierPc, a.index, a.wave))
    return;
  HostFloatMode plain(kDefaultFloatMode); // formatting must not run under the guest's
  Finding f = baseFinding(a, o, kind, severity);
  f.lanes = lanes;
  f.address = address;
  f.allocation = allocationJson(*l.memory, *l.freed, address, isOfMemory(kind));
  f.detail = detail;
  f.earlierPc = earlierPc;
  f.hasEarlier = earlier != nullptr;
  if (earlier)
    locate(l, earlierPc, f.earlierInstruction, f.earlierFile, f.earlierLine);
  f.hasEarlierWave = other != nullptr;
  if (other) {
    f.earlierWave = other->wave;
    f.earlierWorkgroup = other->workgroup;
  }
  if (l.observer)
    l.observer->found(f);
  l.findings->add(std::move(f));
}

void reportMasked(Wave &w, const Op &o) {
  if (w.tc->launch->config->checkContracts)
    report(w, o, FindingKind::ExecMasked, Severity::Error, ~w.exec(), 0,
           "a matrix instruction takes the registers of all lanes, " +
               std::to_string(64 - __builtin_popcountll(w.exec())) +
               " of which are masked by EXEC");
}

void reportAccess(Wave &w, const Op &o, const std::string &what, uint64_t lanes, uint64_t address,
                  size_t bytes) {
  const Launch &l = *w.tc->launch;
  FindingKind kind = FindingKind::OutOfBounds;
  std::string why;
  switch (faultOf(*l.memory, *l.freed, address, bytes)) {
  case Fault::Outside:
    break;
  case Fault::Freed:
    kind = FindingKind::UseAfterFree;
    break;
  case Fault::ReadOnly:
    kind = FindingKind::ReadOnly;
    why = ", which kernels may only read";
    break;
  case Fault::Wrapped: {
    kind = FindingKind::AddressOverflow;
    uint64_t meant = wrappedFrom(*l.memory, address, bytes);
    bool above = meant > address;
    why = "; " + hex(above ? meant - address : address - meant) + " bytes " +
          (above ? "above" : "below") + " it, at " + hex(meant) + ", is " +
          describeAddress(*l.memory, *l.freed, meant, bytes) +
          ": arithmetic of 32 bits lost a carry or a sign";
    break;
  }
  }
  report(w, o, kind, Severity::Error, lanes, address,
         what + " at " + hex(address) + " is " +
             describeAddress(*l.memory, *l.freed, address, bytes) + why);
}

void reportMisaligned(Wave &w, const Op &o, uint64_t lanes, uint64_t address, size_t bytes) {
  const Launch &l = *w.tc->launch;
  report(w, o, FindingKind::Misaligned, Severity::Error, lanes, address,
         "an atomic of " + std::to_string(bytes) + " bytes at " + hex(address) + ", " +
             describeAddress(*l.memory, *l.freed, address, bytes) + ", must be naturally aligned");
}

const Op *fail(Wave &w, const Op &inner, FindingKind kind, const std::string &detail,
               uint64_t address) {
  const Op &o = outer(w, inner);
  accountBlock(w, &o - 1); // the op itself did not execute
  w.pc = w.blockStart = &o;
  w.stop = Stop::Fault;
  report(w, o, kind, Severity::Error, w.exec(), address, detail);
  w.tc->launch->findings->stopped(kind, w.program->pc(&o));
  return nullptr;
}

namespace {
void runFast(Wave &w, const Op *op) {
  while (op)
    op = op->fn(w, *op);
}
void runSanitized(Wave &w, const Op *op) {
  static_assert(sizeof(OpCheck) == sizeof(Op), "one distance leads from an op to its check");
  const Op *ops = w.program->ops.data();
  const OpCheck *checks = w.program->checks.data();
  while (op) {
    watchOp(w, *op, checks[op - ops]);
    op = op->fn(w, *op);
  }
}
/// Not more than `left` instructions: only taken branches look at the budget, and straight-line
/// code may be longer than what is left to the wave.
void runCounted(Wave &w, const Op *op, uint64_t left) {
  const Op *ops = w.program->ops.data();
  for (; op; --left) {
    if (left == 0) {
      accountBlock(w, op - 1);
      w.pc = w.blockStart = op;
      w.stop = Stop::Budget;
      return;
    }
    if (w.sanitized)
      watchOp(w, *op, w.program->checks[size_t(op - ops)]);
    op = op->fn(w, *op);
  }
}
} // namespace

void runWave(Wave &w, int64_t budget) {
  HostFloatMode guest(w.mxcsr[0]);
  w.budget = budget;
  w.stop = Stop::Running;
  if (Observer *observer = w.tc->launch->observer)
    return runObserved(w, *observer);
  do {
    w.stop = Stop::Running;
    const Op *op = runStepped(w, w.pc);
    uint64_t ran = instructionsOf(w.counts), limit = w.tc->launch->config->instructionLimit;
    uint64_t left = limit > ran ? limit - ran : 0;
    if (op && left < uint64_t(budget) + w.program->ops.size())
      runCounted(w, op, left);
    else if (op)
      (w.sanitized ? runSanitized : runFast)(w, op);
  } while (w.stop == Stop::Stepping);
}

bool runLaunch(const Launch &launch, HostThreads &threads, Stats &stats, AccessCounters &counters) {
  const Config &config = *launch.config;
  uint64_t total = launch.grid.count();
  bool inOrder = config.schedule != Schedule::Fifo || !launch.orderedBy.empty();
  unsigned count = launch.observer || (inOrder && !config.unorderedThreads)
                       ? 1
                       : unsigned(std::min<uint64_t>(std::max(config.threads, 1u), total));
  uint64_t held = uint64_t(launch.workgroupsPerCu) * limitsOf(config.arch).computeUnits;
  Dispatch dispatch{launch, threads, total, count, (held + count - 1) / count};
  if (const Counting *counting = launch.program->counting.get()) {
    counters.instructions.resize(counting->accesses.size());
    counters.allocations.resize(launch.memory->size() + 1);
  }
  bool waits = !launch.orderedBy.empty(); // workgroups, for one another; then only one thread knows
  bool compared = !waits || count == 1;
  GlobalRaces races(launch, total > 1 && compared, waits,
                    total == 1 || compared ? ""
                                           : "workgroups are not compared for races: several "
                                             "threads ran them in no order (unordered_threads)");
  GlobalRaces *looked = config.checkGlobalRaces ? &races : nullptr;
  std::vector<Stats> partial(count);
  std::vector<AccessCounters> counted(count, counters);
  threads.run(count, [&](unsigned t) {
    try {
      Worker(dispatch, t, counted[t], looked).run(partial[t]);
    } catch (...) { // no host memory; the others may wait for workgroups that never end now
      dispatch.stop.store(true);
      throw;
    }
  });
  for (const Stats &s : partial)
    stats.add(s);
  for (const AccessCounters &c : counted)
    counters.add(c);
  stats.threads = count;
  if (looked)
    stats.uncompared = races.uncompared();
  if (count == 1 && config.threads > 1 && total > 1)
    stats.orderedBy = launch.orderedBy;
  return !dispatch.stop.load();
}

} // namespace tegula::sim
