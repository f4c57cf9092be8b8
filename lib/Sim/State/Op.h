// The executable form of an instruction: 32 bytes, two a cache line, contiguous in program order.
// Lowering resolves every operand to a place, so that a handler never sees encodings or register
// files.
#pragma once

#include <cstdint>

namespace tegula::sim {

struct Op;
struct Wave;

/// Executes one op. Returns the next op, or nullptr to give the wave back to the scheduler
/// (Wave::stop says why).
using Handler = const Op *(*)(Wave &, const Op &);

struct Op {
  Handler fn = nullptr;
  /// Vector operands: byte offset of a row in Wave::rows. Scalar operands: dword index in Wave::s.
  uint32_t d = 0, a = 0, b = 0, c = 0;
  uint32_t x = 0; ///< immediate, literal, scalar indices of masks, branch distance in ops, or index
                  ///< of an Extra
  uint16_t slot = 0; ///< vector: scalar to broadcast (see kBroadcast*); memory: index of the
                     ///< thread's address cache
  uint16_t aux = 0;  ///< small per-handler argument (memory flags, MFMA broadcast bits…)
};
static_assert(sizeof(Op) == 32, "two ops a cache line");

constexpr uint32_t kNoOperand = ~0u;

/// Op::slot of vector ops: 0 = nothing to broadcast, else scalar index + 1, with kBroadcast64 for a
/// pair.
constexpr uint16_t kBroadcast64 = 0x8000;

/// Bytes of a vector register: 64 lanes of one dword.
constexpr uint32_t kRowBytes = 256;
constexpr unsigned kLanes = 64;

/// Rows behind the registers, free for handlers: see Lower.h for who uses which.
constexpr unsigned kBroadcastRow = 0; ///< the SGPR (pair) that an op broadcasts: rows 0–1
constexpr unsigned kSourceRows = 2;   ///< prepared sources 0–2, two rows each: rows 2–7
constexpr unsigned kResultRows = 8;   ///< result before clamp/merge: rows 8–9
constexpr unsigned kDiscardRow = 10;  ///< destination of nothing
constexpr unsigned kTempRows = 12;

// Scalar storage (Wave::s), by hardware number up to 127; behind it everything a scalar operand can
// name, so that a source is always one indexed load.
constexpr unsigned kFlatScratch = 102, kVcc = 106, kM0 = 124, kExec = 126;
constexpr unsigned kSharedBase = 235,
                   kPrivateBase = 237; ///< source codes of the apertures' 64-bit values
constexpr unsigned kVccz = 251, kExecz = 252, kSccSource = 253;
constexpr unsigned kInline64 = 256; ///< 64-bit value of source code c: kInline64 + 2·(c − 128)
constexpr unsigned kLiteral = 512;  ///< filled by the op from its own fields
constexpr unsigned kScalarSlots = 516;

/// Apertures: high dwords of LDS and scratch addresses as FLAT sees them, above any host user
/// address.
constexpr uint64_t kLdsAperture = uint64_t(1) << 48, kScratchAperture = uint64_t(2) << 48;

} // namespace tegula::sim
