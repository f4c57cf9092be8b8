// Memory that starts as zeros. Pages that nobody touches cost nothing.
#pragma once

#include <cstddef>
#include <cstdlib>
#include <memory>
#include <new>

namespace tegula::sim {

class ZeroedBytes {
public:
  ZeroedBytes() = default;
  explicit ZeroedBytes(size_t size)
      : bytes_(static_cast<std::byte *>(std::calloc(size, 1))), size_(size) {
    if (!bytes_ && size)
      throw std::bad_alloc();
  }
  std::byte *data() const { return bytes_.get(); }
  size_t size() const { return size_; }
  std::byte *begin() const { return data(); }
  std::byte *end() const { return data() + size_; }

private:
  struct Free {
    void operator()(std::byte *b) const { std::free(b); }
  };
  std::unique_ptr<std::byte[], Free> bytes_;
  size_t size_ = 0;
};

} // namespace tegula::sim
