// Moving lanes' bytes between memory and registers. A register is a row of 64 dwords, so a lane's
// wide load is a column: four lanes at a time go through a 4×4 transpose. SSE2 only, which every
// x86-64 host has, so no dispatch is needed.
#pragma once

#include "Sim/State/Op.h"
#include <cstdint>
#include <cstring>
#include <emmintrin.h>

namespace tegula::sim {

/// rows[k · 64 + lane] = dword k of the lane's bytes; `at(lane)` gives the address. All lanes.
template <unsigned Dwords, class At> inline void loadLanes(uint32_t *rows, At at) {
  if constexpr (Dwords == 4) {
    for (unsigned l = 0; l < kLanes; l += 4) {
      __m128i a = _mm_loadu_si128(reinterpret_cast<const __m128i *>(at(l)));
      __m128i b = _mm_loadu_si128(reinterpret_cast<const __m128i *>(at(l + 1)));
      __m128i c = _mm_loadu_si128(reinterpret_cast<const __m128i *>(at(l + 2)));
      __m128i d = _mm_loadu_si128(reinterpret_cast<const __m128i *>(at(l + 3)));
      __m128i ab0 = _mm_unpacklo_epi32(a, b), cd0 = _mm_unpacklo_epi32(c, d);
      __m128i ab1 = _mm_unpackhi_epi32(a, b), cd1 = _mm_unpackhi_epi32(c, d);
      _mm_store_si128(reinterpret_cast<__m128i *>(rows + l), _mm_unpacklo_epi64(ab0, cd0));
      _mm_store_si128(reinterpret_cast<__m128i *>(rows + 64 + l), _mm_unpackhi_epi64(ab0, cd0));
      _mm_store_si128(reinterpret_cast<__m128i *>(rows + 128 + l), _mm_unpacklo_epi64(ab1, cd1));
      _mm_store_si128(reinterpret_cast<__m128i *>(rows + 192 + l), _mm_unpackhi_epi64(ab1, cd1));
    }
  } else {
    for (unsigned l = 0; l < kLanes; ++l) {
      uint32_t v[Dwords];
      std::memcpy(v, at(l), sizeof v);
      for (unsigned k = 0; k < Dwords; ++k)
        rows[k * 64 + l] = v[k];
    }
  }
}
template <unsigned Dwords, class At> inline void storeLanes(const uint32_t *rows, At at) {
  if constexpr (Dwords == 4) {
    for (unsigned l = 0; l < kLanes; l += 4) {
      __m128i r0 = _mm_load_si128(reinterpret_cast<const __m128i *>(rows + l));
      __m128i r1 = _mm_load_si128(reinterpret_cast<const __m128i *>(rows + 64 + l));
      __m128i r2 = _mm_load_si128(reinterpret_cast<const __m128i *>(rows + 128 + l));
      __m128i r3 = _mm_load_si128(reinterpret_cast<const __m128i *>(rows + 192 + l));
      __m128i lo0 = _mm_unpacklo_epi32(r0, r1), lo1 = _mm_unpacklo_epi32(r2, r3);
      __m128i hi0 = _mm_unpackhi_epi32(r0, r1), hi1 = _mm_unpackhi_epi32(r2, r3);
      _mm_storeu_si128(reinterpret_cast<__m128i *>(at(l)), _mm_unpacklo_epi64(lo0, lo1));
      _mm_storeu_si128(reinterpret_cast<__m128i *>(at(l + 1)), _mm_unpackhi_epi64(lo0, lo1));
      _mm_storeu_si128(reinterpret_cast<__m128i *>(at(l + 2)), _mm_unpacklo_epi64(hi0, hi1));
      _mm_storeu_si128(reinterpret_cast<__m128i *>(at(l + 3)), _mm_unpackhi_epi64(hi0, hi1));
    }
  } else {
    for (unsigned l = 0; l < kLanes; ++l) {
      uint32_t v[Dwords];
      for (unsigned k = 0; k < Dwords; ++k)
        v[k] = rows[k * 64 + l];
      std::memcpy(at(l), v, sizeof v);
    }
  }
}

/// Sub-dword forms of loads and stores.
enum class Part : uint8_t { Dwords, U8, I8, U16, I16, U8Lo, U8Hi, I8Lo, I8Hi, U16Lo, U16Hi };
constexpr unsigned partBytes(Part p) {
  return p == Part::U16 || p == Part::I16 || p == Part::U16Lo || p == Part::U16Hi ? 2 : 1;
}
/// A loaded sub-dword value as it appears in the register. D16 forms leave zero in the other half,
/// as parts with SRAM-ECC do.
inline uint32_t expandPart(Part p, uint32_t v) {
  switch (p) {
  case Part::I8:
    return uint32_t(int32_t(int8_t(v)));
  case Part::I16:
    return uint32_t(int32_t(int16_t(v)));
  case Part::U8Hi:
    return (v & 0xff) << 16;
  case Part::I8Lo:
    return uint32_t(int32_t(int8_t(v))) & 0xffff;
  case Part::I8Hi:
    return uint32_t(int32_t(int8_t(v))) << 16;
  case Part::U16Hi:
    return v << 16;
  default:
    return v;
  }
}

} // namespace tegula::sim
