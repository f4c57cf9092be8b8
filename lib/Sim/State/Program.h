// A kernel, lowered: ops in program order with everything that is looked up beside them. Immutable
// after lowering and shared by all threads. Lowering is per kernel because the place of A registers
// (accum_offset) is.
#pragma once

#include "Sim/Decode/Decoder.h"
#include "Sim/State/Op.h"
#include "Sim/State/Uses.h"
#include <array>
#include <memory>
#include <string>
#include <vector>

namespace tegula::sim {

/// How one source of a modified vector op is prepared before the plain handler runs.
struct SourcePrep {
  enum Kind : uint8_t { None, Plain, Packed16, Packed32, Mix } kind = None;
  uint8_t rows = 1;
  uint32_t source = 0; ///< row offset, ignored when `scalar` is set
  uint16_t scalar = 0; ///< as Op::slot
  uint32_t target = 0; ///< row offset that the inner op reads
  uint8_t sel = 6;     ///< SDWA select
  bool sext = false;
  bool dpp = false;       ///< permuted by Extra::lane
  uint8_t lo = 0, hi = 1; ///< packed: half or dword that feeds the low and the high result; Mix: lo
                          ///< = half, hi = is f16
  uint32_t clearLo = 0,
           clearHi = 0; ///< abs: bits cleared (lo: row 0 / low half, hi: row 1 / high half)
  uint32_t flipLo = 0, flipHi = 0; ///< neg: bits flipped
};

/// The result of a modified vector op on its way to the register.
struct ResultPost {
  enum Kind : uint8_t { None, F32, F16, F64, PackedF16, PackedF32 } clampAs = None;
  bool active = false; ///< the inner op writes result rows, merged afterwards
  uint8_t rows = 1;
  uint32_t target = 0, from = 0;
  bool clamp = false;
  uint8_t omod = 0;
  uint8_t error = 0; ///< a transcendental's result is moved by up to 2^(error − 1) of its last bit
  uint8_t sel = 6,
          unused =
              2; ///< SDWA destination: 6 dword, 4/5 halves, 0–3 bytes; unused 0 pad, 1 sign, 2 keep
};

struct Extra {
  Op inner;
  SourcePrep source[3];
  ResultPost post;
  bool dpp = false, boundCtrl = false;
  uint8_t lane[kLanes] = {};  ///< DPP source lane
  uint64_t laneValid = ~0ull; ///< DPP: the source exists
  uint64_t writeMask = ~0ull; ///< DPP row_mask and bank_mask
};

/// Where results may depend on the order of workgroups, and why.
struct OrderSite {
  uint32_t op;
  const char *why;
};

struct Counting;

/// Why an op is not executed: the simulator can't, or no device could.
struct Refusal {
  std::string why;
  bool isIllegal = false;
};

struct Program {
  Arch arch = Arch::gfx950;
  std::vector<Op> ops;
  std::vector<uint32_t> pcOf; ///< op → byte offset in .text
  std::vector<int32_t> opOf;  ///< dword of .text → op, or −1
  std::vector<std::array<uint32_t, 8>>
      prefix; ///< class counts of the ops before this one, and of writes to memory (kWritesSlot);
              ///< one entry more than ops
  std::vector<Extra> extra;
  std::vector<std::array<uint32_t, kLanes>> constants; ///< constant rows, behind the temporaries
  std::vector<Uses> uses; ///< parallel to ops, as `checks`; only in sanitized programs
  std::vector<OpCheck> checks;
  std::shared_ptr<const Counting> counting; ///< only in programs that count their accesses
  std::vector<Refusal> refusals;            ///< why refusing ops refuse
  unsigned vgprs = 0;                       ///< rows of registers
  unsigned memorySlots = 0;
  std::vector<OrderSite> orderSites;
  std::vector<bool> polling;   ///< by op: inside a loop whose end what it reads from memory decides
  std::vector<bool> polls;     ///< by op: a load whose value such a loop waits for
  std::vector<bool> compared;  ///< by op: a load whose value a compare-and-swap checks afterwards
  std::vector<bool> flags;     ///< by op: an access by which LDS that is waited for may be touched
  std::vector<uint32_t> jumps; ///< ops that jump through a register
  bool ldsWaits = false; ///< waves can wait for one another by LDS: it polls, or atomics return
  bool sanitized = false;
  const std::byte *text = nullptr; ///< guest copy of .text; alive as long as the module
  size_t textSize = 0;

  uint32_t tempOffset(unsigned row) const { return (vgprs + row) * kRowBytes; }
  uint32_t constantOffset(size_t i) const { return uint32_t(vgprs + kTempRows + i) * kRowBytes; }
  size_t rowCount() const { return vgprs + kTempRows + constants.size(); }
  uint32_t pc(const Op *op) const { return pcOf[size_t(op - ops.data())]; }
};

} // namespace tegula::sim
