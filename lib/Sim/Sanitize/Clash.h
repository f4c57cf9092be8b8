// Lanes of one store that meet: if they leave different bytes, nothing says which ones stay.
#pragma once

#include "Sim/State/Op.h"
#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace tegula::sim {

/// Two lanes, and the first byte that they disagree about. None if both are the same.
struct Clash {
  unsigned one = 0, other = 0;
  uint64_t address = 0;
  explicit operator bool() const { return one != other; }
  uint64_t lanes() const { return uint64_t(1) << one | uint64_t(1) << other; }
};

/// Certainly no two of `lanes` touch the same byte. Quick, and true for nearly all stores.
template <class A> bool lanesApart(const A *address, uint64_t lanes, unsigned bytes) {
  if (lanes == ~uint64_t(0)) {
    bool ascending = true;
    for (unsigned l = 0; l + 1 < kLanes; ++l)
      ascending &= address[l + 1] >= address[l] + bytes;
    if (ascending)
      return true;
  }
  if ((bytes & (bytes - 1)) != 0 || !lanes)
    return !lanes;
  // Places of `bytes` each, of which as many as there are bits are told apart.
  constexpr unsigned places = 4096;
  uint64_t taken[places / 64] = {};
  const A first = address[__builtin_ctzll(lanes)];
  const unsigned shift = unsigned(__builtin_ctz(bytes));
  bool apart = true;
  for (uint64_t m = lanes; m; m &= m - 1) {
    A at = address[__builtin_ctzll(m)];
    unsigned place = unsigned(at >> shift) % places;
    apart &= ((at ^ first) & (bytes - 1)) == 0 && !(taken[place / 64] >> place % 64 & 1);
    taken[place / 64] |= uint64_t(1) << place % 64;
  }
  return apart;
}

/// The first place where lanes meet and disagree. `byteOf(lane, offset)`: what a lane leaves behind
/// its address; `bytesOf(lane)`: how much.
template <class A, class F, class G>
Clash clashOf(const A *address, uint64_t lanes, F bytesOf, G byteOf) {
  unsigned order[kLanes], count = 0;
  for (uint64_t m = lanes; m; m &= m - 1)
    order[count++] = unsigned(__builtin_ctzll(m));
  std::sort(order, order + count, [&](unsigned a, unsigned b) {
    return address[a] != address[b] ? address[a] < address[b] : a < b;
  });
  for (unsigned i = 0; i < count; ++i)
    for (unsigned k = i + 1; k < count; ++k) {
      unsigned a = order[i], b = order[k], skip = unsigned(address[b] - address[a]);
      if (address[b] - address[a] >= bytesOf(a))
        break;
      for (unsigned n = 0; n < std::min(bytesOf(a) - skip, bytesOf(b)); ++n)
        if (byteOf(a, skip + n) != byteOf(b, n))
          return {std::min(a, b), std::max(a, b), uint64_t(address[b]) + n};
      if (skip == 0 && bytesOf(a) == bytesOf(b)) // `b` stands for both from here on
        break;
    }
  return {};
}

} // namespace tegula::sim
