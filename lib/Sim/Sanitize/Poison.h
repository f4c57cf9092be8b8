// Undefined data: which bits of a register nobody wrote, and where they go. Bits travel through
// registers, LDS and scratch without a word; a finding is made when one decides an address, a
// branch, EXEC, a lane or a hardware register, or reaches global memory.
//
// Shadows have the shape of what they describe, 1 = undefined. A clean register costs nothing: its
// status byte is 0, and its shadow is zero.
#pragma once

#include "Sim/Sanitize/Rules.h"
#include "Sim/State/Wave.h"
#include <array>
#include <map>
#include <string>
#include <tuple>
#include <unordered_map>

namespace tegula::sim {

struct VmemLanes;
enum class Space : uint8_t;

/// Where undefined bits came from.
struct Origin {
  enum Kind : uint8_t { Register, Lds, Scratch, Global, Kernarg } kind = Register;
  uint16_t reg = 0;       ///< Register: never written
  const Op *op = nullptr; ///< others: the load
  uint64_t address = 0;
};

/// Of one workgroup: origins of its waves' data, and the undefined bits of its LDS.
struct PoisonTable {
  std::vector<Origin> origins;
  std::map<std::tuple<uint8_t, uintptr_t, uint64_t>, uint32_t> known;
  std::vector<std::byte> lds;      ///< empty until some of it is undefined
  std::vector<uint32_t> ldsOrigin; ///< by dword
  void reset();
  uint32_t add(const Origin &);
};

/// Of one wave. Scalars are numbered as in Uses from kScalarReg on; the last is SCC.
struct Poison {
  static constexpr unsigned kScalars = 129;
  uint32_t delta = 0; ///< from a row to its shadow, in bytes
  uint32_t scalar[kScalars] = {};
  /// Of a register's undefined bits; kMixed: `mixed` has one for each lane (scalars: bit).
  uint32_t origin[kNumRegs] = {};
  static constexpr uint32_t kMixed = ~0u;
  std::unordered_map<unsigned, std::array<uint32_t, kLanes>> mixed;
  std::vector<std::byte> scratch;      ///< shadow of the wave's scratch, empty until needed
  std::vector<uint32_t> scratchOrigin; ///< by dword: 0 = never written
  /// While a vector op is evaluated: what its lanes' undefined bits come from.
  std::array<uint32_t, kLanes> from{};
  // While a wrapped op is evaluated: its inner op as it really is, and the rule.
  const Uses *uses = nullptr;
  Op inner;
  uint64_t lanes = 0;
};

/// At the start of a wave nothing is defined but what the launch provides: v0 and the scalars below
/// `scalars`.
void startPoison(Wave &, unsigned scalars);
/// Before an op one of whose registers is not clean: reports, and brings the shadows to where they
/// are after it. What memory provides comes with the access.
void spreadPoison(Wave &, const Op &, const Uses &);

/// An access to memory is about to be made, by the lanes that may touch it.
void poisonedVmem(Wave &, const Op &, Space, const VmemLanes &, unsigned bytes, uint8_t rights);
void poisonedLds(Wave &, const Op &, const uint32_t *address, uint64_t lanes, unsigned bytes,
                 bool write);
/// While an access runs on shadows: from addresses to those of their undefined bits.
void toShadowAddresses(Wave &, unsigned bytes, VmemLanes &);
/// After a scalar load into s[first, first + dwords).
void poisonedSmem(Wave &, const Op &, uint64_t address, unsigned first, unsigned dwords);

} // namespace tegula::sim
