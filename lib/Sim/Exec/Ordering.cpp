#include "Sim/Exec/Ordering.h"
#include "Sim/State/Text.h"
#include <bitset>

namespace tegula::sim {

namespace {
/// A loop that waits is short: code that works in between is not searched for a condition.
constexpr size_t kLongestWaitLoop = 512 * 4;
/// Instructions of loops that one text's scan looks at; hostile texts nest them without end.
constexpr size_t kMostSteps = 4000000;
/// How far before a compare-and-swap the load of its loop is looked for.
constexpr size_t kBeforeSwap = 48;
constexpr unsigned kScalars = 128, kVectors = 512, kScc = kScalars + kVectors, kPlaces = kScc + 1;

bool isAtomic(const Instruction &i) { return i.row->has(kAtomic); }
bool returns(const Instruction &i) { return i.row->has(kReturns) || i.sc0; }
bool isLds(const Instruction &i) { return i.row->cls == Class::lds; }

/// The old value that an atomic returns, and a sum of floats, depend on who came first.
bool dependsOnOrder(const Instruction &i) {
  if (!i.ok() || !isAtomic(i) || isLds(i))
    return false;
  std::string name = i.row->mnemonic;
  return returns(i) || name.find("_f") != std::string::npos ||
         name.find("_bf") != std::string::npos || name.find("swap") != std::string::npos;
}

/// Which registers hold something that came from memory inside the loop under test.
class Taint {
public:
  /// Follows one instruction. Operands that it overwrites with other values are clean again.
  void follow(const Instruction &i) {
    bool tainted = reads(i);
    if (i.row->has(kLoad) || (isAtomic(i) && returns(i)))
      tainted = true;
    forWrites(i, [&](unsigned place) { marks_[place] = tainted; });
    if (i.row->has(kWritesScc))
      marks_[kScc] = tainted;
    if (i.row->has(kWritesVcc))
      marks_[kVccPlace] = marks_[kVccPlace + 1] = tainted;
    if (i.row->has(kWritesExec))
      marks_[kExecPlace] = marks_[kExecPlace + 1] = tainted;
  }
  bool decides(const Instruction &branch) const {
    std::string_view name = semName(branch.row->sem);
    if (name.find("scc") != std::string_view::npos)
      return marks_[kScc];
    if (name.find("vcc") != std::string_view::npos)
      return marks_[kVccPlace] || marks_[kVccPlace + 1];
    if (name.find("exec") != std::string_view::npos)
      return marks_[kExecPlace] || marks_[kExecPlace + 1];
    return false;
  }
  bool operator==(const Taint &other) const { return marks_ == other.marks_; }

private:
  static constexpr unsigned kVccPlace = 106, kExecPlace = 126;

  static unsigned placeOf(const Operand &o) {
    return o.file == File::S ? o.index
           : o.file == File::A || o.file == File::V
               ? kScalars + o.index + (o.file == File::A ? kVectors / 2 : 0)
               : kPlaces;
  }
  template <class Fn> static void forPlaces(const Operand &o, Fn fn) {
    unsigned first = placeOf(o);
    for (unsigned w = 0; w < o.width && first + w < kScc; ++w)
      fn(first + w);
  }
  static bool isWrite(const Instruction &i, unsigned operand) {
    Role role = i.row->operands[operand].role;
    return role == Role::d || role == Role::d2 ||
           (role == Role::data && isAtomic(i) && returns(i) && !i.get(Role::d));
  }
  bool reads(const Instruction &i) const {
    bool any = (i.row->has(kReadsScc) && marks_[kScc]) ||
               (i.row->has(kReadsVcc) && (marks_[kVccPlace] || marks_[kVccPlace + 1]));
    for (unsigned n = 0; n < i.numOperands; ++n)
      if (!isWrite(i, n) || i.row->has(kReadsDst))
        forPlaces(i.operands[n], [&](unsigned place) { any |= marks_[place]; });
    return any;
  }
  template <class Fn> static void forWrites(const Instruction &i, Fn fn) {
    for (unsigned n = 0; n < i.numOperands; ++n)
      if (isWrite(i, n))
        forPlaces(i.operands[n], fn);
  }
  std::bitset<kPlaces> marks_;
};

class Scan {
public:
  explicit Scan(Program &p) : p_(p) {}
  void run() {
    p_.polling.assign(p_.ops.size(), false);
    p_.compared.assign(p_.ops.size(), false);
    for (size_t i = 0; i < p_.ops.size(); ++i) {
      Instruction inst = at(p_.pcOf[i]);
      if (!inst.ok())
        continue;
      p_.ldsWaits |= isAtomic(inst) && isLds(inst) && returns(inst);
      if (isCompareAndSwap(inst))
        findCompared(inst, i);
      if (dependsOnOrder(inst))
        p_.orderSites.push_back({uint32_t(i), "the result of an atomic operation"});
      if (inst.row->has(kBranch))
        inspect(inst, i);
      else if (inst.row->sem == Sem::s_setpc_b64 || inst.row->sem == Sem::s_swappc_b64)
        p_.jumps.push_back(uint32_t(i));
    }
  }

private:
  Instruction at(size_t pc) const { return decode(p_.arch, p_.text, p_.textSize, pc); }
  static int64_t target(const Instruction &branch) {
    return int64_t(branch.pc) + 4 + 4 * int64_t(branch.imm);
  }

