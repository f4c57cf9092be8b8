#include "Sim/Sanitize/AccessList.h"

namespace tegula::sim {

void AccessList::replace(const Run &r) {
  if (cells_)
    return add(r, [](uint32_t, uint32_t who) { return who; });
  const unsigned end = r.first + r.bytes;
  for (size_t i = runs_.size(); i-- > 0;) {
    Run &old = runs_[i];
    unsigned oldEnd = old.first + old.bytes;
    if (old.first >= end || oldEnd <= r.first)
      continue;
    Run behind = old;
    if (oldEnd > end) {
      behind.lane = uint8_t(old.laneOf(end));
      behind.first = uint16_t(end);
      behind.bytes = uint16_t(oldEnd - end);
    }
    bool before = old.first < r.first;
    if (before)
      old.bytes = uint16_t(r.first - old.first);
    if (oldEnd > end && before)
      runs_.push_back(behind);
    else if (oldEnd > end)
      old = behind;
    else if (!before) {
      old = runs_.back();
      runs_.pop_back();
    }
  }
  add(r, [](uint32_t, uint32_t who) { return who; });
}

} // namespace tegula::sim
