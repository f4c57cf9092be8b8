// Who touched which bytes of a page of memory: runs while they are few, then a number for each
// dword (or byte, once accesses are that small).
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <vector>

namespace tegula::sim {

constexpr unsigned kRacePage = 4096;
constexpr uint32_t kNobody = 0;

/// Which lanes touched a run of bytes.
struct LaneRun {
  static constexpr uint8_t kNone = 255, kPermuted = 128;
  static constexpr unsigned kPermutedBlock = 128; ///< bytes
  /// Lane of the first byte; with kPermuted those of a block in any order.
  uint8_t lane = kNone;
  uint8_t width = 1; ///< bytes of a lane
  uint8_t step = 1;  ///< to the lane of the next bytes

  LaneRun after(unsigned bytes) const {
    if (!bytes || lane >= kPermuted) // divisions are slow
      return *this;
    return {uint8_t(lane + bytes / width * step), width, step};
  }
  /// The lanes that may have touched the byte `offset` behind the first one.
  uint64_t at(unsigned offset) const {
    if (lane == kNone)
      return 0;
    if (lane < kPermuted)
      return uint64_t(1) << ((lane + offset / width * step) & 63);
    uint64_t count = kPermutedBlock / width;
    return (count == 64 ? ~uint64_t(0) : (uint64_t(1) << count) - 1) << (lane - kPermuted);
  }
};

class AccessList {
public:
  struct Run {
    uint16_t first, bytes;
    LaneRun lanes;
    uint32_t who; ///< number in a table of the list's owner
    unsigned end() const { return first + bytes; }
    /// The part in [from, to).
    Run cut(unsigned from, unsigned to) const {
      return {uint16_t(from), uint16_t(to - from), lanes.after(from - first), who};
    }
  };

  bool empty() const { return runs_.empty() && !cells_; }
  void clear() {
    touched_ = 0;
    runs_.clear();
    cells_.reset();
    lanes_.reset();
  }
  size_t memory() const {
    return runs_.capacity() * sizeof(Run) + (cells_ ? kRacePage / unit_ * sizeof(uint32_t) : 0) +
           (lanes_ ? kRacePage / unit_ * sizeof(LaneRun) : 0);
  }
  /// Where the next run goes is about to be written.
  void prefetch() const {
    if (!runs_.empty())
      __builtin_prefetch(runs_.data() + runs_.size(), 1);
  }
  /// Calls f(run) for what was recorded of [first, first + bytes), cut to it. Until f says true.
  /// Cells of one author are one run, with the lane of the first.
  template <class F> bool overlapping(unsigned first, unsigned bytes, F f) const;
  template <class F> void each(F f) const {
    overlapping(0, kRacePage, [&](const Run &r) {
      f(r);
      return false;
    });
  }
  /// Calls f(who) for each number in use, and puts what it returns in its place.
  template <class F> void renumber(F f) {
    for (Run &r : runs_)
      r.who = f(r.who);
    for (unsigned i = 0; cells_ && i < kRacePage / unit_; ++i)
      if (cells_[i] != kNobody)
        cells_[i] = f(cells_[i]);
  }
  /// The lanes by which `who` touched the byte; in cells the first of them.
  uint64_t lanesAt(unsigned at, uint32_t who) const;
  /// Records a run beside what is there; in cells it takes the place of what it covers, as
  /// merge(who was there, who comes, first byte, bytes) says.
  template <class M> void add(const Run &r, M merge) {
    touched_ |= partsOf(r.first, r.bytes);
    if (!cells_ && runs_.size() < kMostRuns) {
      if (runs_.capacity() == 0)
        runs_.reserve(kFewRuns);
      runs_.push_back(r);
      return;
    }
    toCells((r.first | r.bytes) % 4 ? 1 : 4, merge);
    fill(r, merge);
  }
  /// Records a run in the place of what it covers; merge() says who stands for both.
  template <class M> void replace(const Run &r, M merge);

private:
  /// The 64 parts of a page, those that the bytes lie in.
  static uint64_t partsOf(unsigned first, unsigned bytes) {
    constexpr unsigned part = kRacePage / 64;
    return ~uint64_t(0) >> (63 - (first + bytes - 1) / part) & ~uint64_t(0) << first / part;
  }
  bool isUntouched(unsigned first, unsigned bytes) const {
    return (touched_ & partsOf(first, bytes)) == 0;
  }

  static constexpr size_t kFewRuns = 4;   ///< that memory is taken for at first
  static constexpr size_t kMostRuns = 64; ///< rows of a tile fill a page with 32 runs of 128 bytes
  template <class M> void toCells(unsigned unit, M merge);
  template <class M> void fill(const Run &r, M merge);
  LaneRun lanesOf(unsigned cell) const { return lanes_ ? lanes_[cell] : LaneRun(); }
  unsigned shift() const { return unit_ == 4 ? 2 : 0; } ///< divisions are slow

