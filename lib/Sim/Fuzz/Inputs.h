// The two kinds of inputs: code objects, and streams of instructions behind a header of four bytes.
#pragma once

#include "Sim/Decode/Isa.h"
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

namespace tegula::sim::fuzz {

/// Of a stream: target (bit 7), schedule, checks; vector registers (bits 4 to 7: more checks and
/// numerics); MODE and waves; LDS and scratch.
constexpr size_t kHeader = 4;

inline bool isObject(const uint8_t *data, size_t size) {
  return size > 7 && std::memcmp(data, "\177ELF", 4) == 0;
}
inline Arch archOfStream(const uint8_t *data) {
  return data[0] & 128 ? Arch::gfx950 : Arch::gfx942;
}
/// By e_flags; anything else counts as gfx942, which refuses it.
inline Arch archOfObject(const uint8_t *data, size_t size) {
  return size > 48 && data[48] == 0x4f ? Arch::gfx950 : Arch::gfx942;
}

} // namespace tegula::sim::fuzz
