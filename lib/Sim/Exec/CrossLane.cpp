// Lane reads and writes, permlane swaps, mbcnt: no arithmetic worth vectorising, so compiled once.
#include "Sim/Exec/Context.h"
#include "Sim/Exec/Handlers.h"

namespace tegula::sim {
namespace {
const Op *readlane(Wave &w, const Op &o) {
  w.s[o.d] = w.row(o.a)[w.s[o.b] & 63];
  return &o + 1;
}
const Op *readfirstlane(Wave &w, const Op &o) {
  uint64_t exec = w.exec();
  w.s[o.d] = w.row(o.a)[exec ? __builtin_ctzll(exec) : 0];
  return &o + 1;
}
const Op *writelane(Wave &w, const Op &o) {
  w.row(o.d)[w.s[o.b] & 63] = w.s[o.a];
  return &o + 1;
}
/// Swaps lanes [from, from + n) of d with the lanes [to, to + n) of a. aux = opSel: bit 0 fi, bit 1
/// bound_ctrl.
void swapLanes(Wave &w, const Op &o, unsigned from, unsigned to, unsigned n) {
  uint32_t *d = w.row(o.d), *a = w.row(o.a);
  uint64_t exec = w.exec();
  bool fi = o.aux & 1, bound = o.aux & 2;
  for (unsigned i = 0; i < n; ++i) {
    unsigned x = from + i, y = to + i;
    uint32_t dv = d[x], av = a[y];
    bool dOn = exec >> x & 1, aOn = exec >> y & 1;
    if (dOn && (aOn || fi || bound))
      d[x] = aOn || fi ? av : 0;
    if (aOn && (dOn || fi || bound))
      a[y] = dOn || fi ? dv : 0;
  }
}
void warnMasked(Wave &w, const Op &o) {
  if (w.exec() != ~0ull)
    report(w, o, FindingKind::ExecMasked, Severity::Warning, ~w.exec(), 0,
           "a permlane swap with inactive lanes: the hardware's behaviour is not documented");
}
const Op *permlane16Swap(Wave &w, const Op &o) {
  warnMasked(w, o);
  swapLanes(w, o, 16, 0, 16);
  swapLanes(w, o, 48, 32, 16);
  return &o + 1;
}
const Op *permlane32Swap(Wave &w, const Op &o) {
  warnMasked(w, o);
  swapLanes(w, o, 32, 0, 32);
  return &o + 1;
}
} // namespace

const HandlerTable &tableCrossLane() {
  static const HandlerTable table = {
      {Sem::v_readlane_b32, readlane, Shape::Lane},
      {Sem::v_readfirstlane_b32, readfirstlane, Shape::Lane},
      {Sem::v_writelane_b32, writelane, Shape::Lane},
      {Sem::v_permlane16_swap_b32, permlane16Swap, Shape::Vector, Elem::Raw},
      {Sem::v_permlane32_swap_b32, permlane32Swap, Shape::Vector, Elem::Raw},
  };
  return table;
}
} // namespace tegula::sim
