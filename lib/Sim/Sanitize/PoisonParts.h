// Shared by the parts of the undefined-data check.
#pragma once

#include "Sim/Exec/Context.h"
#include "Sim/Sanitize/Watch.h"
#include <utility>

namespace tegula::sim::poison {

inline Poison &of(Wave &w) { return w.watch->poison; }
inline const Poison &of(const Wave &w) { return w.watch->poison; }
inline uint32_t *shadow(const Wave &w, uint32_t rowOffset) {
  return w.row(rowOffset + of(w).delta);
}
constexpr uint8_t kNotClean = kPoisoned | kUndefined;

/// What a wrapped op prepares and merges.
inline const Extra &extraOf(const Wave &w, const Op &o) {
  return w.watch->moved ? *w.watch->moved : w.program->extra[o.x];
}
/// Gives a never-written register a shadow of ones.
void touch(Wave &, unsigned reg);
/// Sets or clears the status bits from the shadow.
void refresh(Wave &, unsigned reg, uint32_t origin);
/// The register is defined in `lanes` (scalars: at all).
void define(Wave &, unsigned reg, uint64_t lanes);
inline void define(Wave &w, const Uses::Run &run, uint64_t lanes) {
  for (unsigned r = run.first; r < unsigned(run.first) + run.count; ++r)
    define(w, r, lanes);
}
/// Where the undefined bits of a lane (scalars: a bit) come from.
uint32_t originAt(const Wave &, unsigned reg, unsigned lane);
/// What is named of two, in whichever order they stand: rather what was never written than memory
/// that may be copied. 0 = none.
uint32_t named(const Wave &, uint32_t a, uint32_t b);
/// Of what the op reads that is undefined; whichever lane.
uint32_t originOf(const Wave &, const Uses &);
using LaneOrigins = std::array<uint32_t, kLanes>;
/// Of a register's lowest undefined lane or bit.
uint32_t originOfRegister(const Wave &, unsigned reg);
/// As refresh(), with an origin for each lane (scalars: bit).
void refreshLanes(Wave &, unsigned reg, const LaneOrigins &);
/// Those of a register, 0 where it is defined.
LaneOrigins originsOf(const Wave &, unsigned reg);

/// Shadow of a scalar source by its index in Wave::s: constants are defined.
uint32_t scalar32(const Wave &, unsigned index);
uint64_t scalar64(const Wave &, unsigned index);
void setScalar(Wave &, unsigned index, uint32_t bits, uint32_t origin);
void setScalar64(Wave &, unsigned index, uint64_t bits, uint32_t origin);
/// VCCZ or EXECZ is undecided: some bit is undefined, and no defined bit is 1.
bool zeroUndecided(const Wave &, unsigned pair);

/// "v5 was never written", "loaded by … from LDS byte 0x480, which …".
std::string describe(const Wave &, uint32_t origin);
/// One finding: register `reg` is `what`, e.g. "the address of an access".
void decides(Wave &, const Op &, unsigned reg, const char *what, uint64_t lanes, uint32_t origin);
/// One for each cause: the undefined lanes of a vector register.
void lanesDecide(Wave &, const Op &, unsigned reg, const char *what, uint64_t lanes);
/// The same of a scalar pair that holds a mask.
void maskDecides(Wave &, const Op &, unsigned pair, const char *what, uint64_t lanes);

/// Sources that are the same register have the same bits, whatever they are: bit 0 = a and b, 1 = b
/// and c, 2 = a and c.
enum Same : unsigned { kSameAB = 1, kSameBC = 2, kSameAC = 4 };

/// A bit of the result is undefined if both values are possible. Truth table of {a, b, c}.
template <class T>
T undecidedBits(unsigned table, T a, T sa, T b, T sb, T c, T sc, unsigned same = 0) {
  T one = 0, zero = 0;
  for (unsigned k = 0; k < 8; ++k) {
    bool differ = (same & kSameAB && (k >> 2 ^ k >> 1) & 1) ||
                  (same & kSameBC && (k >> 1 ^ k) & 1) || (same & kSameAC && (k >> 2 ^ k) & 1);
    if (differ)
      continue;
    T possible =
        ((k & 4 ? a : T(~a)) | sa) & ((k & 2 ? b : T(~b)) | sb) & ((k & 1 ? c : T(~c)) | sc);
    (table >> k & 1 ? one : zero) |= possible;
  }
  return one & zero;
}
/// Everything from the lowest undefined bit upwards.
template <class T> T smear(T s) { return s | T(T(0) - s); }
/// Whether the comparison can go both ways; `kind` is a Comparison.
template <class T, class Signed> bool undecided(unsigned kind, T a, T sa, T b, T sb) {
  if (!(sa | sb))
    return false;
  if (kind == kAnyBit)
    return true;
  if (kind == kEqual) // decided by a defined bit that differs
    return !((a ^ b) & ~(sa | sb));
  T sign = kind == kSigned ? T(T(1) << (8 * sizeof(T) - 1)) : T(0);
  T aLow = (a & ~sa) | (sa & sign), aHigh = (a | sa) & ~(sa & sign);
  T bLow = (b & ~sb) | (sb & sign), bHigh = (b | sb) & ~(sb & sign);
  auto less = [&](T x, T y) { return kind == kSigned ? Signed(x) < Signed(y) : x < y; };
  return !(less(aHigh, bLow) || less(bHigh, aLow));
}

void spreadVector(Wave &, const Op &, const Uses &);
void spreadScalar(Wave &, const Op &, const Uses &);
void spreadMatrix(Wave &, const Op &, const Uses &);
void spreadMemory(Wave &, const Op &, const Uses &);

/// Runs `op` on shadows: `op` has been moved to them, nothing is reported.
void runOnShadows(Wave &, const Op &);

} // namespace tegula::sim::poison
