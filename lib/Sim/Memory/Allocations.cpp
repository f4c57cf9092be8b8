#include "Sim/Memory/Allocations.h"
#include "Sim/State/Text.h"
#include <algorithm>
#include <cstring>
#include <sys/mman.h>
#include <unistd.h>
#include <utility>

namespace tegula::sim {

namespace {
constexpr size_t kMaxFreed = 256;

/// First allocation that starts above `address`.
std::vector<Allocation>::const_iterator above(const std::vector<Allocation> &all,
                                              uintptr_t address) {
  return std::upper_bound(all.begin(), all.end(), address,
                          [](uintptr_t x, const Allocation &a) { return x < a.lo; });
}

const char *kindText(Allocation::Kind kind) {
  switch (kind) {
  case Allocation::Kind::Device:
    return "device allocation";
  case Allocation::Kind::Host:
    return "registered host memory";
  case Allocation::Kind::Kernarg:
    return "kernarg segment";
  case Allocation::Kind::Code:
    return "code object";
  }
  return "memory";
}
} // namespace

const Allocation *findAllocation(const std::vector<Allocation> &all, uintptr_t address) {
  auto it = above(all, address);
  if (it == all.begin())
    return nullptr;
  --it;
  return address < it->hi ? &*it : nullptr;
}

Fault faultOf(const std::vector<Allocation> &live, const std::vector<Allocation> &freed,
              uintptr_t address, size_t bytes) {
  auto holds = [&](uintptr_t at) {
    const Allocation *a = findAllocation(live, at);
    return a && at + bytes <= a->hi;
  };
  if (holds(address))
    return Fault::ReadOnly;
  for (const Allocation &a : freed)
    if (address >= a.lo && address < a.hi && !findAllocation(live, address))
      return Fault::Freed;
  return wrappedFrom(live, address, bytes) ? Fault::Wrapped : Fault::Outside;
}

uintptr_t wrappedFrom(const std::vector<Allocation> &live, uintptr_t address, size_t bytes) {
  for (unsigned shift = 32; shift <= 36; ++shift) // an index may have been scaled
    for (uintptr_t meant : {address + (uintptr_t(1) << shift), address - (uintptr_t(1) << shift)}) {
      const Allocation *a = findAllocation(live, meant);
      if (a && meant + bytes <= a->hi)
        return meant;
    }
  return 0;
}

namespace {
constexpr uintptr_t kNullBytes = 65536; ///< below lies nothing: an offset from a null pointer

/// "device allocation #2 [lo, hi) of N bytes", and whose memory it is.
std::string nameOf(const Allocation &a, bool dead) {
  std::string text = std::string(dead ? "freed " : "") + kindText(a.kind) + " #" +
                     std::to_string(a.id) + " [" + hex(a.lo) + ", " + hex(a.hi) + ") of " +
                     std::to_string(a.hi - a.lo) + " bytes";
  return a.name.empty() ? text : a.name + ", " + text;
}

/// The variable of a code object at or before an offset; the last that begins there.
const Allocation::Symbol *symbolAt(const Allocation &a, uintptr_t offset) {
  const Allocation::Symbol *found = nullptr;
  for (size_t i = 0; a.symbols && i < a.symbols->size() && (*a.symbols)[i].offset <= offset; ++i)
    found = &(*a.symbols)[i];
  return found;
}

std::string describe(const Allocation &a, const char *position, uint64_t distance, bool dead,
                     uintptr_t address) {
  std::string text = std::to_string(distance) + " bytes " + position + " " + nameOf(a, dead);
  const Allocation::Symbol *symbol = address < a.lo ? nullptr : symbolAt(a, address - a.lo);
  if (!symbol)
    return text;
  uintptr_t offset = address - a.lo - symbol->offset;
  bool inside = offset < symbol->size;
  return std::to_string(inside ? offset : offset - symbol->size) +
         (inside ? " bytes inside variable '" : " bytes past the end of variable '") +
         symbol->name + "' of " + std::to_string(symbol->size) + " bytes, " + text;
}

/// The live allocation nearest to an address that none holds.
const Allocation *nearest(const std::vector<Allocation> &live, uintptr_t address) {
  auto next = above(live, address);
  const Allocation *before = next == live.begin() ? nullptr : &*(next - 1);
  const Allocation *after = next == live.end() ? nullptr : &*next;
  if (before && (!after || address - before->hi <= after->lo - address))
    return before;
  return after;
}
} // namespace

std::string allocationJson(const std::vector<Allocation> &live,
                           const std::vector<Allocation> &freed, uintptr_t address, bool nearby) {
  const Allocation *a = findAllocation(live, address);
  bool dead = false;
  for (size_t i = freed.size(); !a && i-- > 0;)
    if (address >= freed[i].lo && address < freed[i].hi) {
      a = &freed[i];
      dead = true;
    }
  if (!a && nearby && address >= kNullBytes)
    a = nearest(live, address);
  if (!a)
    return "";
  return "{\"id\":" + std::to_string(a->id) + ",\"kind\":" + quoted(kindText(a->kind)) +
         ",\"name\":" + quoted(a->name) + ",\"base\":\"" + hex(a->lo) +
         "\",\"size\":" + std::to_string(a->hi - a->lo) +
         ",\"offset\":" + std::to_string(int64_t(address - a->lo)) +
         ",\"freed\":" + (dead ? "true" : "false") + "}";
}

std::string describeAddress(const std::vector<Allocation> &live,
                            const std::vector<Allocation> &freed, uintptr_t address, size_t bytes) {
  if (const Allocation *a = findAllocation(live, address)) {
    bool crosses = address + bytes > a->hi;
    return describe(*a, crosses ? "before the end of" : "inside",
                    crosses ? a->hi - address : address - a->lo, false, address) +
           (crosses ? ", which the access crosses" : "");
  }
  for (size_t i = freed.size(); i-- > 0;)
    if (address >= freed[i].lo && address < freed[i].hi)
      return describe(freed[i], "inside", address - freed[i].lo, true, address);
  if (address < kNullBytes)
    return "a null pointer + " + std::to_string(address);
  const Allocation *a = nearest(live, address);
  if (!a)
    return "no memory is allocated";
  return a->lo <= address ? describe(*a, "past the end of", address - a->hi, false, address)
                          : describe(*a, "before", a->lo - address, false, address);
}

Allocations::~Allocations() {
  for (const Mapping &m : mappings_)
    munmap(m.base, m.bytes);
  for (const Mapping &m : quarantine_)
    munmap(m.base, m.bytes);
  if (spare_.bytes)
    munmap(spare_.base, spare_.bytes);
}

/// Memory of whole pages. One guard page before and two after: an overrun by a whole tile row still
/// reaches no neighbour's table entry, because the access is checked before it is made; the pages
/// are the second line of defence.
bool Allocations::map(size_t body, Mapping &mapping) {
  const size_t page = size_t(sysconf(_SC_PAGESIZE));
  size_t total = body + 3 * page;
  void *base = mmap(nullptr, total, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (base == MAP_FAILED)
    return false;
  uintptr_t lo = reinterpret_cast<uintptr_t>(base) + page;
  mapping = {base, total, lo};
  if (mprotect(reinterpret_cast<void *>(lo), body, PROT_READ | PROT_WRITE) == 0)
    return true;
  munmap(base, total);
  return false;
}

void *Allocations::allocate(size_t bytes, Allocation::Kind kind, uint8_t rights) {
  const size_t page = size_t(sysconf(_SC_PAGESIZE));
  if (bytes > (size_t(1) << 46))
    return nullptr;
  size_t body = std::max(page, (bytes + page - 1) / page * page);
  Mapping mapping = {};
  if (kind == Allocation::Kind::Kernarg && spare_.bytes == body + 3 * page) {
    std::swap(mapping, spare_);
    std::memset(reinterpret_cast<void *>(mapping.lo), 0, body);
  } else if (!map(body, mapping)) {
    return nullptr;
  }
  Allocation a;
  a.lo = mapping.lo;
  a.hi = mapping.lo + bytes;
  a.kind = kind;
  a.rights = rights;
  if (!insert(a)) { // an empty one too: reports name it
    munmap(mapping.base, mapping.bytes);
    return nullptr;
  }
  mappings_.push_back(mapping);
  return reinterpret_cast<void *>(mapping.lo);
}

bool Allocations::release(void *pointer) {
  uintptr_t lo = reinterpret_cast<uintptr_t>(pointer);
  for (size_t i = mappings_.size(); i-- > 0;) {
    Mapping mapping = mappings_[i];
    if (mapping.lo != lo)
      continue;
    const Allocation *a = findAllocation(*live_, lo);
    bool isKernarg = a && a->kind == Allocation::Kind::Kernarg;
    erase(lo, false);
    mappings_.erase(mappings_.begin() + ptrdiff_t(i));
    if (isKernarg)
      std::swap(mapping, spare_);
    if (mapping.bytes)
      quarantine(mapping);
    return true;
  }
  return false;
}

void Allocations::quarantine(const Mapping &m) {
  constexpr size_t most = size_t(1) << 40, mostRanges = 256; // of addresses: the memory is gone
  if (mmap(m.base, m.bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1,
           0) == MAP_FAILED) {
    munmap(m.base, m.bytes);
    return;
  }
  quarantine_.push_back(m);
  quarantined_ += m.bytes;
  while (quarantined_ > most || quarantine_.size() > mostRanges) {
    quarantined_ -= quarantine_.front().bytes;
    munmap(quarantine_.front().base, quarantine_.front().bytes);
    quarantine_.pop_front();
  }
}

bool Allocations::registerHost(void *pointer, size_t bytes, uint8_t rights) {
  Allocation a;
  a.lo = reinterpret_cast<uintptr_t>(pointer);
  a.hi = a.lo + bytes;
  a.kind = Allocation::Kind::Host;
  a.rights = rights;
  return bytes != 0 && a.hi > a.lo && insert(a);
}

bool Allocations::unregisterHost(void *pointer) {
  return erase(reinterpret_cast<uintptr_t>(pointer), true);
}

bool Allocations::markDefined(void *pointer, size_t bytes, bool defined) {
  uintptr_t lo = reinterpret_cast<uintptr_t>(pointer);
  const Allocation *a = findAllocation(*live_, lo);
  if (!a || bytes > a->hi - lo)
    return false;
  a->shadow->setDefined(lo - a->lo, bytes, defined);
  return true;
}

bool Allocations::copyDefined(void *pointer, const Allocations &source, const void *from,
                              size_t bytes) {
  uintptr_t lo = reinterpret_cast<uintptr_t>(from);
  const Allocation *a = findAllocation(*source.live_, lo);
  if (!a || bytes > a->hi - lo)
    return false;
  std::byte *bits = a->shadow->tracked() ? a->shadow->undefined(lo - a->lo, bytes) : nullptr;
  if (!bits)
    return markDefined(pointer, bytes, true);
  uintptr_t to = reinterpret_cast<uintptr_t>(pointer);
  const Allocation *b = findAllocation(*live_, to);
  if (!b || bytes > b->hi - to)
    return false;
  b->shadow->copyDefined(to - b->lo, bits, bytes);
  return true;
}

std::vector<Allocation> &Allocations::table() {
  if (live_.use_count() > 1)
    live_ = std::make_shared<std::vector<Allocation>>(*live_);
  return *live_;
}

Allocation *Allocations::startingAt(void *pointer) {
  uintptr_t lo = reinterpret_cast<uintptr_t>(pointer);
  std::vector<Allocation> &all = table();
  auto next = above(all, lo);
  if (next == all.begin() || (next - 1)->lo != lo)
    return nullptr;
  return &all[size_t(next - all.begin()) - 1];
}

void Allocations::setWritable(void *pointer, std::vector<std::pair<uintptr_t, uintptr_t>> parts) {
  if (Allocation *a = startingAt(pointer))
    a->writable = std::move(parts);
}

bool Allocations::setName(void *pointer, std::string name) {
  Allocation *a = startingAt(pointer);
  if (a)
    a->name = std::move(name);
  return a;
}

void Allocations::setSymbols(void *pointer, std::vector<Allocation::Symbol> sorted) {
  if (Allocation *a = startingAt(pointer))
    a->symbols = std::make_shared<const std::vector<Allocation::Symbol>>(std::move(sorted));
}

bool Allocations::insert(Allocation a) {
  auto next = above(*live_, a.lo);
  if ((next != live_->end() && next->lo < a.hi) ||
      (next != live_->begin() && (next - 1)->hi > a.lo))
    return false;
  a.id = nextId_++;
  a.shadow = std::make_shared<MemoryShadow>(a.hi - a.lo);
  auto at = next - live_->begin();
  std::vector<Allocation> &all = table();
  all.insert(all.begin() + at, std::move(a));
  return true;
}

bool Allocations::erase(uintptr_t lo, bool host) {
  auto found = std::find_if(live_->begin(), live_->end(), [&](const Allocation &a) {
    return a.lo == lo && (a.kind == Allocation::Kind::Host) == host;
  });
  if (found == live_->end())
    return false;
  // The host's own is only out of reach; kernel arguments would push all else out.
  if (!host && found->kind != Allocation::Kind::Kernarg) {
    if (freed_.size() == kMaxFreed)
      freed_.erase(freed_.begin());
    freed_.push_back(*found);
    freed_.back().shadow.reset();
  }
  auto at = found - live_->begin();
  std::vector<Allocation> &all = table();
  all.erase(all.begin() + at);
  return true;
}

} // namespace tegula::sim
