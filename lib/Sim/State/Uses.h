// What an instruction reads and writes, for the checks of sanitized runs: runs of registers of any
// kind, each with the part that it plays. Worked out once at lowering, beside the ops.
#pragma once

#include "Sim/Decode/Isa.h"
#include <array>
#include <cstdint>

namespace tegula::sim {

// Registers of all kinds share one numbering: rows of vector registers, then scalars by hardware
// number, SCC and the hardware registers of s_setreg.
constexpr unsigned kScalarReg = 512, kSccReg = kScalarReg + 128, kHardwareReg = kSccReg + 8,
                   kNumRegs = kHardwareReg + 64;

/// The part that a run of registers plays, as bits.
enum UseRole : uint16_t {
  kUseRead = 1 << 0,
  kUseWrite = 1 << 1,
  kUseAddress = 1 << 2,   ///< vector address of a memory instruction
  kUseBase = 1 << 3,      ///< scalar base, descriptor or offset of a memory instruction
  kUseData = 1 << 4,      ///< what a memory instruction stores
  kUseSource = 1 << 5,    ///< sources 0 and 1, scales and index of vector and matrix instructions
  kUseAddend = 1 << 6,    ///< source 2
  kUseConst = 1 << 7,     ///< a scalar register as source of a vector instruction
  kUseMask = 1 << 8,      ///< lane mask: carry-in, selector of v_cndmask, VCC of v_div_fmas
  kUseSelect = 1 << 9,    ///< lane number of v_readlane and v_writelane
  kUsePermuted = 1 << 10, ///< source 0 of a DPP instruction
  kUseLanes = 1 << 11,    ///< EXEC, by instructions for which its age matters
  kUseZero = 1 << 12,     ///< VCC or EXEC through VCCZ or EXECZ
  kUseM0 = 1 << 14,       ///< M0 by an instruction that always reads it
  kUseDecides = 1 << 13,  ///< condition of a branch, new EXEC, jump target, hardware register value
};

/// What kind of instruction it is, as bits: producers and consumers of wait-state hazards.
enum Trait : uint32_t {
  kIsValu = 1u << 0, ///< vector arithmetic but not matrix
  kIsSalu = 1u << 1,
  kIsVmem = 1u << 2,
  kIsLds = 1u << 3,
  kIsSmem = 1u << 4,
  kIsTrans = 1u << 5,
  kIsPartial = 1u << 6, ///< writes part of a register
  kIsDot = 1u << 7,
  kIsDpp = 1u << 8,
  kIsLane = 1u << 9, ///< v_readlane, v_readfirstlane, v_writelane
  kIsPermlane = 1u << 10,
  kIsDivFmas = 1u << 11,
  kIsMfma = 1u << 12,
  kIsXdl = 1u << 13,    ///< matrix instruction on 8- to 16-bit (or xf32) data
  kIsSgemm = 1u << 14,  ///< on f32
  kIsDgemm4 = 1u << 15, ///< on f64, 4x4x4
  kIsDgemm16 = 1u << 16,
  kIsWideStore = 1u << 17, ///< its data registers are read late
  kIsDma = 1u << 18,
  kIsM0User = 1u << 19,
  kIsSetreg = 1u << 20,
  kIsGetreg = 1u << 21,
  kIsVccBranch = 1u << 22,
  kIsHalfVcc = 1u << 23, ///< scalar write of one half of VCC
  kIsAtomic = 1u << 24,
  kIsFlat = 1u << 25,
  kIsCoherent = 1u << 26, ///< past the caches that workgroups don't share (sc1)
  kSetsVskip = 1u << 27,  ///< s_setreg of MODE.vskip
  kIsSetvskip = 1u << 28,
  kIsGlc = 1u << 29, ///< scalar load past the scalar cache
};

struct Uses {
  static constexpr uint8_t kImplied = 255;
  struct Run {
    uint16_t first;
    uint8_t count;
    uint8_t operand; ///< of the instruction; kImplied: none of them
    uint16_t role;
    bool has(unsigned bits) const { return role & bits; }
    bool contains(unsigned reg) const { return reg >= first && reg < unsigned(first) + count; }
    bool overlaps(const Run &o) const {
      return first < unsigned(o.first) + o.count && o.first < unsigned(first) + count;
    }
  };
  std::array<Run, 12> runs;
  uint8_t count = 0;
  enum : uint8_t { kVm = 1, kLds = 2 };
  uint8_t counter = 0; ///< the op is a load that returns in order in these counters
  uint8_t states = 1;  ///< wait states that the instruction takes: 1, or n + 1 for s_nop n
  uint8_t passes = 0;  ///< of matrix instructions: 2, 4, 8, 16
  uint8_t reach = 0;   ///< wait states after which nothing depends on its age any more
  uint16_t sem = 0;
  uint32_t traits = 0;
  // How undefined bits of the sources reach the result: a ShadowRule with its argument, and the
  // element types of the destination and the three sources.
  uint8_t shadow = 0, shadowArg = 0;
  std::array<Type, 4> types{};
  const Run *begin() const { return runs.data(); }
  const Run *end() const { return runs.data() + count; }
};

/// The test before each op of a sanitized run: any status bit of the registers that it names, or a
/// flag, sends it to the slow path. Parallel to Program::ops and of the same size, so that one
/// index serves both.
struct alignas(32) OpCheck {
  uint32_t mask[4] = {}; ///< one byte a register: the status bits that matter
  uint16_t at[4] = {};   ///< first register of each group of four
  enum : uint8_t {
    kWide = 1,       ///< more registers than fit: Uses has them
    kWaitStates = 2, ///< another instruction follows too closely in straight line
    kAlways = 4,     ///< looked at each time, whatever the status bytes say
  };
  uint8_t flags = 0;
  uint8_t reach = 0; ///< wait states behind this op for which something before still needs distance
};
static_assert(sizeof(OpCheck) == 32, "the size of an Op");

} // namespace tegula::sim
