// Undefined bits through scalar instructions.
#include "Sim/Sanitize/PoisonParts.h"
#include <string_view>

namespace tegula::sim::poison {

namespace {
/// One scalar instruction: values and shadows of its sources, 64 bits wide.
struct Eval {
  Wave &w;
  const Op &o;
  const Uses &u;
  bool wideA, wideB, wideD;
  uint64_t a, b, sa, sb;
  uint32_t scc; ///< shadow of SCC before
  bool same;    ///< both sources are the same register
};

bool is64(Type t) { return t == Type::b64 || t == Type::i64 || t == Type::u64; }

uint64_t valueAt(const Wave &w, const Op &o, uint32_t index, bool wide) {
  if (index == kLiteral)
    return wide ? o.x | uint64_t(o.c) << 32 : o.x;
  return wide ? w.get64(index) : w.s[index];
}
uint64_t shadowAt(const Wave &w, uint32_t index, bool wide) {
  return wide ? scalar64(w, index) : scalar32(w, index);
}

/// What becomes of a scalar instruction's result and of SCC.
struct Result {
  uint64_t d = 0;
  enum Scc : uint8_t { Keep, Defined, Undefined, NotZero } scc = Keep;
  uint64_t value = 0; ///< NotZero: the result, as far as it is defined
};

struct Logic {
  std::string_view name;
  unsigned table; ///< of {a, b, –}
};
constexpr Logic kLogic[] = {{"s_andn2_", 0x30}, {"s_orn2_", 0xf3}, {"s_nand_", 0x3f},
                            {"s_nor_", 0x03},   {"s_xnor_", 0xc3}, {"s_andn1_", 0x0c},
                            {"s_orn1_", 0xcf},  {"s_and_", 0xc0},  {"s_or_", 0xfc},
                            {"s_xor_", 0x3c},   {"s_not_", 0x0f}};

uint64_t evaluateTable(unsigned table, uint64_t a, uint64_t b) {
  uint64_t r = 0;
  for (unsigned k = 0; k < 8; k += 2)
    if (table >> k & 1)
      r |= (k & 4 ? a : ~a) & (k & 2 ? b : ~b);
  return r;
}

bool starts(std::string_view name, std::string_view prefix) {
  return name.substr(0, prefix.size()) == prefix;
}
bool contains(std::string_view name, std::string_view part) { return name.find(part) != name.npos; }

Result logic(const Eval &e, unsigned table) {
  uint64_t full = e.wideD ? ~0ull : 0xffffffffull;
  Result r;
  r.d = undecidedBits<uint64_t>(table, e.a, e.sa, e.b, e.sb, 0, 0, e.same ? kSameAB : 0) & full;
  r.scc = Result::NotZero;
  r.value = evaluateTable(table, e.a, e.b) & full;
  return r;
}

Result shift(const Eval &e, std::string_view name) {
  Result r;
  r.scc = e.sa || e.sb ? Result::Undefined : Result::Defined;
  uint64_t full = e.wideD ? ~0ull : 0xffffffffull;
  unsigned n = unsigned(e.b) & (e.wideD ? 63 : 31);
  if (e.sb)
    r.d = full;
  else if (starts(name, "s_lshl"))
    r.d = e.sa << n & full;
  else if (starts(name, "s_lshr"))
    r.d = e.sa >> n;
  else
    r.d = e.wideD ? uint64_t(int64_t(e.sa) >> n) : uint32_t(int32_t(uint32_t(e.sa)) >> n);
  return r;
}

Result bitField(const Eval &e, std::string_view name) {
  Result r;
  unsigned bits = e.wideD ? 64 : 32, offset = unsigned(e.b) & (bits - 1);
  unsigned width = unsigned(e.b) >> 16 & 0x7f;
  if (e.sb) {
    r.d = e.wideD ? ~0ull : 0xffffffffull;
  } else if (width) {
    uint64_t mask = width >= 64 ? ~0ull : (1ull << width) - 1;
    r.d = e.sa >> offset & mask;
    if (width < 64 && contains(name, "_i") && r.d >> (width - 1) & 1) // the sign spreads
      r.d |= ~mask;
    r.d &= e.wideD ? ~0ull : 0xffffffffull;
  }
  r.scc = r.d ? Result::Undefined : Result::Defined;
  return r;
}

Result compare(const Eval &e, std::string_view name) {
  Result r;
  bool u = false;
  if (starts(name, "s_bitcmp")) {
    u = e.sb || (e.sa >> (e.b & (e.wideA ? 63 : 31)) & 1);
  } else if (!e.same) {
    Comparison kind = contains(name, "_eq_") || contains(name, "_lg_") ? kEqual
                      : contains(name, "_i32")                         ? kSigned
                                                                       : kUnsigned;
    u = e.wideA ? undecided<uint64_t, int64_t>(kind, e.a, e.sa, e.b, e.sb)
                : undecided<uint32_t, int32_t>(kind, uint32_t(e.a), uint32_t(e.sa), uint32_t(e.b),
                                               uint32_t(e.sb));
  }
  r.scc = u ? Result::Undefined : Result::Defined;
  return r;
}

/// Moves and permutations of bits.
bool moves(const Eval &e, std::string_view name, uint64_t &d) {
  if (starts(name, "s_mov_") || starts(name, "s_movk_"))
    d = e.sa;
  else if (name == "s_sext_i32_i8")
    d = uint32_t(int32_t(int8_t(e.sa)));
  else if (name == "s_sext_i32_i16")
    d = uint32_t(int32_t(int16_t(e.sa)));
  else if (name == "s_pack_ll_b32_b16")
    d = (e.sa & 0xffff) | (e.sb & 0xffff) << 16;
  else if (name == "s_pack_lh_b32_b16")
    d = (e.sa & 0xffff) | (e.sb & 0xffff0000);
  else if (name == "s_pack_hh_b32_b16")
    d = e.sa >> 16 | (e.sb & 0xffff0000);
  else
    return false;
  return true;
}

Result arithmetic(const Eval &e, std::string_view name) {
  Result r;
  bool carryIn = contains(name, "addc") || contains(name, "subb");
  uint64_t s = e.sa | e.sb | (carryIn ? e.scc : 0);
  if (e.same && starts(name, "s_sub")) // nothing is left but the borrow
    s = carryIn ? e.scc : 0;
  if (starts(name, "s_lshl")) // s_lshlN_add
    s = smear(uint32_t(e.sa << (name[6] - '0')) | uint32_t(e.sb));
  r.d = smear(uint32_t(s));
  bool setsScc = !contains(name, "mul");
  r.scc = !setsScc ? Result::Keep : s ? Result::Undefined : Result::Defined;
  return r;
}

Result evaluate(const Eval &e, std::string_view name) {
  Result r;
  for (const Logic &l : kLogic)
    if (starts(name, l.name))
      return logic(e, l.table);
  if (moves(e, name, r.d))
    return r;
  bool isArithmetic = starts(name, "s_add") || starts(name, "s_sub") || starts(name, "s_mul_i32") ||
                      starts(name, "s_mulk") || contains(name, "_add_u32");
  if (isArithmetic)
    return arithmetic(e, name);
  if (starts(name, "s_lshl_") || starts(name, "s_lshr_") || starts(name, "s_ashr_"))
    return shift(e, name);
  if (starts(name, "s_bfe_"))
    return bitField(e, name);
  if (starts(name, "s_cmp") || starts(name, "s_bitcmp"))
    return compare(e, name);
  uint64_t full = e.wideD ? ~0ull : 0xffffffffull;
  if (starts(name, "s_cselect")) {
    bool same = e.a == e.b && !e.sa && !e.sb;
    r.d = e.same ? e.sa : e.scc ? (same ? 0 : full) : e.w.scc ? e.sa : e.sb;
    return r;
  }
  if (starts(name, "s_cmov")) {
    uint64_t old = shadowAt(e.w, e.o.d, e.wideD);
    r.d = e.scc ? full : e.w.scc ? e.sa : old;
    return r;
  }
  if (starts(name, "s_bitset")) {
    uint64_t old = shadowAt(e.w, e.o.d, e.wideD);
    r.d = e.sa ? full : old & ~(1ull << (e.a & (e.wideD ? 63 : 31)));
    return r;
  }
  r.d = e.sa | e.sb ? full : 0;
  if (contains(name, "getreg") || contains(name, "getpc"))
    r.d = 0;
  return r;
}

/// Where the undefined bits of word `k` of the result come from: where bits stay in their places,
/// from the same bits.
LaneOrigins wordOrigins(const Eval &e, std::string_view name, unsigned k, uint32_t origin) {
  LaneOrigins from;
  from.fill(origin);
  bool stay = starts(name, "s_mov_b") || starts(name, "s_cselect");
  for (const Logic &l : kLogic)
    stay |= starts(name, l.name);
  if (!stay || e.u.types[0] == Type::none)
    return from;
  auto at = [&](uint32_t index, unsigned bit) {
    unsigned reg = kScalarReg + index + k;
    bool undefined = index < 127 && of(e.w).scalar[index + k] >> bit & 1;
    return undefined ? originAt(e.w, reg, bit) : 0;
  };
  for (unsigned bit = 0; bit < 32; ++bit)
    if (uint32_t o = named(e.w, at(e.o.a, bit), e.u.types[2] != Type::none ? at(e.o.b, bit) : 0))
      from[bit] = o;
  return from;
}
/// Of the lowest undefined bit.
uint32_t firstOrigin(const LaneOrigins &low, const LaneOrigins &high, uint64_t bits) {
  unsigned bit = unsigned(__builtin_ctzll(bits));
  return bit < 32 ? low[bit] : high[bit - 32];
}

uint32_t sccShadow(const Result &r) {
  switch (r.scc) {
  case Result::NotZero:
    return r.d && !(r.value & ~r.d);
  case Result::Undefined:
    return 1;
  case Result::Keep:
    return r.d != 0; // an instruction that sets SCC from its result in some other way
  case Result::Defined:
    break;
  }
  return 0;
}
} // namespace

void spreadScalar(Wave &w, const Op &o, const Uses &u) {
  std::string_view name = semName(Sem(u.sem));
  Eval e{w,
         o,
         u,
         is64(u.types[1]),
         is64(u.types[2]),
         is64(u.types[0]),
         0,
         0,
         0,
         0,
         of(w).scalar[128],
         false};
  bool hasB = u.types[2] != Type::none || name.substr(0, 5) == "s_cmp" ||
              name.substr(0, 7) == "s_addk_" || name.substr(0, 7) == "s_mulk_";
  e.a = valueAt(w, o, o.a, e.wideA);
  e.sa = shadowAt(w, o.a, e.wideA);
  if (hasB) {
    e.b = valueAt(w, o, o.b, e.wideB);
    e.sb = shadowAt(w, o.b, e.wideB);
    e.same = o.a == o.b && o.a < kLiteral && e.wideA == e.wideB;
  }
  bool saves = contains(name, "saveexec") || contains(name, "wrexec");
  if (saves) { // the second operand is EXEC
    e.b = w.exec();
    e.sb = 0;
  }
  uint32_t origin = originOf(w, u);
  Result r = evaluate(e, name);
  const LaneOrigins from[2] = {wordOrigins(e, name, 0, origin), wordOrigins(e, name, 1, origin)};
  if (saves) {
    if (r.d)
      decides(w, o, kScalarReg + kExec, "set", 0, firstOrigin(from[0], from[1], r.d));
    r.d = 0; // the saved mask is defined
    r.scc = Result::Defined;
  }
  uint32_t scc = sccShadow(r);
  for (const Uses::Run &run : u) {
    if (!run.has(kUseWrite) || run.first < kScalarReg || run.first >= kHardwareReg)
      continue;
    if (run.first == kSccReg) {
      of(w).scalar[128] = scc;
      refresh(w, kSccReg, origin);
      continue;
    }
    bool exec = run.contains(kScalarReg + kExec) || run.contains(kScalarReg + kExec + 1);
    if (exec && r.d)
      decides(w, o, kScalarReg + kExec, "set", 0, firstOrigin(from[0], from[1], r.d));
    for (unsigned k = 0; k < run.count; ++k) {
      of(w).scalar[run.first - kScalarReg + k] = exec ? 0 : uint32_t(r.d >> 32 * k);
      refreshLanes(w, run.first + k, from[k]);
    }
  }
}

} // namespace tegula::sim::poison
