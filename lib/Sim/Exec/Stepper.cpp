#include "Sim/Exec/Stepper.h"
#include "Sim/Exec/Handlers.h"
#include "Sim/Exec/HostFloat.h"
#include "Sim/Exec/Observer.h"
#include "Sim/Sanitize/Watch.h"
#include <algorithm>

namespace tegula::sim {

namespace {
bool isVectorAlu(Class c) {
  return c == Class::valu32 || c == Class::valu16 || c == Class::valu64 || c == Class::trans ||
         c == Class::lane || c == Class::mfma;
}
/// What VSKIP keeps from being issued: no effect, and no counter is touched.
bool isVector(Class c) {
  switch (c) {
  case Class::salu:
  case Class::branch:
  case Class::program:
  case Class::smem:
    return false;
  default:
    return true;
  }
}

/// One vector ALU op with M0's index added to the registers that M0[15:12] enables.
class IndexedOp {
public:
  IndexedOp(Wave &w, const Op &original, const Instruction &inst)
      : w(w), original(original), inst(inst), op(original) {
    wrapped = op.fn == wrapperHandler();
    if (wrapped)
      extra = w.program->extra[op.x];
    if (w.sanitized)
      uses = w.program->uses[size_t(&original - w.program->ops.data())];
  }

  const Op *run() {
    if (inst.row->cls == Class::mfma)
      return fail(w, original, FindingKind::Unsupported, "a matrix instruction with VGPR indexing");
    for (unsigned i = 0; i < inst.numOperands; ++i)
      shift(i, inst.row->operands[i].role, inst.operands[i]);
    if (outside) {
      report(w, original, FindingKind::Illegal, Severity::Error, w.exec(), 0,
             "VGPR index " + std::to_string(index) + " leads outside the wave's registers");
      if (!writes)
        return &original + 1;
    }
    if (w.sanitized)
      watchMoved(w, op, uses, wrapped ? &extra : nullptr);
    if (wrapped)
      runWrapped(w, extra);
    else if (const Op *next = op.fn(w, op); !next)
      return nullptr;
    return &original + 1;
  }

private:
  enum Enable : unsigned { Src0 = 1, Src1 = 2, Src2 = 4, Dst = 8 };

  static unsigned enableOf(Role role) {
    switch (role) {
    case Role::a:
      return Src0;
    case Role::b:
      return Src1;
    case Role::c:
      return Src2;
    case Role::d:
      return Dst;
    default:
      return 0;
    }
  }
  void shift(unsigned operand, Role role, const Operand &o) {
    if (!(w.s[kM0] >> 12 & enableOf(role)) || (o.file != File::V && o.file != File::A))
      return;
    const Kernel &k = *w.tc->launch->kernel;
    unsigned base = o.file == File::A ? k.accumOffset : 0;
    unsigned limit =
        o.file == File::A ? w.program->vgprs : std::min<unsigned>(k.accumOffset, w.program->vgprs);
    bool inside = base + o.index + index + o.width <= limit;
    outside |= !inside;
    unsigned reg = inside ? base + o.index + index : 0; // a source outside reads V0
    for (Uses::Run *run = uses.runs.data(); run != uses.end(); ++run)
      if (run->operand == operand) {
        run->first = uint16_t(reg);
        run->count = inside ? run->count : 0; // V0 holds the work-item
      }
    if (role == Role::d && !inside)
      writes = false;
    else
      place(role, reg * kRowBytes);
  }
  void place(Role role, uint32_t row) {
    Op &inner = wrapped ? extra.inner : op;
    if (role == Role::d) {
      (wrapped && extra.post.active ? extra.post.target : inner.d) = row;
      if (inst.row->has(kReadsDst) && !inst.get(Role::c) && !inst.get(Role::k))
        source(2, row); // an accumulator moves with the result
      return;
    }
    source(role == Role::a ? 0 : role == Role::b ? 1 : 2, row);
  }
  void source(unsigned i, uint32_t row) {
    Op &inner = wrapped ? extra.inner : op;
    uint32_t *direct[] = {&inner.a, &inner.b, &inner.c};
    (wrapped && extra.source[i].kind != SourcePrep::None ? extra.source[i].source : *direct[i]) =
        row;
  }

  Wave &w;
  const Op &original;
  const Instruction &inst;
  Op op;
  Extra extra;
  Uses uses; ///< of a sanitized run
  bool wrapped = false, outside = false, writes = true;
  unsigned index = w.s[kM0] & 0xff;
};

const Op *step(Wave &w, const Op &o) {
  const Program &p = *w.program;
  w.pc = &o;
  Instruction inst = decode(p.arch, p.text, p.textSize, p.pc(&o));
  bool known = inst.row && o.fn != materialiseHandler() && o.fn != refuseHandler();
  if (known && w.mode & kModeVskip && isVector(inst.row->cls)) {
    if (w.sanitized && w.tc->launch->config->checkWaitStates)
      checkWaitStates(w, o); // whether it is skipped may not be decided yet
    return &o + 1;
  }
  bool indexed = known && indexedOperands(w, inst);
  if (w.sanitized && !indexed) // the registers of an indexed op are not its operands'
    watchOp(w, o, p.checks[size_t(&o - p.ops.data())]);
  return indexed ? IndexedOp(w, o, inst).run() : o.fn(w, o);
}
} // namespace

unsigned indexedOperands(const Wave &w, const Instruction &inst) {
  return w.mode & kModeGprIndex && isVectorAlu(inst.row->cls) ? w.s[kM0] >> 12 & 15 : 0;
}

const Op *modeChanged(Wave &w, const Op &o) {
  if (!needsStepper(w))
    return &o + 1;
  w.pc = &o + 1;
  w.stop = Stop::Stepping;
  return nullptr;
}

void runObserved(Wave &w, Observer &observer) {
  for (const Op *op = w.pc; op;) {
    // Preparation of an op's sources belongs to the instruction behind it.
    bool whole = op->fn != materialiseHandler();
    w.pc = op;
    setHostFloatMode(kDefaultFloatMode);
    if (whole && !observer.before(w, *op)) {
      w.stop = Stop::Fault;
      return;
    }
    setHostFloatMode(w.mxcsr[0]);
    const Op *next = step(w, *op);
    if (!next && w.stop == Stop::Stepping) {
      w.stop = Stop::Running;
      next = w.pc;
    }
    setHostFloatMode(kDefaultFloatMode);
    if (whole)
      observer.after(w, *op, next);
    op = next;
  }
}

const Op *runStepped(Wave &w, const Op *op) {
  while (op && needsStepper(w)) {
    op = step(w, *op);
    if (!op && w.stop == Stop::Stepping) {
      w.stop = Stop::Running;
      op = w.pc;
    }
  }
  return op;
}

} // namespace tegula::sim
