// Undefined bits through vector instructions.
#include "Sim/Exec/Handlers.h"
#include "Sim/Sanitize/PoisonParts.h"
#include <algorithm>
#include <string_view>

namespace tegula::sim::poison {

namespace {
bool is64(Type t) {
  return t == Type::b64 || t == Type::i64 || t == Type::u64 || t == Type::f64 || t == Type::v2f32;
}
bool is16(Type t) {
  return t == Type::b16 || t == Type::i16 || t == Type::u16 || t == Type::f16 || t == Type::bf16;
}
bool isPair16(Type t) {
  return t == Type::v2i16 || t == Type::v2u16 || t == Type::v2f16 || t == Type::v2bf16;
}

/// What a rule works on: shadows and values of the three sources of the op as its handler sees it.
struct Eval {
  Wave &w;
  const Op &op; ///< offsets of the real rows
  const Uses &u;
  uint64_t exec;
  ShadowRule rule() const { return ShadowRule(u.shadow); }
  const uint32_t *sourceShadow(unsigned i) const { return shadow(w, offset(i)); }
  const uint32_t *value(unsigned i) const { return w.row(offset(i)); }
  uint32_t offset(unsigned i) const { return i == 0 ? op.a : i == 1 ? op.b : op.c; }
  Type type(unsigned i) const { return u.types[i + 1]; }
  bool has(unsigned i) const { return type(i) != Type::none; }
  bool same(unsigned i, unsigned k) const {
    return has(i) && has(k) && offset(i) == offset(k) && is64(type(i)) == is64(type(k));
  }
  uint64_t wide(const uint32_t *rows, unsigned i, unsigned lane) const {
    return rows[lane] | (is64(type(i)) ? uint64_t(rows[lane + kLanes]) << 32 : 0);
  }
  uint64_t s(unsigned i, unsigned lane) const {
    if (!has(i))
      return 0;
    uint64_t v = wide(sourceShadow(i), i, lane);
    return is16(type(i)) ? v & 0xffff : v;
  }
  uint64_t v(unsigned i, unsigned lane) const { return has(i) ? wide(value(i), i, lane) : 0; }
};

/// The lane mask that the op reads, undefined bits.
uint64_t maskShadow(const Eval &e) {
  uint64_t s = 0;
  for (const Uses::Run &run : e.u)
    if (run.has(kUseMask) && run.count == 2)
      s |= scalar64(e.w, run.first - kScalarReg);
  return s;
}

/// 8-bit sources use part of their register only.
uint64_t relevant(const Eval &e, unsigned i, uint64_t s) {
  switch (Sem(e.u.sem)) {
  case Sem::v_cvt_f32_ubyte0:
    return s & 0xff;
  case Sem::v_cvt_f32_ubyte1:
    return s & 0xff00;
  case Sem::v_cvt_f32_ubyte2:
    return s & 0xff0000;
  case Sem::v_cvt_f32_ubyte3:
    return s & 0xff000000;
  case Sem::v_mul_u32_u24:
  case Sem::v_mul_i32_i24:
  case Sem::v_mul_hi_u32_u24:
  case Sem::v_mul_hi_i32_i24:
    return s & 0xffffff;
  case Sem::v_mad_u32_u24:
  case Sem::v_mad_i32_i24:
    return i < 2 ? s & 0xffffff : s;
  default:
    return s;
  }
}

uint64_t fullResult(Type t) { return is64(t) ? ~0ull : is16(t) ? 0xffffull : 0xffffffffull; }

uint64_t whole(const Eval &e, unsigned lane, bool mask) {
  Type d = e.u.types[0];
  uint64_t s[3];
  for (unsigned i = 0; i < 3; ++i)
    s[i] = relevant(e, i, e.s(i, lane));
  if (isPair16(d) && e.has(0) && !isPair16(e.type(0))) // two values packed
    return (s[0] || mask ? 0xffffull : 0) | (s[1] || mask ? 0xffff0000ull : 0);
  uint64_t any = s[0] | s[1] | s[2];
  if (isPair16(d))
    return (any & 0xffff ? 0xffffull : 0) | (any & 0xffff0000 ? 0xffff0000ull : 0);
  if (d == Type::v2f32 && e.type(0) == Type::v2f32)
    return (any & 0xffffffff ? 0xffffffffull : 0) | (any >> 32 ? ~0ull << 32 : 0);
  return any || mask ? fullResult(d) : 0;
}

/// Source 0 minus source 1, or the other way round.
bool isDifference(Sem sem) {
  std::string_view name = semName(sem);
  return name.substr(0, 5) == "v_sub" || name.substr(0, 8) == "v_pk_sub";
}

uint64_t smeared(const Eval &e, unsigned lane, bool carry) {
  Type d = e.u.types[0];
  uint64_t s = 0;
  bool gone = e.same(0, 1) && isDifference(Sem(e.u.sem)); // x − x
  for (unsigned i = gone ? 2 : 0; i < 3; ++i)
    s |= relevant(e, i, e.s(i, lane));
  if (isPair16(d))
    return smear(uint16_t(s)) | uint64_t(smear(uint16_t(s >> 16))) << 16;
  return (carry ? ~0ull : smear(s)) & fullResult(d);
}

uint64_t shiftSum(const Eval &e, unsigned lane) {
  bool shiftFirst = e.u.shadowArg == 0;
  unsigned amount = shiftFirst ? 1 : 2;
  uint64_t full = fullResult(e.u.types[0]);
  if (e.s(amount, lane))
    return full;
  unsigned n = unsigned(e.v(amount, lane)) & (is64(e.u.types[0]) ? 7 : 31);
  uint64_t s = shiftFirst ? smear(e.s(0, lane) << n | e.s(2, lane))
                          : smear(e.s(0, lane) | e.s(1, lane)) << n;
  return s & full;
}

uint64_t bitwise(const Eval &e, unsigned lane) {
  unsigned same =
      (e.same(0, 1) ? kSameAB : 0) | (e.same(1, 2) ? kSameBC : 0) | (e.same(0, 2) ? kSameAC : 0);
  return undecidedBits<uint64_t>(e.u.shadowArg, e.v(0, lane), e.s(0, lane), e.v(1, lane),
                                 e.s(1, lane), e.v(2, lane), e.s(2, lane), same) &
         fullResult(e.u.types[0]);
}

uint64_t selected(const Eval &e, unsigned lane, uint64_t mask, uint64_t maskUndefined) {
  uint64_t s0 = e.s(0, lane), s1 = e.s(1, lane);
  if (e.same(0, 1))
    return s0;
  if (maskUndefined >> lane & 1)
    return !s0 && !s1 && e.v(0, lane) == e.v(1, lane) ? 0 : 0xffffffffull;
  return mask >> lane & 1 ? s1 : s0;
}

/// Conversions that write part of the register by themselves: 1 low half, 2 high half, 4–7 a byte.
uint32_t partMask(unsigned part) {
  return part == 1 ? 0xffffu : part == 2 ? 0xffff0000u : part >= 4 ? 0xffu << 8 * (part - 4) : ~0u;
}

/// Of a conversion whose result are these bits of the row: two floats fill a half of them each.
uint32_t converted(const Eval &e, unsigned lane, uint32_t part) {
  bool isPack = e.has(1) && e.type(0) == Type::f32 && e.type(1) == Type::f32;
  if (!isPack || e.s(2, lane))
    return whole(e, lane, false) ? part : 0;
  uint32_t upper = part & part << __builtin_popcount(part) / 2;
  return (e.s(0, lane) ? part & ~upper : 0) | (e.s(1, lane) ? upper : 0);
}

/// The rules that give a value for each lane.
void evaluateLanes(const Eval &e) {
  uint64_t maskS = maskShadow(e), mask = 0;
  if (e.rule() == ShadowRule::Select)
    mask = e.w.get64(e.op.x >> 16);
  uint32_t keep = 0;
  bool isPart = e.rule() == ShadowRule::Whole && e.u.shadowArg;
  if (isPart && e.op.d < e.w.program->tempOffset(0))
    keep = ~partMask(e.u.shadowArg);
  uint32_t *d = shadow(e.w, e.op.d);
  bool pair = is64(e.u.types[0]);
  for (uint64_t m = e.exec; m; m &= m - 1) {
    unsigned lane = unsigned(__builtin_ctzll(m));
    bool maskBit = maskS >> lane & 1;
    uint64_t r = 0;
    switch (e.rule()) {
    case ShadowRule::Smear:
      r = smeared(e, lane, maskBit);
      break;
    case ShadowRule::ShiftSum:
      r = shiftSum(e, lane);
      break;
    case ShadowRule::Bitwise:
      r = bitwise(e, lane);
      break;
    case ShadowRule::Select:
      r = selected(e, lane, mask, maskS);
      break;
    default:
      r = keep                           ? (d[lane] & keep) | converted(e, lane, ~keep)
          : isPart && is16(e.u.types[0]) ? converted(e, lane, 0xffff)
                                         : whole(e, lane, maskBit);
    }
    d[lane] = uint32_t(r);
    if (pair)
      d[lane + kLanes] = uint32_t(r >> 32);
  }
}

/// The handler itself, on shadows; sources in `control` stay real and must be defined.
void runHandler(const Eval &e, unsigned control) {
  uint32_t delta = of(e.w).delta;
  Op moved = e.op;
  moved.d += delta;
  uint32_t *places[] = {&moved.a, &moved.b, &moved.c};
  uint64_t bad = 0;
  for (unsigned i = 0; i < 3; ++i) {
    if (!(control >> i & 1)) {
      *places[i] += delta;
      continue;
    }
    for (unsigned lane = 0; lane < kLanes && e.has(i); ++lane)
      bad |= uint64_t(e.s(i, lane) != 0) << lane;
  }
  moved.slot = 0; // both broadcast rows are filled already
  runOnShadows(e.w, moved);
  for (uint64_t m = bad & e.exec; m; m &= m - 1) {
    unsigned lane = unsigned(__builtin_ctzll(m));
    shadow(e.w, e.op.d)[lane] = uint32_t(fullResult(e.u.types[0]));
    if (is64(e.u.types[0]))
      shadow(e.w, e.op.d)[lane + kLanes] = ~0u;
  }
}

uint64_t comparedLanes(const Eval &e) {
  uint64_t bad = 0;
  Type t = e.type(0);
  if (e.same(0, 1) && e.u.shadowArg != kAnyBit) // x against itself; a float may be a NaN
    return 0;
  for (uint64_t m = e.exec; m; m &= m - 1) {
    unsigned lane = unsigned(__builtin_ctzll(m));
    uint64_t a = e.v(0, lane), b = e.v(1, lane), sa = e.s(0, lane), sb = e.s(1, lane);
    bool u = is64(t)   ? undecided<uint64_t, int64_t>(e.u.shadowArg, a, sa, b, sb)
             : is16(t) ? undecided<uint16_t, int16_t>(e.u.shadowArg, uint16_t(a), uint16_t(sa),
                                                      uint16_t(b), uint16_t(sb))
                       : undecided<uint32_t, int32_t>(e.u.shadowArg, uint32_t(a), uint32_t(sa),
                                                      uint32_t(b), uint32_t(sb));
    bad |= uint64_t(u) << lane;
  }
  return bad;
}

/// Lanes with an undefined source: what a carry-out or a v_div_scale mask is undefined in.
uint64_t lanesWithPoison(const Eval &e) {
  uint64_t bad = maskShadow(e) & e.exec;
  bool gone = e.rule() == ShadowRule::Smear && e.same(0, 1) && isDifference(Sem(e.u.sem));
  for (unsigned i = gone ? 2 : 0; i < 3; ++i)
    for (unsigned lane = 0; lane < kLanes && e.has(i); ++lane)
      bad |= uint64_t(e.s(i, lane) != 0) << lane;
  return bad & e.exec;
}

void fillBroadcast(Wave &w, const Op &op) {
  if (op.slot == 0)
    return;
  unsigned index = (op.slot & 0x7fffu) - 1, rows = op.slot & kBroadcast64 ? 2 : 1;
  uint32_t offset = w.program->tempOffset(kBroadcastRow);
  for (unsigned k = 0; k < rows; ++k) {
    std::fill_n(w.row(offset) + k * kLanes, kLanes, w.s[index + k]);
    std::fill_n(shadow(w, offset) + k * kLanes, kLanes, scalar32(w, index + k));
  }
}

/// The undefined lanes of a mask that the op writes, and where they come from.
void setMask(const Eval &e, unsigned pair, uint64_t bad) {
  const LaneOrigins &from = of(e.w).from;
  for (unsigned half = 0; half < 2; ++half) {
    of(e.w).scalar[pair + half] = uint32_t(bad >> 32 * half);
    LaneOrigins bits{};
    std::copy_n(from.begin() + 32 * half, 32, bits.begin());
    refreshLanes(e.w, kScalarReg + pair + half, bits);
  }
}

void evaluate(const Eval &e) {
  fillBroadcast(e.w, e.op);
  switch (e.rule()) {
  case ShadowRule::Run:
    return runHandler(e, 0);
  case ShadowRule::RunData:
    return runHandler(e, e.u.shadowArg);
  case ShadowRule::Compare: {
    return setMask(e, e.op.x & 0xffff, comparedLanes(e));
  }
  default:
    break;
  }
  uint64_t bad = lanesWithPoison(e); // before the destination's shadow changes
  evaluateLanes(e);
  for (const Uses::Run &run : e.u)
    if (run.has(kUseWrite) && run.first >= kScalarReg && run.count == 2 && !run.has(kUseRead))
      setMask(e, run.first - kScalarReg, bad);
}

// --- Wrapped ops: the wrapper's own code prepares and merges the shadows
const Op *captureLanes(Wave &w, const Op &o) {
  of(w).lanes = w.exec(); // narrowed by DPP
  return &o + 1;
}
const Op *evaluateInner(Wave &w, const Op &o) {
  Poison &p = of(w);
  evaluate({w, p.inner, *p.uses, w.exec()});
  return &o + 1;
}

void evaluateWrapped(Wave &w, const Op &o, const Uses &u) {
  const Extra &real = extraOf(w, o);
  Poison &p = of(w);
  Extra e = real; // first the real sources, which some rules look at
  e.inner.fn = captureLanes;
  e.post.active = false;
  runWrapped(w, e);
  p.uses = &u;
  p.inner = real.inner;
  e = real;
  e.inner.fn = evaluateInner;
  for (unsigned i = 0; i < 3; ++i) {
    SourcePrep &s = e.source[i];
    if (s.kind == SourcePrep::None)
      continue;
    if (s.scalar) { // broadcast by hand
      Op op;
      op.slot = s.scalar;
      fillBroadcast(w, op);
      s.source = w.program->tempOffset(kBroadcastRow);
      s.scalar = 0;
    }
    s.flipLo = s.flipHi = 0;
    if (s.kind == SourcePrep::Mix) { // an f16 source is a half of its register
      s.kind = SourcePrep::Plain;
      s.sel = s.hi ? uint8_t(4 + s.lo) : uint8_t(6);
    }
    s.source += p.delta;
    s.target += p.delta;
  }
  e.post.clampAs = ResultPost::None;
  e.post.target += p.delta;
  e.post.from += p.delta;
  bool shadowing = std::exchange(w.shadowing, true);
  runWrapped(w, e);
  w.shadowing = shadowing;
}

/// v_cmpx: an undefined bit may not enter EXEC.
void checkExec(Wave &w, const Op &o, const Uses &u) {
  bool toExec = false;
  unsigned mask = 0;
  for (const Uses::Run &run : u) {
    toExec |= run.has(kUseWrite) && run.contains(kScalarReg + kExec);
    if (run.has(kUseWrite) && run.first >= kScalarReg && run.first != kScalarReg + kExec)
      mask = run.first;
  }
  if (!toExec)
    return;
  uint64_t bad = mask ? scalar64(w, mask - kScalarReg) : scalar64(w, kExec);
  if (bad)
    maskDecides(w, o, mask ? mask - kScalarReg : kExec, "set from a comparison", bad);
  setScalar64(w, kExec, 0, 0);
  if (mask)
    setScalar64(w, mask - kScalarReg, 0, 0);
}

/// v_readlane, v_readfirstlane, v_writelane: operands of a Lane op are scalar indices and rows.
void spreadLane(Wave &w, const Op &o, const Uses &u) {
  unsigned lane = w.s[o.b] & 63;
  if (ShadowRule(u.shadow) == ShadowRule::WriteLane) {
    unsigned reg = o.d / kRowBytes;
    touch(w, reg);
    LaneOrigins from = originsOf(w, reg);
    shadow(w, o.d)[lane] = scalar32(w, o.a);
    from[lane] = shadow(w, o.d)[lane] ? originOfRegister(w, kScalarReg + o.a) : 0;
    return refreshLanes(w, reg, from);
  }
  if (ShadowRule(u.shadow) == ShadowRule::ReadFirst)
    lane = w.exec() ? unsigned(__builtin_ctzll(w.exec())) : 0;
  uint32_t bits = shadow(w, o.a)[lane];
  uint32_t origin = bits ? originAt(w, o.a / kRowBytes, lane) : 0;
  if (o.d == kExec || o.d == kExec + 1) {
    if (bits)
      decides(w, o, kScalarReg + kExec, "set", 0, origin);
    bits = 0;
  }
  setScalar(w, o.d, bits, origin);
}

/// The lane of a permuted source that each lane gets, where a DPP op has one.
const uint8_t *sourceLanes(const Wave &w, const Op &o) {
  const Extra *e = o.fn == wrapperHandler() ? &extraOf(w, o) : nullptr;
  return e && e->dpp ? e->lane : nullptr;
}
/// v_cndmask: the register that a lane doesn't take.
unsigned unselected(const Wave &w, const Op &o, unsigned lane) {
  const Op *inner = &o;
  uint32_t rows[2] = {o.a, o.b};
  if (o.fn == wrapperHandler()) {
    const Extra &e = extraOf(w, o);
    inner = &e.inner;
    for (unsigned i = 0; i < 2; ++i)
      rows[i] =
          e.source[i].kind == SourcePrep::None ? (i ? inner->b : inner->a) : e.source[i].source;
  }
  bool second = w.get64(inner->x >> 16) >> lane & 1;
  return rows[0] == rows[1] ? kNumRegs : rows[second ? 0 : 1] / kRowBytes;
}

/// Of one lane's sources, before the op changes any.
uint32_t laneOrigin(const Wave &w, const Op &o, const Uses &u, const uint8_t *permuted,
                    unsigned lane) {
  uint32_t origin = 0;
  unsigned skipped = ShadowRule(u.shadow) == ShadowRule::Select ? unselected(w, o, lane) : kNumRegs;
  for (const Uses::Run &run : u) {
    if (!run.has(kUseRead) || run.first >= kHardwareReg)
      continue;
    bool mask = run.has(kUseMask) && run.count == 2;
    unsigned from = permuted && run.has(kUsePermuted) ? permuted[lane] : lane;
    for (unsigned r = run.first; r < unsigned(run.first) + run.count; ++r) {
      if (!(w.watch->status[r] & kPoisoned) || r == skipped)
        continue;
      if (r < kScalarReg)
        origin = named(w, origin, shadow(w, r * kRowBytes)[from] ? originAt(w, r, from) : 0);
      else if (!mask)
        origin = named(w, origin, originOfRegister(w, r));
      else if (lane / 32 == r - run.first && of(w).scalar[r - kScalarReg] >> lane % 32 & 1)
        origin = named(w, origin, originAt(w, r, lane % 32));
    }
  }
  return origin;
}

/// Swaps of lanes between two registers: the op runs on rows that hold their own origins.
void swapOrigins(Wave &w, const Op &o, LaneOrigins &d, LaneOrigins &a) {
  Op moved = o;
  moved.d = w.program->tempOffset(kSourceRows);
  moved.a = w.program->tempOffset(kSourceRows + 1);
  std::copy(d.begin(), d.end(), w.row(moved.d));
  std::copy(a.begin(), a.end(), w.row(moved.a));
  runOnShadows(w, moved);
  std::copy_n(w.row(moved.d), kLanes, d.begin());
  std::copy_n(w.row(moved.a), kLanes, a.begin());
}

/// Whether all that the op reads has one origin, as is usual.
bool haveOneOrigin(const Wave &w, const Uses &u, uint32_t &origin) {
  origin = 0;
  for (const Uses::Run &run : u)
    if (run.has(kUseRead | kUseWrite) && run.first < kHardwareReg)
      for (unsigned r = run.first; r < unsigned(run.first) + run.count; ++r) {
        if (!(w.watch->status[r] & kPoisoned))
          continue;
        uint32_t its = of(w).origin[r];
        if (its == Poison::kMixed || (origin && its != origin))
          return false;
        origin = its;
      }
  return true;
}

void evaluateOp(Wave &w, const Op &o, const Uses &u) {
  if (o.fn == wrapperHandler())
    evaluateWrapped(w, o, u);
  else
    evaluate({w, o, u, w.exec()});
}

template <class F> void eachWritten(const Uses &u, F f) {
  for (const Uses::Run &run : u)
    if (run.has(kUseWrite) && run.first < kScalarReg)
      for (unsigned r = run.first; r < unsigned(run.first) + run.count; ++r)
        f(r);
}

/// The op's registers and masks come from different places: lane by lane.
void evaluateMixed(Wave &w, const Op &o, const Uses &u) {
  LaneOrigins &from = of(w).from;
  const uint8_t *permuted = sourceLanes(w, o);
  const uint32_t any = originOf(w, u);
  for (unsigned l = 0; l < kLanes; ++l)
    from[l] = laneOrigin(w, o, u, permuted, l);
  std::vector<std::pair<unsigned, LaneOrigins>> written;
  eachWritten(u, [&](unsigned r) { written.push_back({r, originsOf(w, r)}); });
  bool swaps = written.size() == 2 && (u.traits & kIsPermlane || Sem(u.sem) == Sem::v_swap_b32);
  if (swaps) {
    bool first = written[0].first == o.d / kRowBytes;
    swapOrigins(w, o, written[first ? 0 : 1].second, written[first ? 1 : 0].second);
  }
  evaluateOp(w, o, u);
  uint64_t lanes = w.exec();
  for (auto &[r, origins] : written) {
    for (uint64_t m = swaps ? 0 : lanes; m; m &= m - 1) {
      unsigned l = unsigned(__builtin_ctzll(m));
      origins[l] = from[l] ? from[l] : origins[l] ? origins[l] : any; // a partial write keeps some
    }
    refreshLanes(w, r, origins);
  }
}
} // namespace

void spreadVector(Wave &w, const Op &o, const Uses &u) {
  ShadowRule rule = ShadowRule(u.shadow);
  if (rule == ShadowRule::ReadLane || rule == ShadowRule::ReadFirst ||
      rule == ShadowRule::WriteLane)
    return spreadLane(w, o, u);
  uint32_t origin;
  bool one = haveOneOrigin(w, u, origin); // of those that are written, too
  eachWritten(u, [&](unsigned r) {        // a partial write needs the rest of the destination
    bool undefined = w.watch->status[r] & kUndefined;
    touch(w, r);
    one &= !undefined || w.exec() == ~0ull;
  });
  if (!one) {
    evaluateMixed(w, o, u);
  } else {
    of(w).from.fill(origin);
    evaluateOp(w, o, u);
    eachWritten(u, [&](unsigned r) { refresh(w, r, origin ? origin : of(w).origin[r]); });
  }
  checkExec(w, o, u);
}

} // namespace tegula::sim::poison
