#include "Sim/Exec/HostThreads.h"
#include <algorithm>
#include <unistd.h>
#include <utility>

namespace tegula::sim {

namespace {
/// Bytes of wave files that a thread keeps for later launches.
constexpr size_t kKeptBytes = size_t(64) << 20;

size_t bytesOf(const ResidentShape &s) {
  return s.waves * (s.rows * kRowBytes + size_t(s.scratchBytes) * kLanes) + s.ldsAllocated;
}

/// Calls body(index); what it throws.
std::exception_ptr thrownBy(const std::function<void(unsigned)> &body, unsigned index) {
  try {
    body(index);
  } catch (...) {
    return std::current_exception();
  }
  return nullptr;
}
} // namespace

HostThreads::~HostThreads() {
  if (!pool_)
    return;
  if (process_ != getpid()) {
    (void)pool_.release(); // threads of another process cannot be joined
    return;
  }
  {
    std::lock_guard<std::mutex> lock(pool_->mutex);
    pool_->quit = true;
  }
  pool_->start.notify_all();
  for (std::thread &t : pool_->threads)
    t.join();
}

void HostThreads::grow(unsigned workers) {
  if (pool_ && process_ != getpid())
    (void)pool_.release();
  if (!pool_) {
    pool_ = std::make_unique<Pool>();
    process_ = getpid();
  }
  while (pool_->threads.size() < workers) {
    unsigned index = unsigned(pool_->threads.size()) + 1;
    pool_->threads.emplace_back([this, index] { work(index); });
  }
}

void HostThreads::work(unsigned index) {
  Pool &p = *pool_;
  uint64_t seen = 0;
  std::unique_lock<std::mutex> lock(p.mutex);
  for (;;) {
    p.start.wait(lock, [&] { return p.quit || p.generation != seen; });
    if (p.quit)
      return;
    seen = p.generation;
    if (index >= p.wanted)
      continue;
    const auto *body = p.body;
    lock.unlock();
    std::exception_ptr thrown = thrownBy(*body, index);
    lock.lock();
    if (thrown)
      p.thrown = std::move(thrown);
    if (--p.running == 0)
      p.done.notify_one();
  }
}

void HostThreads::run(unsigned count, const std::function<void(unsigned)> &body) {
  if (free_.size() < count)
    free_.resize(count);
  if (count <= 1)
    return body(0);
  grow(count - 1);
  Pool &p = *pool_;
  {
    std::lock_guard<std::mutex> lock(p.mutex);
    p.body = &body;
    p.wanted = count;
    p.running = count - 1;
    ++p.generation;
  }
  p.start.notify_all();
  std::exception_ptr thrown = thrownBy(body, 0);
  std::unique_lock<std::mutex> lock(p.mutex);
  p.done.wait(lock, [&] { return p.running == 0; });
  std::exception_ptr others = std::exchange(p.thrown, nullptr);
  if (thrown || others)
    std::rethrow_exception(thrown ? thrown : others);
}

std::unique_ptr<Resident> HostThreads::take(unsigned t, const ResidentShape &shape) {
  Residents &free = free_[t];
  auto it = std::find_if(free.rbegin(), free.rend(),
                         [&](const auto &resident) { return resident->shape == shape; });
  if (it == free.rend())
    return std::make_unique<Resident>(shape);
  auto resident = std::move(*it);
  free.erase(std::next(it).base());
  return resident;
}

/// Keeps the newest; the oldest go when they are too many.
void HostThreads::giveBack(unsigned t, std::unique_ptr<Resident> resident) {
  Residents &free = free_[t];
  free.push_back(std::move(resident));
  size_t bytes = 0;
  for (const auto &r : free)
    bytes += bytesOf(r->shape);
  while (bytes > kKeptBytes && free.size() > 1) {
    bytes -= bytesOf(free.front()->shape);
    free.erase(free.begin());
  }
}

} // namespace tegula::sim
