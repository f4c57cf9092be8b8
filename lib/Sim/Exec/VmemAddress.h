// Lane addresses of vector memory instructions, checked before anything is touched.
#pragma once

#include "Sim/Exec/Context.h"
#include "Sim/Sanitize/Waits.h"

namespace tegula::sim {

enum class Space : uint8_t { Buffer, Global, Flat, Scratch };

// Op of a vector memory instruction: d = data or destination row, a = address row(s) or kNoOperand,
// b = scalar base (descriptor, saddr) or kNoOperand, c = scalar offset (buffers) or second data row
// (atomics), x = signed byte offset, aux = Part or dwords | flags.
constexpr uint16_t kVmemIdxen = 1 << 8, kVmemOffen = 1 << 9, kVmemReturn = 1 << 10,
                   kVmemAddr64 = 1 << 11;
constexpr uint16_t kVmemKind = 0xff;
/// Kind of typed accesses whose format is in the instruction: data format | number format << 4.
constexpr uint16_t kVmemTyped = 0x80;

struct VmemLanes {
  alignas(64) uint64_t address[kLanes]; ///< host addresses of the lanes in `active`
  uint64_t exec = 0;                    ///< lanes that the instruction runs for
  uint64_t active = 0;                  ///< lanes that may touch memory; the others load zero
  uint64_t lds = 0; ///< those of them that a FLAT address leads to LDS, once checked
  /// Buffers: bytes from the lane's address that are inside num_records (dword granular). Others:
  /// everything.
  alignas(64) uint64_t room[kLanes];
  bool partial = false; ///< some active lane has room for only part of the access
  /// What each lane will leave in memory, packed, where it is not what the data registers hold.
  const std::byte *stored = nullptr;
};

/// Fills in addresses of `bytes`-wide accesses. `atomic`: all-or-nothing range check, natural
/// alignment.
void vmemAddresses(Wave &, const Op &, Space, unsigned bytes, bool atomic, VmemLanes &);
/// Bytes in memory of the element that a lane of a typed buffer access touches, all or nothing: by
/// the data format, and by what the instruction or its descriptor says. 0: nothing is touched.
unsigned elementBytes(unsigned dataFormat);
unsigned elementBytes(const Wave &, const Op &);
/// Sanitized runs: enters an access of memory into vmcnt's ring; a load owns `rows` from Op::d.
void recordVmem(Wave &, const Op &, bool store, unsigned rows);
/// Sanitized runs: enters a FLAT access into both rings; a load owns `rows` from Op::d.
void recordFlat(Wave &, const Op &, PendingKind, unsigned rows, const VmemLanes &, unsigned bytes);
/// Removes (and reports) active lanes without the right to their memory.
void vmemCheck(Wave &, const Op &, Space, unsigned bytes, uint8_t rights, VmemLanes &);

} // namespace tegula::sim
