// What a wave knows of others: whose accesses happened before its own next one, because a barrier
// or a chain of release and acquire through memory lies between.
#pragma once

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

namespace tegula::sim {

/// Stands for all waves of a workgroup, and for readers that are more than one.
constexpr unsigned kAllWaves = 31;

/// Up to which stamp (Workgroup::stamp) the accesses of a wave are known. Immutable and shared:
/// waves and variables hand theirs on as they are.
class Knowledge {
public:
  using Pointer = std::shared_ptr<const Knowledge>;

  /// Of several waves (kAllWaves) one may be known.
  bool covers(uint64_t workgroup, unsigned wave, uint32_t stamp) const;
  size_t size() const { return entries_.size(); }

  /// Both together; one of the two themselves if it holds the other. Null knows nothing.
  static Pointer joined(const Pointer &, const Pointer &);
  /// With one wave's accesses up to a stamp.
  static Pointer told(const Pointer &, uint64_t workgroup, unsigned wave, uint32_t stamp);
  /// With those of a workgroup's waves, each up to its own stamp.
  static Pointer told(const Pointer &, uint64_t workgroup, const std::vector<uint32_t> &stamps);

private:
  using Entry = std::pair<uint64_t, uint32_t>; ///< workgroup · 32 + wave, stamp
  uint32_t stampOf(uint64_t workgroup, unsigned wave) const;
  std::vector<Entry> entries_; ///< by key
};

} // namespace tegula::sim
