#include "Sim/Exec/Scheduler.h"
#include "Sim/Exec/Launch.h"
#include "Sim/Exec/MemTrace.h"
#include "Sim/Exec/Observer.h"
#include "Sim/Sanitize/GlobalRaces.h"
#include "Sim/Sanitize/LdsShadow.h"
#include "Sim/State/Text.h"
#include <algorithm>
#include <cstdio>
#include <thread>
#include <utility>

namespace tegula::sim {

namespace {
/// A wave yields at the first taken branch after so many instructions: when it may run on, when
/// races are sought, and when it only waits.
constexpr int64_t kSlice = 20000, kShortSlice = 1000, kWaitSlice = 500;
/// Turns without a barrier after which a workgroup counts as waiting although no loop looks like
/// it: 10 M instructions a wave.
constexpr unsigned kPatience = 500;
/// Barriers after which a workgroup lets others go on: it may poll memory in a loop of barriers,
/// one work-item asking for all, and wait for a workgroup that hasn't come yet.
constexpr uint32_t kFairBarriers = 2000;
/// Workgroups that random and adversarial schedules interleave.
constexpr size_t kWindow = 4;
/// States of a waiting wave that are compared; one that takes more has a counter and ends by itself
/// or at the limits.
constexpr size_t kMostStates = 256;
/// Turns without a change of memory after which states are compared although waves run on, as they
/// do in a loop of barriers; and how often.
constexpr unsigned kQuietTurns = 1000, kLookTurns = 64;

bool isRunnable(const Wave &w) { return w.stop != Stop::Ended && w.stop != Stop::Barrier; }
} // namespace

Worker::Worker(Dispatch &d, unsigned thread, AccessCounters &counters, GlobalRaces *races)
    : d_(d), launch_(d.launch), thread_(thread), schedule_(d.launch.config->schedule),
      window_(schedule_ == Schedule::Fifo ? 1 : size_t(std::min<uint64_t>(kWindow, d.residents))) {
  if (schedule_ == Schedule::Random)
    random_.emplace(d.launch.config->seed);
  context_.launch = &launch_;
  context_.counters = &counters;
  context_.races = races;
  context_.cache.resize(launch_.program->memorySlots + 1);
  context_.atomicMemory = d.threadCount > 1;
}

void Worker::run(Stats &stats) {
  if (launch_.observer)
    launch_.observer->attach(&residents_);
  while (!stopped()) {
    while (residents_.size() < window_ && admit())
      ;
    if (residents_.empty())
      break;
    // Depth first: another workgroup comes only when all that this thread holds wait for one.
    bool moved = turn(stats) && !movesInCircles();
    bool more = std::exchange(yielded_, false) || !moved;
    if (stopped() || (more && residents_.size() < d_.residents && admit()) || moved)
      continue;
    if (!deadlocked())
      continue;
    if (!othersStuck())
      std::this_thread::yield();
    else if (!d_.stop.exchange(true))
      reportDeadlock();
  }
  d_.stuckAt[thread_].store(Dispatch::kNothingLeft);
  if (launch_.observer)
    launch_.observer->attach(nullptr);
  for (auto &r : residents_) { // of a launch that was stopped
    r->addTo(stats);
    d_.threads.giveBack(thread_, std::move(r));
  }
}

bool Worker::admit() {
  // Those that have ended wait in memory for their turn to be compared. Another thread runs the one
  // whose turn it is: workgroups are taken in order, and this thread holds none.
  while (residents_.empty() && context_.races && context_.races->crowded() && !stopped())
    std::this_thread::sleep_for(std::chrono::microseconds(200));
  uint64_t index = d_.next.load(std::memory_order_relaxed);
  if (index < d_.total)
    index = d_.next.fetch_add(1);
  if (index >= d_.total)
    return false;
  residents_.push_back(d_.threads.take(thread_, ResidentShape::of(launch_)));
  residents_.back()->join(launch_, context_);
  residents_.back()->start(index);
  changed();
  return true;
}

void Worker::changed() { d_.changes.fetch_add(1, std::memory_order_relaxed); }

bool Worker::turnOf(size_t &i, Stats &stats) {
  Progress p = advance(*residents_[i]);
  // Alone, or the newest under the adversary: it goes on until it ends or waits.
  bool keeps =
      schedule_ == Schedule::Adversarial || (schedule_ == Schedule::Fifo && residents_.size() == 1);
  while (p == Progress::Advanced && keeps && !stopped())
    p = advance(*residents_[i]);
  if (p == Progress::Finished && !stopped()) {
    residents_[i]->addTo(stats);
    d_.threads.giveBack(thread_, std::move(residents_[i]));
    residents_.erase(residents_.begin() + ptrdiff_t(i));
    changed();
  }
  return p != Progress::Idle;
}

bool Worker::turn(Stats &stats) {
  if (schedule_ == Schedule::Random) {
    std::shuffle(residents_.begin(), residents_.end(), *random_);
    bool any = false;
    for (size_t i = residents_.size(); i-- > 0 && !stopped();)
      any |= turnOf(i, stats);
    return any;
  }
  if (schedule_ == Schedule::Adversarial) {
    for (size_t i = residents_.size(); i-- > 0 && !stopped();)
      if (turnOf(i, stats))
        return true; // the newest again
    return false;
  }
  bool any = false;
  for (size_t i = 0; i < residents_.size() && !stopped();) {
    size_t before = residents_.size();
    any |= turnOf(i, stats);
    i += residents_.size() == before;
  }
  return any;
}

Worker::Progress Worker::advance(Resident &r) {
  bool moved = runWaves(r);
  if (stopped())
    return Progress::Finished;
  if (r.ended()) {
    r.finish();
    return Progress::Finished;
  }
  if (r.passBarrier()) {
    yielded_ |= r.wg.barriers % kFairBarriers == 0;
    return r.wg.barriers % kFairBarriers ? Progress::Advanced : Progress::Idle;
  }
  return moved && ++r.rounds <= kPatience ? Progress::Advanced : Progress::Idle;
}

/// One slice of the waves that the schedule lets run. False if those all wait.
bool Worker::runWaves(Resident &r) {
  std::vector<Wave *> &waves = r.wg.waves;
  unsigned count = unsigned(waves.size());
  bool moved = false;
  if (schedule_ == Schedule::Fifo) {
    for (unsigned i = 0; i < count && !stopped(); ++i)
      if (isRunnable(*waves[i]))
        moved |= runSlice(r, i);
    return moved;
  }
  if (schedule_ == Schedule::Random) {
    unsigned order[kMaxWavesPerWorkgroup], n = 0;
    for (unsigned i = 0; i < count; ++i)
      if (isRunnable(*waves[i]))
        order[n++] = i;
    std::shuffle(order, order + n, *random_);
    // Some stay behind; who waits must be asked all the same.
    unsigned chosen = n > 1 ? unsigned((*random_)() % n) + 1 : n;
    for (unsigned i = 0; i < n && !stopped(); ++i)
      if (i < chosen || !moved)
        moved |= runSlice(r, order[i]);
    return moved;
  }
  // One wave is starved as long as another can run; with each barrier another one is.
  unsigned victim = unsigned((r.wg.barriers + r.wg.index) % count);
  for (unsigned i = 1; i < count && !stopped(); ++i) {
    unsigned wave = (victim + i) % count;
    if (isRunnable(*waves[wave]))
      moved |= runSlice(r, wave);
  }
  // Others may wait for it in a loop that doesn't look like it: one that writes, too.
  bool starved = moved && r.rounds < kPatience;
  if (!starved && isRunnable(*waves[victim]) && !stopped())
    moved |= runSlice(r, victim);
  return moved;
}

int64_t Worker::budgetOf(const WaveTurn &turn) {
  if (schedule_ == Schedule::Random)
    return int64_t((*random_)() % kShortSlice) + 1;
  if (turn.idle)
    return kWaitSlice;
  return schedule_ == Schedule::Fifo ? kSlice : kShortSlice;
}

/// No more than the wave may still execute: a loop must not run on for a slice beyond its limit.
int64_t Worker::clipped(int64_t budget, const Wave &w) const {
  uint64_t limit = launch_.config->instructionLimit, done = instructionsOf(w.counts);
  return done < limit ? int64_t(std::min<uint64_t>(uint64_t(budget), limit - done)) : 0;
}

/// False if the wave only waits: it wrote nothing and sleeps, or ended in a loop that polls.
bool Worker::runSlice(Resident &r, unsigned wave) {
  Wave &w = *r.wg.waves[wave];
  WaveTurn &turn = r.turns[wave];
  runWave(w, clipped(budgetOf(turn), w));
  if (w.stop == Stop::Fault || overLimit(w)) {
    d_.stop.store(true);
    return true;
  }
  const Program &p = *launch_.program;
  bool wrote = w.counts[kWritesSlot] != turn.writes;
  turn.writes = w.counts[kWritesSlot];
  if (wrote)
    changed();
  turn.idle = !wrote && (w.stop == Stop::Sleeping ||
                         (w.stop == Stop::Budget && p.polling[size_t(w.pc - p.ops.data())]));
  return !turn.idle;
}

bool Worker::overLimit(Wave &w) {
  const Config &config = *launch_.config;
  bool ended = w.stop == Stop::Ended;
  if (!ended && instructionsOf(w.counts) >= config.instructionLimit) {
    fail(w, *w.pc, FindingKind::InstructionLimit,
         "the wave executed more than " + std::to_string(config.instructionLimit) +
             " instructions");
    return true;
  }
  char text[64] = "the launch was interrupted";
  if (!launch_.interrupted->load(std::memory_order_relaxed)) {
    if (config.secondsLimit <= 0 || std::chrono::steady_clock::now() <= launch_.deadline)
      return false;
    std::snprintf(text, sizeof text, "the launch took more than %g seconds", config.secondsLimit);
  }
  if (!ended) {
    fail(w, *w.pc, FindingKind::TimeLimit, text);
    return true;
  }
  const Op &last = *(w.pc - 1); // of a grid of short waves, none of which is over any limit
  report(w, last, FindingKind::TimeLimit, Severity::Error, 0, 0, text);
  launch_.findings->stopped(FindingKind::TimeLimit, w.program->pc(&last));
  return true;
}

/// All residents wait and no more can come. Waves are deterministic: if memory stays as it is and
/// each is in a state that it was in before, none will ever leave.
bool Worker::deadlocked() {
  uint64_t changes = d_.changes.load();
  bool fresh = changes != lastChanges_;
  lastChanges_ = changes;
  bool all = true;
  for (auto &r : residents_) {
    if (fresh)
      r->quietFrom = r->wg.barriers;
    std::vector<uint64_t> states = r->states(r->quietFrom);
    for (unsigned i = 0; i < states.size(); ++i) {
      WaveTurn &turn = r->turns[i];
      if (fresh)
        turn.seen.clear();
      if (isRunnable(*r->wg.waves[i]))
        all &= turn.seen.size() < kMostStates && !turn.seen.insert(states[i]).second;
    }
  }
  return all && !fresh;
}

/// Nothing has changed in memory for long although waves run on: time to look at their states.
bool Worker::movesInCircles() {
  uint64_t changes = d_.changes.load();
  if (std::exchange(quietSince_, changes) != changes)
    quietTurns_ = 0;
  return ++quietTurns_ > kQuietTurns && quietTurns_ % kLookTurns == 0;
}

bool Worker::othersStuck() {
  // 0 stands for not stuck.
  d_.stuckAt[thread_].store(lastChanges_ + 1);
  for (unsigned t = 0; t < d_.threadCount; ++t) {
    uint64_t at = d_.stuckAt[t].load();
    if (at != lastChanges_ + 1 && at != Dispatch::kNothingLeft)
      return false;
  }
  return d_.changes.load() == lastChanges_;
}

/// What a wave that waits reads in its loop, and who wrote it last.
std::string Worker::polled(Resident &r, Wave &w, uint64_t &address) {
  const Program &p = *w.program;
  size_t first = size_t(w.pc - p.ops.data()), last = first;
  while (first > 0 && p.polling[first - 1])
    --first;
  while (last < p.ops.size() && p.polling[last])
    ++last;
  std::string lds; // waves may hand on by it what one of them has read from memory
  for (size_t i = first; i < last; ++i) {
    MemTrace t;
    if (!traceMemory(w, p.ops[i], decode(p.arch, p.text, p.textSize, p.pcOf[i]), t) || !t.reads ||
        !t.count)
      continue;
    std::string writer;
    if (t.space == MemTrace::Space::Lds && lds.empty()) {
      address = t.address[0];
      lds = " LDS byte " + std::to_string(address) + " at " + hex(p.pcOf[i]) +
            lastLdsWriter(r.wg, uint32_t(address), w);
    }
    if (t.space != MemTrace::Space::Global)
      continue;
    address = t.address[0];
    if (context_.races && context_.races->chains())
      for (auto &other : residents_)
        context_.races->compare(*other->wg.races);
    writer = context_.races ? context_.races->lastWriter(address) : "";
    return " " + hex(address) + " at " + hex(p.pcOf[i]) + ", " +
           describeAddress(*launch_.memory, *launch_.freed, address, t.bytes) +
           (!context_.races  ? ""
            : writer.empty() ? ", which this launch has not written"
                             : ", last written by " + writer);
  }
  return lds.empty() ? " memory" : lds;
}

std::string Worker::waitingFor(Resident &r, unsigned wave, uint64_t &address) {
  Wave &w = *r.wg.waves[wave];
  std::string text = "workgroup " + std::to_string(r.wg.index) + " wave " + std::to_string(wave);
  if (w.stop == Stop::Barrier) {
    text += " waits at the barrier before " + hex(w.program->pc(w.pc)) + " for wave";
    for (const Wave *other : r.wg.waves)
      if (isRunnable(*other))
        text += " " + std::to_string(other->id);
    return text;
  }
  text += std::string(w.stop == Stop::Sleeping ? " sleeps" : " runs") + " in the loop at " +
          hex(w.program->pc(w.pc)) + " and polls";
  return text + polled(r, w, address);
}

void Worker::reportDeadlock() {
  constexpr unsigned most = 6;
  Wave *first = nullptr;
  std::string waves;
  uint64_t address = 0; // that the first wave which runs polls
  unsigned live = 0;
  for (auto &r : residents_)
    for (unsigned i = 0; i < r->wg.waves.size(); ++i) {
      Wave &w = *r->wg.waves[i];
      if (w.stop == Stop::Ended)
        continue;
      if (!first && isRunnable(w))
        first = &w;
      uint64_t mine = 0;
      if (live++ < most)
        waves += "; " + waitingFor(*r, i, mine);
      if (first == &w)
        address = mine;
    }
  uint64_t started = std::min(d_.next.load(), d_.total);
  std::string text = "no wave can go on: " + std::to_string(residents_.size()) + " of " +
                     std::to_string(d_.total) + " workgroups are resident and wait";
  if (started < d_.total)
    text += ", " + std::to_string(d_.total - started) + " have not started (the device holds " +
            std::to_string(d_.residents * d_.threadCount) + " of this kernel at a time)";
  text += waves;
  if (live > most)
    text += "; and " + std::to_string(live - most) + " more waves";
  fail(*first, *first->pc, FindingKind::Deadlock, text, address);
}

} // namespace tegula::sim
