#include "Sim/Sanitize/Knowledge.h"
#include <algorithm>

namespace tegula::sim {

uint32_t Knowledge::stampOf(uint64_t workgroup, unsigned wave) const {
  Entry key{workgroup * 32 + wave, 0};
  auto it = std::lower_bound(entries_.begin(), entries_.end(), key);
  return it != entries_.end() && it->first == key.first ? it->second : 0;
}

bool Knowledge::covers(uint64_t workgroup, unsigned wave, uint32_t stamp) const {
  if (stampOf(workgroup, kAllWaves) >= stamp)
    return true;
  if (wave != kAllWaves)
    return stampOf(workgroup, wave) >= stamp;
  auto it = std::lower_bound(entries_.begin(), entries_.end(), Entry{workgroup * 32, 0});
  for (; it != entries_.end() && it->first / 32 == workgroup; ++it)
    if (it->second >= stamp)
      return true;
  return false;
}

Knowledge::Pointer Knowledge::joined(const Pointer &a, const Pointer &b) {
  if (!b || a == b)
    return a;
  if (!a)
    return b;
  auto both = std::make_shared<Knowledge>();
  both->entries_.reserve(a->size() + b->size());
  auto x = a->entries_.begin(), xEnd = a->entries_.end();
  auto y = b->entries_.begin(), yEnd = b->entries_.end();
  bool onlyA = true, onlyB = true; // nothing that the other lacks
  while (x != xEnd || y != yEnd) {
    if (y == yEnd || (x != xEnd && x->first < y->first)) {
      both->entries_.push_back(*x++);
      onlyB = false;
    } else if (x == xEnd || y->first < x->first) {
      both->entries_.push_back(*y++);
      onlyA = false;
    } else {
      onlyA &= x->second >= y->second;
      onlyB &= y->second >= x->second;
      both->entries_.push_back(x->second >= y->second ? *x : *y);
      ++x, ++y;
    }
  }
  return onlyA ? a : onlyB ? b : both;
}

Knowledge::Pointer Knowledge::told(const Pointer &known, uint64_t workgroup, unsigned wave,
                                   uint32_t stamp) {
  auto mine = std::make_shared<Knowledge>();
  mine->entries_ = {{workgroup * 32 + wave, stamp}};
  return joined(known, mine);
}

Knowledge::Pointer Knowledge::told(const Pointer &known, uint64_t workgroup,
                                   const std::vector<uint32_t> &stamps) {
  auto mine = std::make_shared<Knowledge>();
  uint32_t all = *std::min_element(stamps.begin(), stamps.end());
  for (size_t wave = 0; wave < stamps.size(); ++wave)
    if (stamps[wave] > all)
      mine->entries_.push_back({workgroup * 32 + wave, stamps[wave]});
  mine->entries_.push_back({workgroup * 32 + kAllWaves, all});
  return joined(known, mine);
}

} // namespace tegula::sim
