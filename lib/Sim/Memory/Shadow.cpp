#include "Sim/Memory/Shadow.h"
#include <algorithm>
#include <cstring>
#include <sys/mman.h>

namespace tegula::sim {

namespace {
void *mapZeros(size_t bytes) {
  void *p = mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  return p == MAP_FAILED ? nullptr : p;
}
} // namespace

MemoryShadow::~MemoryShadow() {
  if (std::byte *bits = bits_.load())
    munmap(bits, bytes_ + kPage);
}

bool MemoryShadow::mapBits() {
  if (bits_.load())
    return true;
  std::lock_guard<std::mutex> lock(mutex_);
  if (bits_.load())
    return true;
  size_t pages = bytes_ / kPage + 1;
  auto *bits = static_cast<std::byte *>(mapZeros(bytes_ + kPage));
  if (!bits)
    return false;
  pages_.reset(new std::atomic<uint8_t>[pages]);
  for (size_t i = 0; i < pages; ++i)
    pages_[i].store(Defined, std::memory_order_relaxed);
  bits_.store(bits);
  return true;
}

/// A page that was one as a whole gets bits of its own.
void MemoryShadow::settle(size_t page) {
  if (pages_[page].load(std::memory_order_acquire) == ByBits)
    return;
  std::lock_guard<std::mutex> lock(mutex_);
  if (pages_[page].load(std::memory_order_relaxed) == AllUndefined)
    std::memset(bits_.load() + page * kPage, 0xff, kPage);
  pages_[page].store(ByBits, std::memory_order_release);
}

void MemoryShadow::setDefined(size_t offset, size_t bytes, bool defined) {
  size_t end = std::min(offset + bytes, bytes_);
  if (offset >= end || !mapBits())
    return;
  if (!defined)
    tracked_.store(true);
  while (offset < end) {
    size_t page = offset / kPage, next = std::min(end, (page + 1) * kPage);
    if (next - offset == kPage && pages_[page].load() != ByBits) {
      pages_[page].store(defined ? Defined : AllUndefined);
    } else {
      settle(page);
      std::memset(bits_.load() + offset, defined ? 0 : 0xff, next - offset);
    }
    offset = next;
  }
}

void MemoryShadow::copyDefined(size_t offset, const std::byte *undefined, size_t bytes) {
  std::byte *bits = this->undefined(offset, bytes);
  if (!bits)
    return;
  std::memmove(bits, undefined, bytes);
  tracked_.store(true);
}

std::byte *MemoryShadow::undefined(size_t offset, size_t bytes) {
  if (!mapBits())
    return nullptr;
  for (size_t page = offset / kPage; page <= (offset + bytes - 1) / kPage; ++page)
    settle(page);
  return bits_.load() + offset;
}

} // namespace tegula::sim
