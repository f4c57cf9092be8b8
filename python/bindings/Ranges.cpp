// The union of ranges of memory.
#include "Ranges.h"

#include <algorithm>

using namespace tegula::bindings;

std::vector<Range> tegula::bindings::merged(std::vector<Bounds> bounds) {
  std::sort(bounds.begin(), bounds.end());
  std::vector<Range> result;
  uintptr_t end = 0;
  for (const auto &[low, high, writable] : bounds) {
    if (result.empty() || low >= end) {
      result.emplace_back(low, high - low, writable);
      end = high;
      continue;
    }
    auto &[address, bytes, rights] = result.back();
    end = std::max(end, high);
    bytes = end - address;
    rights |= writable;
  }
  return result;
}
