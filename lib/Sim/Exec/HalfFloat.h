// The 16-bit float types by value, for code that is not vectorised.
#pragma once

#include <cmath>
#include <cstdint>
#include <cstring>

namespace tegula::sim {

inline float floatOf(uint32_t u) {
  float f;
  std::memcpy(&f, &u, 4);
  return f;
}
inline uint32_t bitsOf(float f) {
  uint32_t u;
  std::memcpy(&u, &f, 4);
  return u;
}

/// The two 16-bit types.
struct Half {
  static float value(uint32_t h) {
    uint32_t mag = h & 0x7fff;
    float v = mag > 0x7c00    ? NAN
              : mag == 0x7c00 ? INFINITY
              : mag >= 0x400  ? std::ldexp(float((mag & 0x3ff) | 0x400), int(mag >> 10) - 25)
                              : std::ldexp(float(mag), -24);
    return h & 0x8000 ? -v : v;
  }
  /// Exact or nearest even.
  static uint32_t code(double v) {
    uint32_t sign = std::signbit(v) ? 0x8000 : 0;
    double mag = std::fabs(v);
    if (mag != mag)
      return sign | 0x7e00;
    if (mag >= 65520.0)
      return sign | 0x7c00;
    int e = mag > 0 ? std::ilogb(mag) : -1000;
    e = e < -14 ? -14 : e;
    return sign | ((uint32_t(e + 14) << 10) + uint32_t(std::nearbyint(std::ldexp(mag, 10 - e))));
  }
};
struct Bfloat {
  static float value(uint32_t b) { return floatOf(b << 16); }
  static uint32_t code(double v) {
    uint32_t x = bitsOf(float(v)); // products of fp4 and a power of two fit
    return (x + 0x7fff + (x >> 16 & 1)) >> 16;
  }
};

} // namespace tegula::sim
