// Hardware registers (s_getreg, s_setreg), and the modes of execution: VSKIP and VGPR indexing.
#include "Sim/Exec/Context.h"
#include "Sim/Exec/Handlers.h"
#include "Sim/Exec/HostFloat.h"
#include "Sim/Exec/Stepper.h"

namespace tegula::sim {
namespace {
using u32 = uint32_t;
using u64 = uint64_t;

enum Register : unsigned {
  kMode = 1,
  kStatus = 2,
  kTrapStatus = 3,
  kHwId = 4,
  kGprAlloc = 5,
  kLdsAlloc = 6,
  kCounters = 7,
  kXccId = 20
};
constexpr unsigned kXccs = 8, kCusPerSe = 16;

u32 status(const Wave &w) {
  constexpr u32 inGroup = 1u << 11, valid = 1u << 16;
  return (w.scc & 1) | u32(w.exec() == 0) << 9 | u32(w.get64(kVcc) == 0) << 10 | valid |
         (w.wg->waves.size() > 1 ? inGroup : 0);
}
/// Workgroups go round robin over the dies and then over their compute units; a wave's number in
/// its workgroup gives SIMD and slot.
u32 hardwareId(const Wave &w) {
  u32 cu = u32(w.wg->index / kXccs) % (2 * kCusPerSe);
  return w.id / 4 | w.id % 4 << 4 | cu % kCusPerSe << 8 | cu / kCusPerSe << 13;
}
u32 gprAllocation(const Wave &w) { return ((w.program->vgprs + 7) / 8 - 1) << 8; }
/// In units of 64 dwords.
u32 ldsAllocation(const Wave &w) { return (w.wg->ldsBytes + 255) / 256 << 12; }

bool readRegister(const Wave &w, unsigned id, u32 &v) {
  switch (id) {
  case kMode:
    return v = w.mode, true;
  case kStatus:
    return v = status(w), true;
  case kTrapStatus: // no exception is ever raised
  case kCounters:   // every operation is complete when the next is issued
    return v = 0, true;
  case kHwId:
    return v = hardwareId(w), true;
  case kGprAlloc:
    return v = gprAllocation(w), true;
  case kLdsAlloc: // the field is too narrow for gfx950's LDS, and its unit there is not documented
    v = ldsAllocation(w);
    return w.program->arch == Arch::gfx942;
  case kXccId:
    return v = u32(w.wg->index % kXccs), true;
  default:
    return false;
  }
}

// x = simm16 {size − 1 [15:11], offset [10:6], id [5:0]}
struct Field {
  unsigned id, offset, size;
  explicit Field(u32 x) : id(x & 63), offset(x >> 6 & 31), size((x >> 11 & 31) + 1) {}
  u32 mask() const { return u32((u64(1) << size) - 1); }
};
const Op *unknownRegister(Wave &w, const Op &o, const char *what, unsigned id) {
  return fail(w, o, FindingKind::Unsupported,
              std::string(what) + " of hardware register " + std::to_string(id));
}
const Op *getreg(Wave &w, const Op &o) {
  Field f(o.x);
  u32 v = 0;
  if (!readRegister(w, f.id, v))
    return unknownRegister(w, o, "s_getreg", f.id);
  w.s[o.d] = v >> f.offset & f.mask();
  return &o + 1;
}
const Op *setregValue(Wave &w, const Op &o, u32 value) {
  Field f(o.x);
  if (f.id != kMode)
    return unknownRegister(w, o, "s_setreg", f.id);
  u32 mask = f.mask() << f.offset;
  w.mode = (w.mode & ~mask) | (value << f.offset & mask);
  updateFloatModes(w);
  setHostFloatMode(w.mxcsr[0]);
  return modeChanged(w, o);
}
const Op *setreg(Wave &w, const Op &o) { return setregValue(w, o, w.s[o.a]); }
const Op *setregImm(Wave &w, const Op &o) { return setregValue(w, o, o.c); }

// --- Modes of execution
void setMode(Wave &w, u32 bit, bool on) { w.mode = on ? w.mode | bit : w.mode & ~bit; }
void setIndexMask(Wave &w, u32 mask) { w.s[kM0] = (w.s[kM0] & ~0xf000u) | (mask & 15) << 12; }
u32 scalar(Wave &w, const Op &o, u32 index) { return index == kLiteral ? o.x : w.s[index]; }

const Op *setvskip(Wave &w, const Op &o) {
  setMode(w, kModeVskip, scalar(w, o, o.a) >> (scalar(w, o, o.b) & 31) & 1);
  return modeChanged(w, o);
}
/// c = the operand mask, which is the raw field of the second source.
const Op *indexOn(Wave &w, const Op &o) {
  w.s[kM0] = (w.s[kM0] & ~0xffu) | (scalar(w, o, o.a) & 0xff);
  setIndexMask(w, o.c);
  setMode(w, kModeGprIndex, true);
  return modeChanged(w, o);
}
const Op *indexOff(Wave &w, const Op &o) {
  setMode(w, kModeGprIndex, false);
  return modeChanged(w, o);
}
const Op *indexMode(Wave &w, const Op &o) {
  setIndexMask(w, o.x);
  return &o + 1;
}
const Op *indexIndex(Wave &w, const Op &o) {
  w.s[kM0] = (w.s[kM0] & ~0xffu) | (scalar(w, o, o.a) & 0xff);
  return &o + 1;
}
} // namespace

const HandlerTable &tableRegisters() {
  const Shape s = Shape::Scalar, p = Shape::Program;
  static const HandlerTable table = {
      {Sem::s_getreg_b32, getreg, s},          {Sem::s_setreg_b32, setreg, s},
      {Sem::s_setreg_imm32_b32, setregImm, s}, {Sem::s_setvskip, setvskip, s},
      {Sem::s_set_gpr_idx_on, indexOn, s},     {Sem::s_set_gpr_idx_idx, indexIndex, s},
      {Sem::s_set_gpr_idx_off, indexOff, p},   {Sem::s_set_gpr_idx_mode, indexMode, p},
  };
  return table;
}
} // namespace tegula::sim
