#include "Sim/Exec/OrderingFlow.h"
#include <algorithm>
#include <string_view>

namespace tegula::sim {

namespace {
using P = FlowPlaces;

bool isAtomic(const Instruction &i) { return i.row->has(kAtomic); }
bool isLds(const Instruction &i) { return i.row->cls == Class::lds; }
bool isScalar(const Instruction &i) {
  switch (i.row->encoding) {
  case Encoding::SOP1:
  case Encoding::SOP2:
  case Encoding::SOPK:
  case Encoding::SOPC:
  case Encoding::SOPP:
  case Encoding::SMEM:
    return true;
  default:
    return false;
  }
}
std::string_view nameOf(const Instruction &i) { return semName(i.row->sem); }
bool has(std::string_view name, std::string_view part) { return name.find(part) != name.npos; }

bool isWrite(const Instruction &i, unsigned operand) {
  Role role = i.row->operands[operand].role;
  return role == Role::d || role == Role::d2 ||
         (role == Role::data && isAtomic(i) && bringsMemory(i) && !i.get(Role::d));
}
/// Calls f(place) for each dword of an operand that is a register, or stands for one.
template <class F> void eachPlace(const Operand &o, F f) {
  if (o.file == File::Inline && o.index >= 251 && o.index <= 253) {
    f(o.index == 251 ? P::kVcc : o.index == 252 ? P::kExec : P::kScc);
    return;
  }
  if (o.file != File::S && o.file != File::V && o.file != File::A)
    return;
  unsigned first =
      o.index + (o.file == File::S ? 0u : P::kVectors) + (o.file == File::A ? 256u : 0u);
  for (unsigned w = 0; w < o.width && first + w < P::kScc; ++w)
    f(first + w);
}
bool isExec(const Operand *o) { return o && o->file == File::S && o->index == P::kExec; }
bool isAllOnes(const Operand *o) { return o && o->file == File::Inline && o->index == 193; }

uint64_t execOf(const std::vector<uint64_t> &s) { return s[P::kExec] | s[P::kExec + 1]; }
void setPair(std::vector<uint64_t> &s, unsigned place, uint64_t bits) {
  s[place] = s[place + 1] = bits;
}
} // namespace

bool isConditional(const Instruction &i) { return i.row->has(kBranch) && !i.row->has(kEndsBlock); }
bool bringsMemory(const Instruction &i) {
  return i.row->has(kLoad) || (isAtomic(i) && (i.row->has(kReturns) || i.sc0));
}

OrderingFlow::OrderingFlow(const std::vector<Instruction> &body, size_t &budget)
    : body_(body), bits_(body.size()), decides_(body.size()), skipped_(body.size()),
      blockAt_(body.size() + 1, ~size_t(0)) {
  unsigned next = 0;
  uint64_t others = 0;
  for (size_t i = 0; i < body.size(); ++i)
    if (bringsMemory(body[i]) && body[i].row->encoding != Encoding::SCRATCH) {
      bits_[i] = uint64_t(1) << std::min(next++, 63u);
      (isLds(body[i]) ? fromLds_ : others) |= bits_[i];
    }
  fromLds_ &= ~others;
  makeBlocks();
  for (bool again = true; again;) {
    again = false;
    for (Block &b : blocks_)
      again |= run(b);
    size_t cost = body.size() + 32 * blocks_.size();
    budget -= std::min(budget, cost);
    if (!budget)
      return;
  }
}

size_t OrderingFlow::targetOf(size_t index) const {
  const Instruction &i = body_[index];
  int64_t pc = int64_t(i.pc) + 4 + 4 * int64_t(i.imm);
  auto at = std::lower_bound(body_.begin(), body_.end(), pc,
                             [](const Instruction &o, int64_t x) { return int64_t(o.pc) < x; });
  return at != body_.end() && int64_t(at->pc) == pc ? size_t(at - body_.begin()) : body_.size();
}

void OrderingFlow::makeBlocks() {
  std::vector<bool> begins(body_.size() + 1);
  begins[0] = true;
  for (size_t i = 0; i < body_.size(); ++i) {
    if (body_[i].row->has(kBranch))
      begins[targetOf(i)] = true;
    if (body_[i].row->has(kBranch) || body_[i].row->has(kEndsBlock)) // also the end of a kernel
      begins[i + 1] = true;
  }
  for (size_t i = 0; i < body_.size(); ++i) {
    if (begins[i]) {
      blockAt_[i] = blocks_.size();
      blocks_.push_back({i, i, State(P::kMost)});
    }
    blocks_.back().end = i + 1;
  }
}

bool OrderingFlow::join(size_t instruction, const State &s) {
  size_t block = blockAt_[std::min(instruction, body_.size())];
  if (block >= blocks_.size())
    return false;
  bool changed = false;
  State &in = blocks_[block].in;
  for (unsigned p = 0; p < P::kMost; ++p) {
    changed |= (s[p] & ~in[p]) != 0;
    in[p] |= s[p];
  }
  return changed;
}

/// What a branch skips runs by its condition.
bool OrderingFlow::skips(size_t index, uint64_t bits) {
  bool changed = false;
  for (size_t i = index + 1, end = targetOf(index); bits && end < body_.size() && i < end; ++i) {
    changed |= (bits & ~skipped_[i]) != 0;
    skipped_[i] |= bits;
  }
  return changed;
}

bool OrderingFlow::run(Block &b) {
  State s = b.in;
  bool changed = false;
  for (size_t i = b.first; i < b.end; ++i) {
    const Instruction &inst = body_[i];
    if (!inst.row->has(kBranch)) {
      follow(s, i);
      continue;
    }
    std::string_view name = nameOf(inst);
    uint64_t bits = skipped_[i];
    if (has(name, "scc"))
      bits |= s[P::kScc];
    if (has(name, "vcc"))
      bits |= s[P::kVcc] | s[P::kVcc + 1];
    if (has(name, "exec"))
      bits |= execOf(s);
    changed |= (bits & ~decides_[i]) != 0;
    decides_[i] |= bits;
    changed |= skips(i, bits);
    changed |= join(targetOf(i), s);
  }
  if (!body_[b.end - 1].row->has(kEndsBlock))
    changed |= join(b.end, s);
  return changed;
}

uint64_t OrderingFlow::read(const State &s, const Instruction &i) const {
  uint64_t bits = 0;
  if (i.row->has(kReadsScc))
    bits |= s[P::kScc];
  if (i.row->has(kReadsVcc))
    bits |= s[P::kVcc] | s[P::kVcc + 1];
  for (unsigned n = 0; n < i.numOperands; ++n)
    if (!isWrite(i, n) || i.row->has(kReadsDst))
      eachPlace(i.operands[n], [&](unsigned place) { bits |= s[place]; });
  return bits;
}

/// Scratch by a scalar base and an offset: where compilers spill. Everything else is one place.
unsigned OrderingFlow::slotOf(const Instruction &i, unsigned dword) {
  const Operand *addr = i.get(Role::addr), *base = i.get(Role::base);
  if (addr && addr->file != File::None)
    return P::kMemory;
  int reg = base && base->file == File::S ? int(base->index) : -1;
  auto [it, isNew] = slots_.try_emplace({reg, i.offset + int(4 * dword)}, P::kSlots);
  if (isNew)
    it->second = unsigned(std::min<size_t>(P::kSlots + slots_.size() - 1, P::kMost));
  return it->second < P::kMost ? it->second : P::kMemory;
}

uint64_t OrderingFlow::fromMemory(const State &s, const Instruction &i, size_t index) {
  if (isLds(i))
    return bits_[index] | s[P::kLds];
  if (i.row->encoding == Encoding::FLAT)
    return bits_[index] | s[P::kLds] | s[P::kMemory];
  if (i.row->encoding != Encoding::SCRATCH)
    return bits_[index];
  uint64_t bits = 0;
  const Operand *d = i.get(Role::d);
  for (unsigned w = 0; d && w < d->width; ++w)
    bits |= s[slotOf(i, w)];
  return bits;
}

/// LDS is one place, so that what one word of it says of another would say it of all: data under a
/// lock would count as the lock.
void OrderingFlow::toMemory(State &s, const Instruction &i, uint64_t data) {
  if (isLds(i)) {
    s[P::kLds] |= data & ~fromLds_;
  } else if (i.row->encoding == Encoding::FLAT) {
    s[P::kLds] |= data;
    s[P::kMemory] |= data;
  } else if (i.row->encoding == Encoding::SCRATCH) {
    const Operand *d = i.get(Role::data);
    for (unsigned w = 0; d && w < d->width; ++w) {
      unsigned slot = slotOf(i, w);
      s[slot] = slot == P::kMemory ? s[slot] | data : data;
    }
  }
}

/// The old mask goes to a register, the new one to EXEC.
void OrderingFlow::saveExec(State &s, const Instruction &i) const {
  const Operand *from = i.get(Role::a), *to = i.get(Role::d);
  uint64_t mask = 0, before = execOf(s);
  eachPlace(*from, [&](unsigned place) { mask |= s[place]; });
  bool all = isAllOnes(from) && has(nameOf(i), "s_or_saveexec");
  eachPlace(*to, [&](unsigned place) { s[place] = before; });
  setPair(s, P::kExec, all ? 0 : before | mask);
  s[P::kScc] = before | mask;
}

void OrderingFlow::follow(State &s, size_t index) {
  const Instruction &i = body_[index];
  std::string_view name = nameOf(i);
  if (has(name, "saveexec") && i.get(Role::a) && i.get(Role::d))
    return saveExec(s, i);
  uint64_t bits = read(s, i) | skipped_[index], exec = isScalar(i) ? 0 : execOf(s);
  const Operand *d = i.get(Role::d);
  if (name == "s_or_b64" && isExec(d) && (isExec(i.get(Role::a)) || isExec(i.get(Role::b)))) {
    // Lanes come back: the mask is again the one that was saved.
    const Operand *saved = isExec(i.get(Role::a)) ? i.get(Role::b) : i.get(Role::a);
    uint64_t was = 0;
    eachPlace(*saved, [&](unsigned place) { was |= s[place]; });
    return setPair(s, P::kExec, was | skipped_[index]);
  }
  if (i.row->has(kStore) || isAtomic(i))
    toMemory(s, i, bits | exec);
  if (i.row->has(kDma))
    s[P::kLds] |= bits_[index];
  if (bringsMemory(i))
    bits |= fromMemory(s, i, index);
  bits |= exec;
  for (unsigned n = 0; n < i.numOperands; ++n)
    if (isWrite(i, n))
      eachPlace(i.operands[n],
                [&](unsigned place) { s[place] = exec ? s[place] | bits : bits; }); // masked lanes
  if (i.row->has(kWritesScc))
    s[P::kScc] = bits;
  if (i.row->has(kWritesVcc))
    setPair(s, P::kVcc, bits);
  if (i.row->has(kWritesExec))
    setPair(s, P::kExec, bits);
}

} // namespace tegula::sim
