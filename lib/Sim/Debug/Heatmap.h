// How often each part of memory was touched.
#pragma once

#include "Sim/Exec/MemTrace.h"
#include <map>
#include <vector>

namespace tegula::sim {

struct Heat {
  uint64_t reads = 0, writes = 0; ///< lane accesses; an atomic is both
};

class Heatmap {
public:
  explicit Heatmap(uint64_t bucketBytes) : bucketBytes_(bucketBytes ? bucketBytes : 1) {}
  void add(const Wave &, const MemTrace &);

  struct Row {
    bool lds;        ///< of all workgroups, else memory
    uint64_t base;   ///< address of the allocation; 0 for LDS
    uint64_t offset; ///< of the bucket's first byte in it
    Heat heat;
  };
  /// Buckets that were touched, by address; LDS last.
  std::vector<Row> rows() const;
  uint64_t bucketBytes() const { return bucketBytes_; }

private:
  uint64_t bucketBytes_;
  struct Key {
    bool lds;
    uint64_t base, bucket;
    bool operator<(const Key &o) const {
      return lds != o.lds ? lds < o.lds : base != o.base ? base < o.base : bucket < o.bucket;
    }
  };
  std::map<Key, Heat> heat_;
};

} // namespace tegula::sim
