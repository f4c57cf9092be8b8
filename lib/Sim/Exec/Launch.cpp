#include "Sim/Exec/Launch.h"
#include "Sim/Counters/Counting.h"
#include "Sim/Decode/Print.h"
#include "Sim/Exec/HostFloat.h"
#include "Sim/Exec/Stepper.h"
#include "Sim/Sanitize/LdsShadow.h"
#include "Sim/Sanitize/Watch.h"
#include <algorithm>
#include <memory>
#include <new>
#include <random>
#include <thread>

namespace tegula::sim {

namespace {
constexpr int64_t kSliceOps = 20000; ///< a wave yields at the first taken branch after this many
/// Slices without a barrier after which a workgroup counts as waiting for another: 10 M
/// instructions a wave.
constexpr unsigned kPatience = 500;

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

/// Everything that one resident workgroup needs on the host.
struct Resident {
  Workgroup wg;
  LdsShadow shadow;
  std::vector<std::byte> lds;
  unsigned slices = 0; ///< since the last barrier
  struct WaveStorage {
    std::unique_ptr<std::byte[], void (*)(std::byte *)> rows{nullptr, nullptr};
    std::vector<std::byte> scratch;
    std::unique_ptr<Watch> watch;
    Wave wave;
  };
  std::vector<std::unique_ptr<WaveStorage>> storage;
};

class Worker {
public:
  Worker(const Launch &launch, unsigned waves, bool shared, std::atomic<bool> &stop,
         AccessCounters &counters)
      : launch_(launch), stop_(stop) {
    context_.launch = &launch;
    context_.counters = &counters;
    context_.cache.resize(launch.program->memorySlots + 1);
    context_.atomicMemory = shared;
    waves_ = waves;
  }
  /// Runs one workgroup, and others beside it if it sleeps waiting for them.
  void run(std::atomic<uint64_t> &next, uint64_t total, Stats &stats);

private:
  std::unique_ptr<Resident> makeResident();
  void start(Resident &, uint64_t index);
  enum class Progress { Finished, Advanced, Idle };
  Progress advance(Resident &);
  void passBarrier(Resident &);
  bool faulted(Wave &);
  void compareBarriers(Resident &);
  int64_t slice() {
    return launch_.config->schedule == Schedule::Random ? int64_t(random_() % 1000 + 1) : kSliceOps;
  }

