// Who touched which bytes of a page of memory: runs while they are few, then a number for each
// dword (or byte, once accesses are that small).
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

namespace tegula::sim {

constexpr unsigned kRacePage = 4096;
constexpr uint32_t kNobody = 0;

class AccessList {
public:
  static constexpr uint8_t kNoLane = 255;
  struct Run {
    uint16_t first, bytes;
    uint8_t lane, width; ///< lane of the first byte, bytes of a lane
    uint32_t who;        ///< number in a table of the list's owner
    unsigned laneOf(unsigned at) const {
      return lane == kNoLane ? kNoLane : lane + (at - first) / width;
    }
  };

  bool empty() const { return runs_.empty() && !cells_; }
  void clear() {
    runs_.clear();
    cells_.reset();
  }
  /// Calls f(run) for what was recorded of [first, first + bytes), cut to it. Until f says true.
  template <class F> bool overlapping(unsigned first, unsigned bytes, F f) const;
  template <class F> void each(F f) const {
    overlapping(0, kRacePage, [&](const Run &r) {
      f(r);
      return false;
    });
  }
  /// Records a run beside what is there; in cells it takes the place of what it covers, as
  /// merge(who was there, who comes) says.
  template <class M> void add(const Run &r, M merge) {
    if (!cells_ && runs_.size() < kMostRuns) {
      if (runs_.capacity() == 0)
        runs_.reserve(kMostRuns);
      runs_.push_back(r);
      return;
    }
    toCells((r.first | r.bytes) % 4 ? 1 : 4, merge);
    fill(r, merge);
  }
  /// Records a run in the place of what it covers.
  void replace(const Run &);

private:
  static constexpr size_t kMostRuns = 64; ///< rows of a tile fill a page with 32 runs of 128 bytes
  template <class M> void toCells(unsigned unit, M merge);
  template <class M> void fill(const Run &r, M merge) {
    const unsigned end = (r.first + r.bytes + unit_ - 1u) >> shift();
    for (uint32_t *c = &cells_[r.first >> shift()], *last = &cells_[end]; c != last; ++c)
      *c = *c == kNobody || *c == r.who ? r.who : merge(*c, r.who);
  }
  unsigned shift() const { return unit_ == 4 ? 2 : 0; } ///< divisions are slow

  std::vector<Run> runs_;
  std::unique_ptr<uint32_t[]> cells_;
  unsigned unit_ = 4; ///< bytes of a cell
};

/// From runs to cells, or from cells of dwords to cells of bytes.
template <class M> void AccessList::toCells(unsigned unit, M merge) {
  if (cells_ && unit_ <= unit)
    return;
  for (const Run &r : runs_)
    if ((r.first | r.bytes) % 4)
      unit = 1;
  std::unique_ptr<uint32_t[]> cells(new uint32_t[kRacePage / unit]());
  if (cells_)
    for (unsigned i = 0; i < kRacePage; ++i)
      cells[i] = cells_[i / 4];
  cells_ = std::move(cells);
  unit_ = unit;
  for (const Run &r : runs_)
    fill(r, merge);
  runs_.clear();
}

template <class F> bool AccessList::overlapping(unsigned first, unsigned bytes, F f) const {
  const unsigned end = first + bytes;
  if (!cells_) {
    for (const Run &r : runs_) {
      unsigned lo = r.first > first ? r.first : first, top = r.first + r.bytes;
      unsigned hi = top < end ? top : end;
      if (lo < hi && f(Run{uint16_t(lo), uint16_t(hi - lo), uint8_t(r.laneOf(lo)), r.width, r.who}))
        return true;
    }
    return false;
  }
  for (unsigned i = first >> shift(), last = (end + unit_ - 1) >> shift(); i < last;) {
    unsigned next = i + 1;
    while (next < last && cells_[next] == cells_[i])
      ++next;
    unsigned lo = i << shift() > first ? i << shift() : first;
    unsigned hi = next << shift() < end ? next << shift() : end;
    if (cells_[i] != kNobody && f(Run{uint16_t(lo), uint16_t(hi - lo), kNoLane, 4, cells_[i]}))
      return true;
    i = next;
  }
  return false;
}

} // namespace tegula::sim
