// What sanitized runs remember of one allocation: which bits nobody wrote. Mapped on first use, so
// memory that no kernel touches costs nothing.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>

namespace tegula::sim {

class MemoryShadow {
public:
  explicit MemoryShadow(size_t bytes) : bytes_(bytes) {}
  ~MemoryShadow();
  MemoryShadow(const MemoryShadow &) = delete;
  MemoryShadow &operator=(const MemoryShadow &) = delete;

  /// Host's word on [offset, offset + bytes).
  void setDefined(size_t offset, size_t bytes, bool defined);
  /// Some of it may be undefined.
  bool tracked() const { return tracked_.load(std::memory_order_relaxed); }
  /// [offset, offset + bytes) holds a copy: of it, `undefined` says which bits nobody wrote.
  void copyDefined(size_t offset, const std::byte *undefined, size_t bytes);
  /// The undefined bits of `bytes` bytes, 1 = undefined; nullptr when the host has no memory left.
  std::byte *undefined(size_t offset, size_t bytes);

private:
  enum Page : uint8_t {
    Defined,      ///< as a whole; its bits are zero
    AllUndefined, ///< as a whole; its bits are zero and mean nothing
    ByBits
  };
  static constexpr size_t kPage = 4096;
  bool mapBits();
  void settle(size_t page);

  size_t bytes_;
  std::mutex mutex_;
  std::atomic<bool> tracked_{false};
  std::atomic<std::byte *> bits_{nullptr};
  std::unique_ptr<std::atomic<uint8_t>[]> pages_;
};

} // namespace tegula::sim
