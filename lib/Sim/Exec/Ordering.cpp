#include "Sim/Exec/Ordering.h"
#include "Sim/Exec/OrderingFlow.h"
#include "Sim/State/Text.h"
#include <algorithm>
#include <map>
#include <set>

namespace tegula::sim {

namespace {
/// A loop that waits is short: code that works in between is not searched for a condition.
constexpr size_t kLongestWaitLoop = 512 * 4;
/// Instructions of loops that one text's scan looks at; hostile texts nest them without end.
constexpr size_t kMostSteps = 4000000;
/// How far before a compare-and-swap the load of its loop is looked for.
constexpr size_t kBeforeSwap = 48;
/// How far before a loop that waits its first round is looked for, where compilers put that apart:
/// the branch, and what leads to it.
constexpr size_t kBeforeLoop = 64, kBeforeBranch = 160;

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

class Scan {
public:
  explicit Scan(Program &p) : p_(p) {}
  void run() {
    p_.polling.assign(p_.ops.size(), false);
    p_.polls.assign(p_.ops.size(), false);
    p_.compared.assign(p_.ops.size(), false);
    p_.flags.assign(p_.ops.size(), false);
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
    findFlags();
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
    if (!budget_) {
      p_.orderSites.push_back({uint32_t(op), "more loops than are looked at"});
      return;
    }
    std::vector<Instruction> body;
    if (!listTo(body, size_t(head), size_t(end)))
      return;
    OrderingFlow flow(body, budget_);
    uint64_t deciding = 0;
    std::set<int64_t> exits;
    for (size_t i = 0; i < body.size(); ++i) {
      if (!body[i].row->has(kBranch))
        continue;
      bool leaves = target(body[i]) < head || target(body[i]) >= end;
      if (leaves)
        exits.insert(target(body[i]));
      if (leaves || target(body[i]) == head)
        deciding |= flow.deciding(i);
    }
    if (!deciding)
      return;
    if (isConditional(branch))
      exits.insert(end);
    for (size_t o = size_t(p_.opOf[size_t(head) / 4]); o <= op; ++o)
      p_.polling[o] = true;
    bool barrier = std::any_of(body.begin(), body.end(), isBarrier);
    mark(body, flow, deciding, barrier);
    findFirstRound(size_t(p_.opOf[size_t(head) / 4]), exits, barrier);
    if (std::any_of(body.begin(), body.end(), sees))
      p_.orderSites.push_back({uint32_t(op), "a loop that waits for memory"});
  }

  /// The instructions of [first, end). False if some are none.
  bool listTo(std::vector<Instruction> &body, size_t first, size_t end) const {
    for (size_t pc = first; pc < end;) {
      body.push_back(at(pc));
      if (!body.back().ok())
        return false;
      pc += body.back().size;
    }
    return true;
  }

  /// The loads whose values are waited for. What waves read from LDS after a barrier of the loop
  /// comes from one of them, by that barrier.
  void mark(const std::vector<Instruction> &body, const OrderingFlow &flow, uint64_t deciding,
            bool barrier) {
    for (size_t i = 0; i < body.size(); ++i) {
      if (!(flow.bitOf(i) & deciding) || !body[i].row->has(kLoad) || (isLds(body[i]) && barrier))
        continue;
      p_.polls[size_t(p_.opOf[body[i].pc / 4])] = true;
      if (isLds(body[i]))
        waited_[p_.opOf[body[i].pc / 4]] = body[i].offset;
    }
  }

  /// Compilers put a loop's first round before it: a load, and a branch to where the loop ends.
  void findFirstRound(size_t head, const std::set<int64_t> &exits, bool barrier) {
    for (size_t n = 1; n <= kBeforeLoop && n <= head; ++n) {
      Instruction branch = at(p_.pcOf[head - n]);
      if (!branch.ok() || !isConditional(branch))
        continue;
      int64_t loop = p_.pcOf[head], next = int64_t(branch.pc) + branch.size;
      bool skips = exits.count(target(branch)) != 0;
      bool enters = target(branch) == loop && exits.count(next) != 0;
      if (!skips && !enters)
        continue;
      std::vector<Instruction> before;
      size_t first = head - n - std::min(head - n, kBeforeBranch);
      if (!listTo(before, p_.pcOf[first], size_t(next)))
        continue;
      OrderingFlow flow(before, budget_);
      mark(before, flow, flow.deciding(before.size() - 1), barrier);
    }
  }

  /// Words of LDS that are waited for are known by the offset in their instructions, in the same
  /// kernel.
  void findFlags() {
    p_.ldsWaits |= !waited_.empty();
    for (auto it = waited_.begin(); it != waited_.end();) {
      int32_t first = it->first, last = first, count = int32_t(p_.ops.size());
      while (first > 0 && !beginsKernel(size_t(first)))
        --first;
      while (++last < count && !beginsKernel(size_t(last)))
        ;
      std::set<int32_t> offsets;
      for (; it != waited_.end() && it->first < last; ++it)
        offsets.insert(it->second);
      for (int32_t o = first; o < last; ++o) {
        Instruction i = at(p_.pcOf[size_t(o)]);
        p_.flags[size_t(o)] = i.ok() && isLds(i) && !i.row->has(kTwoAddr) &&
                              (i.row->has(kLoad) || i.row->has(kStore)) && offsets.count(i.offset);
      }
    }
  }
  /// Kernels begin at multiples of 256 bytes, behind what nothing runs through.
  bool beginsKernel(size_t op) const {
    if (p_.pcOf[op] % 256)
      return false;
    for (size_t o = op; o-- > 0;) {
      Instruction i = at(p_.pcOf[o]);
      if (!i.ok() || i.row->has(kEndsBlock))
        return true;
      if (i.row->sem != Sem::s_nop)
        return false;
    }
    return true;
  }

  static bool isBarrier(const Instruction &i) { return i.row->sem == Sem::s_barrier; }
  /// Something that lets a loop see what another workgroup writes: a read past the caches, or their
  /// invalidation. A loop over data with an end marker has none.
  static bool sees(const Instruction &i) {
    if (isLds(i))
      return false;
    return (i.row->has(kLoad) && (i.sc0 || i.sc1)) || (isAtomic(i) && returns(i)) ||
           i.row->cls == Class::cache || i.row->sem == Sem::s_dcache_inv;
  }

  Program &p_;
  size_t budget_ = kMostSteps;
  std::map<int32_t, int32_t> waited_; ///< LDS loads that are waited for: op, offset
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
