// The table of memory that kernels may touch. Guest addresses are host addresses, so this table is
// what keeps guest programs inside their own buffers: every access is checked against it before it
// happens.
#pragma once

#include "Sim/Memory/Shadow.h"
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace tegula::sim {

enum Rights : uint8_t { kRead = 1, kWrite = 2 };

struct Allocation {
  enum class Kind : uint8_t { Device, Host, Kernarg, Code };
  uintptr_t lo = 0, hi = 0; ///< [lo, hi)
  uint64_t id = 0;
  Kind kind = Kind::Device;
  uint8_t rights = kRead | kWrite;
  /// Of code objects: the parts that may be written, as offsets. The rest is read-only.
  std::vector<std::pair<uintptr_t, uintptr_t>> writable;
  std::shared_ptr<MemoryShadow> shadow;
  std::string name; ///< the host's, for reports; may be empty
  struct Symbol {
    std::string name;
    uintptr_t offset, size;
  };
  std::shared_ptr<const std::vector<Symbol>> symbols; ///< of code objects: variables, by offset
};

/// Sorted, disjoint. A dispatch keeps the snapshot that it started with.
using Snapshot = std::shared_ptr<const std::vector<Allocation>>;

/// The allocation that holds `address`, or nullptr.
const Allocation *findAllocation(const std::vector<Allocation> &, uintptr_t address);
/// What is wrong with an access, if it may not be made.
enum class Fault : uint8_t {
  Outside,
  Freed,
  ReadOnly,
  Wrapped ///< 2^32 elements from an allocation: arithmetic of 32 bits lost a carry or a sign
};
Fault faultOf(const std::vector<Allocation> &live, const std::vector<Allocation> &freed,
              uintptr_t address, size_t bytes);
/// Where such an access was meant to go; 0: it is none.
uintptr_t wrappedFrom(const std::vector<Allocation> &live, uintptr_t address, size_t bytes);
/// The allocation that holds `address`, with `nearby` also the one next to it, as a JSON object; ""
/// if there is none.
std::string allocationJson(const std::vector<Allocation> &live,
                           const std::vector<Allocation> &freed, uintptr_t address, bool nearby);
/// A sentence that places `address` relative to the nearest live or freed allocation.
std::string describeAddress(const std::vector<Allocation> &live,
                            const std::vector<Allocation> &freed, uintptr_t address, size_t bytes);

class Allocations {
public:
  Allocations() : live_(std::make_shared<std::vector<Allocation>>()) {}
  ~Allocations();
  Allocations(const Allocations &) = delete;
  Allocations &operator=(const Allocations &) = delete;

  /// Page-aligned zeroed memory between unmapped guard pages; nullptr when the host has none left.
  void *allocate(size_t bytes, Allocation::Kind = Allocation::Kind::Device,
                 uint8_t rights = kRead | kWrite);
  bool release(void *);
  /// False when the range is empty or overlaps another.
  bool registerHost(void *, size_t bytes, uint8_t rights);
  bool unregisterHost(void *);
  /// The host's word on contents that kernels may take for written (or not). False: the range lies
  /// in no allocation.
  bool markDefined(void *, size_t bytes, bool defined);
  /// The same of what the host has copied from memory of `source`: as defined as it is there.
  bool copyDefined(void *, const Allocations &source, const void *from, size_t bytes);
  /// Kernels may write these parts of an allocation (offsets) and no others.
  void setWritable(void *, std::vector<std::pair<uintptr_t, uintptr_t>> parts);

  /// What reports call the allocation that begins there. False: none does.
  bool setName(void *, std::string name);
  void setSymbols(void *, std::vector<Allocation::Symbol> sorted);

  Snapshot snapshot() const { return live_; }
  const std::vector<Allocation> &freed() const { return freed_; }

private:
  struct Mapping {
    void *base;
    size_t bytes;
    uintptr_t lo;
  };
  bool map(size_t body, Mapping &);
  void quarantine(const Mapping &);
  /// The table, to be changed: copied first if somebody holds a snapshot.
  std::vector<Allocation> &table();
  /// Its entry that begins there, or nullptr.
  Allocation *startingAt(void *);
  bool insert(Allocation);
  bool erase(uintptr_t lo, bool host);

  std::shared_ptr<std::vector<Allocation>> live_;
  std::vector<Allocation> freed_; ///< the latest, for use-after-free reports
  std::vector<Mapping> mappings_;
  /// Given back, but not their addresses: so that a pointer to freed memory meets nothing new.
  std::deque<Mapping> quarantine_;
  size_t quarantined_ = 0;
  Mapping spare_ = {}; ///< of the last kernarg segment: every launch has one
  uint64_t nextId_ = 1;
};

} // namespace tegula::sim