  static bool isCompareAndSwap(const Instruction &i) {
    return isAtomic(i) && !isLds(i) &&
           std::string_view(i.row->mnemonic).find("cmpswap") != std::string_view::npos;
  }
  static bool isSamePlace(const Instruction &a, const Instruction &b) {
    for (Role role : {Role::addr, Role::base, Role::soff}) {
      const Operand *x = a.get(role), *y = b.get(role);
      if (!x != !y || (x && (x->file != y->file || x->index != y->index)))
        return false;
    }
    return a.offset == b.offset;
  }
  /// The load that a loop of compare-and-swap begins with reads what others change by atomics; a
  /// stale value only makes the swap fail.
  void findCompared(const Instruction &swap, size_t op) {
    for (size_t n = 1; n <= kBeforeSwap && n <= op; ++n) {
      Instruction load = at(p_.pcOf[op - n]);
      if (load.ok() && load.row->has(kLoad) && !isLds(load) && isSamePlace(load, swap))
        p_.compared[op - n] = true;
    }
  }

  /// A backward branch: does what is read from memory in its loop decide when the loop ends?
  void inspect(const Instruction &branch, size_t op) {
    int64_t head = target(branch), end = int64_t(branch.pc) + branch.size;
    if (head < 0 || head >= int64_t(branch.pc) || end - head > int64_t(kLongestWaitLoop) ||
        p_.opOf[size_t(head) / 4] < 0)
      return;
    if (steps_ > kMostSteps) {
      p_.orderSites.push_back({uint32_t(op), "more loops than are looked at"});
      return;
    }
    std::vector<Instruction> body;
    bool reads = false, fresh = false, lds = false;
    for (size_t pc = size_t(head); pc < size_t(end);) {
      Instruction i = at(pc);
      pc += i.size;
      if (!i.ok())
        return;
      reads |= i.row->has(kLoad) || isAtomic(i);
      fresh |= sees(i);
      lds |= isLds(i);
      body.push_back(i);
    }
    steps_ += body.size();
    if (!reads || !endsByMemory(body, head, end))
      return;
    for (size_t o = size_t(p_.opOf[size_t(head) / 4]); o <= op; ++o)
      p_.polling[o] = true;
    p_.ldsWaits |= lds;
    if (fresh)
      p_.orderSites.push_back({uint32_t(op), "a loop that waits for memory"});
  }
  /// Something that lets a loop see what another workgroup writes: a read past the caches, or their
  /// invalidation. A loop over data with an end marker has none.
  static bool sees(const Instruction &i) {
    if (isLds(i))
      return false;
    return (i.row->has(kLoad) && (i.sc0 || i.sc1)) || (isAtomic(i) && returns(i)) ||
           i.row->cls == Class::cache || i.row->sem == Sem::s_dcache_inv;
  }
  bool endsByMemory(const std::vector<Instruction> &body, int64_t head, int64_t end) {
    Taint taint;
    for (Taint before;; before = taint) {
      steps_ += body.size();
      for (const Instruction &i : body) {
        bool leaves = i.row->has(kBranch) && (target(i) < head || target(i) >= end);
        bool repeats = i.row->has(kBranch) && target(i) == head;
        if ((leaves || repeats) && taint.decides(i))
          return true;
        taint.follow(i);
      }
      if (taint == before)
        return false;
    }
  }

  Program &p_;
  size_t steps_ = 0;
};
} // namespace

void findOrder(Program &program) { Scan(program).run(); }

std::string orderDependence(const Program &p, const CodeObject &object, const Kernel &kernel) {
  uint64_t first = 0, last = ~uint64_t(0);
  for (const Function &f : object.functions)
    if (f.size && kernel.entry >= f.address && kernel.entry < f.address + f.size) {
      first = f.address - object.textAddr;
      last = first + f.size;
    }
  auto inside = [&](uint32_t op) { return p.pcOf[op] >= first && p.pcOf[op] < last; };
  for (uint32_t jump : p.jumps)
    if (inside(jump)) {
      first = 0;
      last = ~uint64_t(0);
      break;
    }
  for (const OrderSite &site : p.orderSites)
    if (inside(site.op)) {
      Instruction i = decode(p.arch, p.text, p.textSize, p.pcOf[site.op]);
      return std::string(site.why) + ": " + i.row->mnemonic + " at " + hex(p.pcOf[site.op]);
    }
  return "";
}

} // namespace tegula::sim
