// Where findings are collected: thread-safe, one entry for each kind and pair of PCs, in a
// reproducible order.
#pragma once

#include "Sim/State/Config.h"
#include <map>
#include <mutex>
#include <set>
#include <tuple>
#include <vector>

namespace tegula::sim {

/// All kinds, a blank before each.
std::string kindNames();

class FindingSink {
public:
  explicit FindingSink(const Config &config)
      : maxPerKind_(config.maxFindings), suppressions_(config.suppressions) {}

  /// Counts an occurrence. True if the caller should build the finding and call add(): it is the
  /// first of its identity, or comes from an earlier workgroup or wave than the one kept, so that
  /// the report does not depend on thread timing.
  bool hit(FindingKind, uint64_t pc, uint64_t earlierPc, uint64_t workgroupIndex, uint32_t wave);
  void add(Finding &&);
  /// The finding that ends the launch: it can't be suppressed.
  void stopped(FindingKind, uint64_t pc);

  /// Sorted by workgroup, wave and PC, at most maxPerKind of a kind.
  std::vector<Finding> take();
  bool hasErrors() const;
  /// Findings that nobody wants to see, until take().
  uint64_t suppressed() const;

private:
  using Key = std::tuple<FindingKind, uint64_t, uint64_t>;
  struct Entry {
    Finding finding;
    uint64_t workgroupIndex, count = 0;
    uint32_t wave;
  };
  mutable std::mutex mutex_;
  std::map<Key, Entry> entries_;
  std::set<std::pair<FindingKind, uint64_t>> stops_;
  bool isSuppressed(const Finding &) const;
  unsigned maxPerKind_;
  const std::vector<Suppression> &suppressions_;
};

} // namespace tegula::sim
