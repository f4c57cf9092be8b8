// Values of inline constants and literals by operand type: the same code means different bits for
// f16, f32 and f64.
#include "Sim/Decode/Decoder.h"

namespace tegula::sim {

namespace {
// Codes 240…248: ±0.5, ±1, ±2, ±4, 1/(2π).
constexpr uint16_t kF16[] = {0x3800, 0xb800, 0x3c00, 0xbc00, 0x4000,
                             0xc000, 0x4400, 0xc400, 0x3118};
constexpr uint16_t kBf16[] = {0x3f00, 0xbf00, 0x3f80, 0xbf80, 0x4000,
                              0xc000, 0x4080, 0xc080, 0x3e22};
constexpr uint32_t kF32[] = {0x3f000000, 0xbf000000, 0x3f800000, 0xbf800000, 0x40000000,
                             0xc0000000, 0x40800000, 0xc0800000, 0x3e22f983};
constexpr uint64_t kF64[] = {0x3fe0000000000000, 0xbfe0000000000000, 0x3ff0000000000000,
                             0xbff0000000000000, 0x4000000000000000, 0xc000000000000000,
                             0x4010000000000000, 0xc010000000000000, 0x3fc45f306dc9c882};

bool is64(Type t) { return t == Type::b64 || t == Type::i64 || t == Type::u64 || t == Type::f64; }
bool is16(Type t) {
  return t == Type::b16 || t == Type::i16 || t == Type::u16 || t == Type::f16 || t == Type::bf16;
}

uint64_t floatConstant(unsigned index, Type type) {
  switch (type) {
  case Type::b16:
  case Type::i16:
  case Type::u16:
  case Type::f16:
  case Type::v2f16:
    return kF16[index];
  case Type::bf16:
  case Type::v2bf16:
    return kBf16[index];
  case Type::b64:
  case Type::i64:
  case Type::u64:
  case Type::f64:
    return kF64[index];
  default: // 32 bits; packed i16 takes the f32 pattern as its 32 bits
    return kF32[index];
  }
}
} // namespace

uint64_t inlineConstant(unsigned code, Type type) {
  if (code >= 240 && code <= 248)
    return floatConstant(code - 240, type);
  if (code < 128 || code > 208)
    return 0;
  int64_t value = code <= 192 ? int64_t(code) - 128 : 192 - int64_t(code);
  if (is64(type))
    return uint64_t(value);
  return is16(type) ? uint16_t(value) : uint32_t(value);
}

uint64_t literalValue(uint32_t literal, Type type) {
  switch (type) {
  case Type::f64:
    return uint64_t(literal) << 32;
  case Type::i64:
    return uint64_t(int64_t(int32_t(literal)));
  default:
    return is16(type) ? literal & 0xffff : literal;
  }
}

} // namespace tegula::sim
