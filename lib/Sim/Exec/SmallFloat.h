// The 8-, 6- and 4-bit float formats, by value. The two 8-bit opcodes mean different formats on the
// two targets.
#pragma once

#include "Sim/Decode/Isa.h"
#include <array>
#include <cmath>
#include <cstdint>
#include <cstring>

namespace tegula::sim {

enum class SmallFormat : uint8_t { E4M3Fnuz, E5M2Fnuz, E4M3, E5M2, E2M3, E3M2, E2M1 };

struct SmallFormatInfo {
  uint8_t bits, man;
  int8_t bias;
  uint8_t maxCode;  ///< largest finite magnitude
  uint8_t overflow; ///< magnitude code of what is beyond (sign kept unless fnuz)
  uint8_t nan;      ///< code of NaN; 0 = the format has none
};
constexpr SmallFormatInfo kSmallFormats[] = {
    {8, 3, 8, 0x7f, 0x80, 0x80},  {8, 2, 16, 0x7f, 0x80, 0x80}, {8, 3, 7, 0x7e, 0x7f, 0x7f},
    {8, 2, 15, 0x7b, 0x7c, 0x7f}, {6, 3, 1, 0x1f, 0x1f, 0},     {6, 2, 3, 0x1f, 0x1f, 0},
    {4, 1, 1, 0x07, 0x07, 0},
};
constexpr const SmallFormatInfo &infoOf(SmallFormat f) { return kSmallFormats[unsigned(f)]; }
constexpr bool isFnuz(SmallFormat f) {
  return f == SmallFormat::E4M3Fnuz || f == SmallFormat::E5M2Fnuz;
}
constexpr SmallFormat fp8Of(Arch a) {
  return a == Arch::gfx950 ? SmallFormat::E4M3 : SmallFormat::E4M3Fnuz;
}
constexpr SmallFormat bf8Of(Arch a) {
  return a == Arch::gfx950 ? SmallFormat::E5M2 : SmallFormat::E5M2Fnuz;
}

/// Value of a code; every small float is a normal f32.
inline float decodeSmall(SmallFormat format, unsigned code) {
  const SmallFormatInfo &i = infoOf(format);
  unsigned signBit = 1u << (i.bits - 1), mag = code & (signBit - 1);
  if (isFnuz(format) ? code == 0x80
                     : i.nan && (format == SmallFormat::E5M2 ? mag > 0x7c : mag == i.nan))
    return NAN;
  if (format == SmallFormat::E5M2 && mag == 0x7c)
    return code & signBit ? -INFINITY : INFINITY;
  int exp = int(mag >> i.man), man = int(mag & ((1u << i.man) - 1));
  float v = exp ? std::ldexp(float(man + (1 << i.man)), exp - i.bias - i.man)
                : std::ldexp(float(man), 1 - i.bias - i.man);
  return code & signBit ? -v : v;
}

/// All codes of a format, for loops that decode by lookup.
inline const std::array<float, 256> &decodeTable(SmallFormat format) {
  static const auto tables = [] {
    std::array<std::array<float, 256>, 7> t{};
    for (unsigned f = 0; f < 7; ++f)
      for (unsigned c = 0; c < 1u << kSmallFormats[f].bits; ++c)
        t[f][c] = decodeSmall(SmallFormat(f), c);
    return t;
  }();
  return tables[unsigned(format)];
}

/// Nearest even, or stochastic when `noise` ≥ 0: floor of the scaled value plus noise in [0, 1).
/// `saturate`: beyond the largest finite value gives that value (FP16_OVFL, and always for 4 and 6
/// bits).
inline unsigned encodeSmall(SmallFormat format, double v, bool saturate, double noise = -1) {
  const SmallFormatInfo &i = infoOf(format);
  unsigned signBit = 1u << (i.bits - 1);
  unsigned sign = std::signbit(v) ? signBit : 0;
  double mag = std::fabs(v);
  if (mag != mag)
    return i.nan ? (isFnuz(format) ? 0x80 : sign | i.nan) : sign | i.maxCode;
  unsigned code = i.maxCode + 1u;
  if (mag < 1e30) {
    int e = mag > 0 ? std::ilogb(mag) : -1000;
    e = e < 1 - i.bias ? 1 - i.bias : e;
    double q = std::ldexp(mag, i.man - e);
    q = noise < 0 ? std::nearbyint(q) : std::floor(q + noise);
    unsigned long long wide = (unsigned long long)(e + i.bias - 1) << i.man;
    wide += (unsigned long long)q;
    code = wide > i.maxCode ? i.maxCode + 1u : unsigned(wide);
  }
  if (code > i.maxCode)
    code = saturate || i.nan == 0 ? i.maxCode : i.overflow;
  if (isFnuz(format))
    return code == 0 || code == 0x80 ? code : sign | code;
  return sign | code;
}

} // namespace tegula::sim
