#include "Sim/Exec/Launch.h"
#include "Sim/Counters/Counting.h"
#include "Sim/Decode/Print.h"
#include "Sim/Exec/HostFloat.h"
#include "Sim/Exec/Observer.h"
#include "Sim/Exec/Scheduler.h"
#include "Sim/Exec/Stepper.h"
#include "Sim/Sanitize/Watch.h"
#include <algorithm>

namespace tegula::sim {

namespace {
/// Printed instruction and source line of a PC.
void locate(const Wave &w, uint64_t pc, std::string &instruction, std::string &file,
            unsigned &line) {
  const CodeObject &object = *w.tc->launch->object;
  if (pc < w.program->textSize)
    instruction = print(decode(w.program->arch, w.program->text, w.program->textSize, pc));
  SourceLine found;
  if (object.lines && object.lines->lookup(object.textAddr + pc, found)) {
    file = found.file;
    line = found.line;
  }
}

Finding baseFinding(Wave &w, const Op &o, FindingKind kind, Severity severity) {
  Finding f;
  f.kind = kind;
  f.severity = severity;
  f.kernel = w.tc->launch->kernel->name;
  f.numerics = w.tc->launch->config->numerics;
  f.schedule = w.tc->launch->config->schedule;
  f.workgroup = w.wg->id;
  f.workgroupIndex = w.wg->index;
  f.wave = w.id;
  f.pc = w.program->pc(&o);
  locate(w, f.pc, f.instruction, f.file, f.line);
  return f;
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
            uint64_t address, const std::string &detail, const Op *earlier) {
  if (w.shadowing)
    return;
  const Op &o = outer(w, inner);
  FindingSink &sink = *w.tc->launch->findings;
  uint64_t pc = w.program->pc(&o), earlierPc = earlier ? w.program->pc(earlier) : 0;
  if (!sink.hit(kind, pc, earlierPc, w.wg->index, w.id))
    return;
  // Formatting must not run under the guest's rounding mode.
  setHostFloatMode(kDefaultFloatMode);
  Finding f = baseFinding(w, o, kind, severity);
  f.lanes = lanes;
  f.address = address;
  f.detail = detail;
  f.earlierPc = earlierPc;
  f.hasEarlier = earlier != nullptr;
  if (earlier)
    locate(w, earlierPc, f.earlierInstruction, f.earlierFile, f.earlierLine);
  if (Observer *observer = w.tc->launch->observer)
    observer->found(w, f);
  sink.add(std::move(f));
  setHostFloatMode(w.mxcsr[0]);
}

const Op *fail(Wave &w, const Op &inner, FindingKind kind, const std::string &detail) {
  const Op &o = outer(w, inner);
  accountBlock(w, &o - 1); // the op itself did not execute
  w.pc = w.blockStart = &o;
  w.stop = Stop::Fault;
  report(w, o, kind, Severity::Error, w.exec(), 0, detail);
  return nullptr;
}

namespace {
void runFast(Wave &w, const Op *op) {
  while (op)
    op = op->fn(w, *op);
}
void runSanitized(Wave &w, const Op *op) {
  static_assert(sizeof(OpCheck) == sizeof(Op), "one distance leads from an op to its check");
  const Watch &watch = *w.watch;
  const Op *ops = w.program->ops.data();
  const OpCheck *checks = w.program->checks.data();
  while (op) {
    bool afterBranch = size_t(op - w.blockStart) < watch.trail.reach;
    if (afterBranch || anyStatus(watch, checks[op - ops]))
      beforeOp(w, *op);
    op = op->fn(w, *op);
  }
}
} // namespace

void runWave(Wave &w, int64_t budget) {
  uint32_t saved = hostFloatMode();
  w.budget = budget;
  setHostFloatMode(w.mxcsr[0]);
  w.stop = Stop::Running;
  if (Observer *observer = w.tc->launch->observer) {
    runObserved(w, *observer);
    setHostFloatMode(saved);
    return;
  }
  do {
    w.stop = Stop::Running;
    if (const Op *op = runStepped(w, w.pc))
      (w.sanitized ? runSanitized : runFast)(w, op);
  } while (w.stop == Stop::Stepping);
  setHostFloatMode(saved);
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
  std::vector<Stats> partial(count);
  std::vector<AccessCounters> counted(count, counters);
  threads.run(count, [&](unsigned t) { Worker(dispatch, t, counted[t]).run(partial[t]); });
  for (const Stats &s : partial)
    stats.add(s);
  for (const AccessCounters &c : counted)
    counters.add(c);
  stats.threads = count;
  if (count == 1 && config.threads > 1 && total > 1)
    stats.orderedBy = launch.orderedBy;
  return !dispatch.stop.load();
}

} // namespace tegula::sim
