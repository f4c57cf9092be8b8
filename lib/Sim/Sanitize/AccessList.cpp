#include "Sim/Sanitize/AccessList.h"

namespace tegula::sim {

uint64_t AccessList::lanesAt(unsigned at, uint32_t who) const {
  if (cells_)
    return cells_[at / unit_] == who ? lanesOf(at / unit_).at(at % unit_) : 0;
  uint64_t lanes = 0;
  for (const Run &r : runs_)
    if (r.who == who && r.first <= at && at < r.end())
      lanes |= r.lanes.at(at - r.first);
  return lanes;
}

} // namespace tegula::sim