  uint64_t touched_ = 0; ///< parts in which something was recorded
  std::vector<Run> runs_;
  std::unique_ptr<uint32_t[]> cells_;
  std::unique_ptr<LaneRun[]> lanes_; ///< of cells; none where no run came with its lanes
  unsigned unit_ = 4;                ///< bytes of a cell
};

template <class M> void AccessList::fill(const Run &r, M merge) {
  unsigned i = r.first >> shift(), end = (r.end() + unit_ - 1u) >> shift(), within = 0;
  LaneRun lanes = r.lanes;
  if (lanes.lane == LaneRun::kNone && !lanes_) {
    uint32_t *cells = cells_.get();
    const uint32_t who = r.who, unit = unit_; // not to be read again for each cell
    for (; i < end; ++i)
      cells[i] =
          cells[i] == kNobody || cells[i] == who ? who : merge(cells[i], who, i * unit, unit);
    return;
  }
  if (!lanes_)
    lanes_.reset(new LaneRun[kRacePage / unit_]);
  // Lanes that a cell holds several of, or cells that a lane holds.
  const bool moves = lanes.lane < LaneRun::kPermuted;
  const unsigned step = !moves                ? 0
                        : lanes.width < unit_ ? lanes.step * (unit_ / lanes.width)
                                              : lanes.step;
  for (; i < end; ++i) {
    uint32_t there = cells_[i];
    if (there != r.who) {
      cells_[i] = there == kNobody ? r.who : merge(there, r.who, i << shift(), unit_);
      lanes_[i] = lanes;
    }
    within += unit_;
    if (within >= lanes.width) {
      lanes.lane = uint8_t(lanes.lane + step);
      within = 0;
    }
  }
}

/// From runs to cells, or from cells of dwords to cells of bytes.
template <class M> void AccessList::toCells(unsigned unit, M merge) {
  if (cells_ && unit_ <= unit)
    return;
  for (const Run &r : runs_)
    if ((r.first | r.bytes) % 4)
      unit = 1;
  std::unique_ptr<uint32_t[]> cells(new uint32_t[kRacePage / unit]());
  std::unique_ptr<LaneRun[]> lanes(lanes_ ? new LaneRun[kRacePage / unit] : nullptr);
  for (unsigned i = 0; cells_ && i < kRacePage; ++i) {
    cells[i] = cells_[i / 4];
    if (lanes)
      lanes[i] = lanes_[i / 4].after(i % 4);
  }
  cells_ = std::move(cells);
  lanes_ = std::move(lanes);
  unit_ = unit;
  for (const Run &r : runs_)
    fill(r, merge);
  runs_.clear();
}

template <class M> void AccessList::replace(const Run &r, M merge) {
  if (cells_ || isUntouched(r.first, r.bytes))
    return add(r, merge);
  Run rest = r;            // what follows the parts below
  std::vector<Run> shared; // parts that one number stands for with what was there
  for (size_t i = 0; i < runs_.size();) {
    Run old = runs_[i];
    if (old.first >= r.end() || old.end() <= r.first) {
      ++i;
      continue;
    }
    runs_.erase(runs_.begin() + ptrdiff_t(i));
    if (old.first < r.first)
      runs_.insert(runs_.begin() + ptrdiff_t(i++), old.cut(old.first, r.first));
    if (old.end() > r.end())
      runs_.insert(runs_.begin() + ptrdiff_t(i++), old.cut(r.end(), old.end()));
    Run part = r.cut(std::max(old.first, r.first), std::min(old.end(), r.end()));
    part.who = merge(old.who, r.who, part.first, part.bytes);
    if (part.who != r.who)
      shared.push_back(part);
  }
  std::sort(shared.begin(), shared.end(),
            [](const Run &a, const Run &b) { return a.first < b.first; });
  for (const Run &part : shared) {
    if (rest.first < part.first)
      add(rest.cut(rest.first, part.first), merge);
    add(part, merge);
    rest = rest.cut(part.end(), rest.end());
  }
  if (rest.bytes)
    add(rest, merge);
}

template <class F> bool AccessList::overlapping(unsigned first, unsigned bytes, F f) const {
  const unsigned end = first + bytes;
  if (isUntouched(first, bytes))
    return false;
  if (!cells_) {
    for (const Run &r : runs_) {
      unsigned lo = std::max<unsigned>(r.first, first), hi = std::min(r.end(), end);
      if (lo < hi && f(r.cut(lo, hi)))
        return true;
    }
    return false;
  }
  for (unsigned i = first >> shift(), last = (end + unit_ - 1) >> shift(); i < last;) {
    unsigned next = i + 1;
    while (next < last && cells_[next] == cells_[i])
      ++next;
    unsigned lo = std::max(i << shift(), first), hi = std::min(next << shift(), end);
    if (cells_[i] != kNobody && f(Run{uint16_t(lo), uint16_t(hi - lo), lanesOf(i), cells_[i]}))
      return true;
    i = next;
  }
  return false;
}

} // namespace tegula::sim
