// Which wave of which workgroup runs next, and when a launch cannot go on.
#pragma once

#include "Sim/Exec/HostThreads.h"
#include <atomic>
#include <chrono>
#include <optional>
#include <random>
#include <vector>

namespace tegula::sim {

/// What the threads of one launch share.
struct Dispatch {
  const Launch &launch;
  HostThreads &threads;
  uint64_t total; ///< workgroups
  unsigned threadCount;
  uint64_t residents; ///< that one thread may hold: its share of what the device holds
  std::atomic<uint64_t> next{0};
  std::atomic<uint64_t> changes{0}; ///< of memory, or of what waves wait for
  std::atomic<bool> stop{false};
  /// Of each thread: one above `changes` as it was when all it holds was seen to wait for ever; a
  /// thread that the host has not let run is not stuck.
  std::vector<std::atomic<uint64_t>> stuckAt = std::vector<std::atomic<uint64_t>>(threadCount);
  static constexpr uint64_t kNothingLeft = ~uint64_t(0);
};

/// One host thread's part of a launch: a workgroup at a time, others beside it only while it waits
/// for them (or as the schedule wants it).
class Worker {
public:
  Worker(Dispatch &, unsigned thread, AccessCounters &, GlobalRaces *);
  void run(Stats &);

private:
  enum class Progress { Finished, Advanced, Idle };

  bool admit();
  /// One turn of every resident; false if all of them wait.
  bool turn(Stats &);
  bool turnOf(size_t &i, Stats &);
  /// Whether every other thread is stuck too, since the same change, or has nothing left.
  bool othersStuck();
  Progress advance(Resident &);
  bool runWaves(Resident &);
  bool runSlice(Resident &, unsigned wave);
  bool stopped() const { return d_.stop.load(std::memory_order_relaxed); }
  bool overLimit(Wave &);
  int64_t budgetOf(const WaveTurn &);
  int64_t clipped(int64_t budget, const Wave &) const;
  bool deadlocked();
  bool movesInCircles();
  void reportDeadlock();
  std::string waitingFor(Resident &, unsigned wave, uint64_t &address);
  std::string polled(Resident &, Wave &, uint64_t &address);
  void changed();

  Dispatch &d_;
  const Launch &launch_;
  const unsigned thread_;
  const Schedule schedule_;
  const size_t window_; ///< residents that are admitted without need
  ThreadContext context_;
  HostThreads::Residents residents_;      ///< oldest first
  std::optional<std::mt19937_64> random_; ///< of random schedules: its seeding takes a while
  uint64_t lastChanges_ = ~uint64_t(0);
  uint64_t quietSince_ = ~uint64_t(0); ///< changes then
  unsigned quietTurns_ = 0;
  bool yielded_ = false; ///< a resident let others go on
};

} // namespace tegula::sim