  const Launch &launch_;
  std::atomic<bool> &stop_;
  ThreadContext context_;
  unsigned waves_;
  std::vector<std::unique_ptr<Resident>> free_;
  std::mt19937_64 random_;
};

std::unique_ptr<Resident> Worker::makeResident() {
  auto r = std::make_unique<Resident>();
  const Config &config = *launch_.config;
  uint32_t granule = limitsOf(config.arch).ldsGranule;
  r->lds.resize((launch_.ldsBytes + granule - 1) / granule * granule + 16);
  r->wg.lds = r->lds.data();
  r->wg.ldsBytes = launch_.ldsBytes;
  bool shadow = config.checkLdsRaces || config.checkUninitialised || config.checkWaits;
  r->wg.shadow = shadow ? &r->shadow : nullptr;
  const Program &p = *launch_.program;
  for (unsigned i = 0; i < waves_; ++i) {
    auto s = std::make_unique<Resident::WaveStorage>();
    auto release = [](std::byte *b) { ::operator delete[](b, std::align_val_t(64)); };
    size_t bytes = p.rowCount() * kRowBytes;
    s->rows = {static_cast<std::byte *>(::operator new[](bytes, std::align_val_t(64))), release};
    std::memset(s->rows.get(), 0, bytes);
    if (!p.constants.empty())
      std::memcpy(s->rows.get() + p.constantOffset(0), p.constants.data(),
                  p.constants.size() * kRowBytes);
    s->scratch.resize(size_t(launch_.kernel->scratchBytes) * kLanes);
    s->wave.rows = s->rows.get();
    s->wave.scratch = s->scratch.data();
    s->wave.scratchBytes = launch_.kernel->scratchBytes;
    s->wave.tc = &context_;
    s->wave.sanitized = p.sanitized;
    if (p.sanitized) {
      s->watch = std::make_unique<Watch>();
      s->wave.watch = s->watch.get();
    }
    r->wg.waves.push_back(&s->wave);
    r->storage.push_back(std::move(s));
  }
  return r;
}

void Worker::start(Resident &r, uint64_t index) {
  r.wg.index = index;
  r.wg.id = {uint32_t(index % launch_.grid.x), uint32_t(index / launch_.grid.x % launch_.grid.y),
             uint32_t(index / launch_.grid.x / launch_.grid.y)};
  r.wg.epoch = 1;
  r.slices = 0;
  std::fill(r.lds.begin(), r.lds.end(), std::byte{0});
  if (r.wg.shadow)
    r.wg.shadow->reset(launch_.ldsBytes);
  for (unsigned i = 0; i < r.wg.waves.size(); ++i)
    startWave(*r.wg.waves[i], launch_, r.wg, i);
  if (launch_.config->schedule == Schedule::Random)
    random_.seed(launch_.config->seed ^ (index * 0x9e3779b97f4a7c15ull));
}

bool Worker::faulted(Wave &w) {
  uint64_t executed = 0;
  for (uint64_t c : w.counts)
    executed += c;
  if (executed > launch_.config->instructionLimit && w.stop != Stop::Ended && w.stop != Stop::Fault)
    fail(w, *w.pc, FindingKind::InstructionLimit,
         "the wave executed more than " + std::to_string(launch_.config->instructionLimit) +
             " instructions");
  return w.stop == Stop::Fault;
}

/// All live waves have arrived: what they had outstanding is ordered after the barrier.
void Worker::passBarrier(Resident &r) {
  for (Wave *w : r.wg.waves)
    if (w->stop == Stop::Barrier) {
      if (w->sanitized)
        restampAtBarrier(*w);
      w->stop = Stop::Running;
    }
  ++r.wg.epoch;
  r.slices = 0;
}

/// Ended waves count as arrived, so this runs; but a wave that left before the others' last barrier
/// is rarely meant to.
void Worker::compareBarriers(Resident &r) {
  for (Wave *w : r.wg.waves)
    if (w->barriers < r.wg.epoch - 1)
      report(*w, *(w->pc - 1), FindingKind::BarrierDivergence, Severity::Warning, 0, 0,
             "the wave ended after " + std::to_string(w->barriers) + " barriers, others passed " +
                 std::to_string(r.wg.epoch - 1));
}

Worker::Progress Worker::advance(Resident &r) {
  bool ended = true, ran = false, onlySleep = true;
  std::vector<Wave *> order = r.wg.waves;
  if (launch_.config->schedule == Schedule::Random)
    std::shuffle(order.begin(), order.end(), random_);
  for (Wave *w : order) {
    if (w->stop == Stop::Ended || w->stop == Stop::Barrier) {
      ended &= w->stop == Stop::Ended;
      continue;
    }
    runWave(*w, slice());
    ran = true;
    onlySleep &= w->stop == Stop::Sleeping;
    if (faulted(*w) || stop_.load(std::memory_order_relaxed)) {
      stop_.store(true);
      return Progress::Finished;
    }
    ended &= w->stop == Stop::Ended;
  }
  if (ended) {
    compareBarriers(r);
    return Progress::Finished;
  }
  bool allAtBarrier = std::all_of(r.wg.waves.begin(), r.wg.waves.end(), [](Wave *w) {
    return w->stop == Stop::Barrier || w->stop == Stop::Ended;
  });
  if (allAtBarrier)
    passBarrier(r);
  bool waiting = onlySleep || ++r.slices > kPatience;
  return ran && waiting && !allAtBarrier ? Progress::Idle : Progress::Advanced;
}

void Worker::run(std::atomic<uint64_t> &next, uint64_t total, Stats &stats) {
  std::vector<std::unique_ptr<Resident>> residents;
  auto admit = [&] {
    uint64_t index = next.fetch_add(1);
    if (index >= total)
      return false;
    if (free_.empty())
      free_.push_back(makeResident());
    residents.push_back(std::move(free_.back()));
    free_.pop_back();
    start(*residents.back(), index);
    return true;
  };
  while (!stop_.load(std::memory_order_relaxed)) {
    // Depth first: another workgroup is admitted only when all that this thread holds seem to wait
    // for one.
    bool allIdle = true;
    for (size_t i = 0; i < residents.size() && !stop_.load(std::memory_order_relaxed);) {
      Progress p = advance(*residents[i]);
      while (p == Progress::Advanced && residents.size() == 1 &&
             !stop_.load(std::memory_order_relaxed))
        p = advance(*residents[i]);
      allIdle &= p == Progress::Idle;
      if (p != Progress::Finished) {
        ++i;
        continue;
      }
      for (Wave *w : residents[i]->wg.waves)
        for (unsigned c = 0; c < 8; ++c)
          stats.counts[c] += w->counts[c];
      ++stats.workgroups;
      stats.waves += waves_;
      free_.push_back(std::move(residents[i]));
      residents.erase(residents.begin() + ptrdiff_t(i));
    }
    if (allIdle && !admit() && residents.empty())
      return;
  }
}
} // namespace

void report(Wave &w, const Op &inner, FindingKind kind, Severity severity, uint64_t lanes,
            uint64_t address, const std::string &detail, const Op *earlier) {
  const Op &o = outer(w, inner);
  FindingSink &sink = *w.tc->launch->findings;
  uint64_t pc = w.program->pc(&o), earlierPc = earlier ? w.program->pc(earlier) : 0;
  if (!sink.hit(kind, pc, earlierPc, w.wg->index, w.id))
    return;
  // Formatting must not run under the guest's rounding mode.
  setHostFloatMode(0x1f80);
  Finding f = baseFinding(w, o, kind, severity);
  f.lanes = lanes;
  f.address = address;
  f.detail = detail;
  f.earlierPc = earlierPc;
  f.hasEarlier = earlier != nullptr;
  if (earlier)
    locate(w, earlierPc, f.earlierInstruction, f.earlierFile, f.earlierLine);
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
  do {
    w.stop = Stop::Running;
    if (const Op *op = runStepped(w, w.pc))
      (w.sanitized ? runSanitized : runFast)(w, op);
  } while (w.stop == Stop::Stepping);
  setHostFloatMode(saved);
}

bool runLaunch(const Launch &launch, Stats &stats, AccessCounters &counters) {
  uint64_t total = launch.grid.count();
  unsigned waves = unsigned((launch.block.count() + kLanes - 1) / kLanes);
  bool ordered = launch.program->ordered || launch.config->schedule == Schedule::Random;
  unsigned threads = ordered ? 1 : unsigned(std::min<uint64_t>(launch.config->threads, total));
  threads = std::max(threads, 1u);
  std::atomic<uint64_t> next{0};
  std::atomic<bool> stop{false};
  if (const Counting *counting = launch.program->counting.get()) {
    counters.instructions.resize(counting->accesses.size());
    counters.allocations.resize(launch.memory->size() + 1);
  }
  std::vector<Stats> partial(threads);
  std::vector<AccessCounters> counted(threads, counters);
  auto body = [&](unsigned t) {
    Worker(launch, waves, threads > 1, stop, counted[t]).run(next, total, partial[t]);
  };
  std::vector<std::thread> pool;
  for (unsigned t = 1; t < threads; ++t)
    pool.emplace_back(body, t);
  body(0);
  for (std::thread &t : pool)
    t.join();
  for (const Stats &s : partial) {
    for (unsigned c = 0; c < 8; ++c)
      stats.counts[c] += s.counts[c];
    stats.workgroups += s.workgroups;
    stats.waves += s.waves;
  }
  for (const AccessCounters &c : counted)
    counters.add(c);
  return !stop.load();
}

} // namespace tegula::sim
