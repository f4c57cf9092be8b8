// The host threads of a device: started once, asleep between launches. With each goes the memory of
// the workgroups that it ran last.
#pragma once

#include "Sim/Exec/Resident.h"
#include <condition_variable>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>

namespace tegula::sim {

class HostThreads {
public:
  HostThreads() = default;
  ~HostThreads();
  HostThreads(const HostThreads &) = delete;
  HostThreads &operator=(const HostThreads &) = delete;

  /// Runs body(0) … body(count − 1) at the same time, body(0) in the caller, and waits for all.
  /// Throws what one of them threw, once none runs any more.
  void run(unsigned count, const std::function<void(unsigned)> &body);

  using Residents = std::vector<std::unique_ptr<Resident>>;
  /// A resident of that shape for thread `t`: one that was given back, or a new one.
  std::unique_ptr<Resident> take(unsigned t, const ResidentShape &);
  void giveBack(unsigned t, std::unique_ptr<Resident>);

private:
  void grow(unsigned workers);
  void work(unsigned index);

  struct Pool {
    std::mutex mutex;
    std::condition_variable start, done;
    const std::function<void(unsigned)> *body = nullptr;
    unsigned wanted = 0, running = 0;
    uint64_t generation = 0;
    bool quit = false;
    std::exception_ptr thrown; ///< by a body
    std::vector<std::thread> threads;
  };
  std::unique_ptr<Pool> pool_;
  int process_ = 0; ///< that started the threads: a forked child has none of them
  std::vector<Residents> free_;
};

} // namespace tegula::sim
