// One workgroup's side: its waves against each other, and what it tells and hears.
#include "Sim/Exec/Kernels.h"
#include "Sim/Exec/VmemAddress.h"
#include "Sim/Sanitize/Clash.h"
#include "Sim/Sanitize/GlobalRacesParts.h"
#include "Sim/Sanitize/Watch.h"
#include "Sim/State/Text.h"
#include <algorithm>
#include <cstring>

namespace tegula::sim {

using namespace races;

namespace races {
Actor actorOf(const Launch &l, uint64_t workgroup, unsigned wave) {
  return {&l, workgroup, dimsOf(l, workgroup), wave};
}
std::string groupText(const Dims &d) {
  return "(" + std::to_string(d.x) + ", " + std::to_string(d.y) + ", " + std::to_string(d.z) + ")";
}
std::string waveText(unsigned wave) {
  return wave == kAllWaves ? "(several)" : std::to_string(wave);
}
std::string describeRace(const Launch &l, Touch now, Touch earlier, uint64_t address,
                         unsigned bytes) {
  auto verb = [](Touch t) {
    return t == Touch::Read       ? "read"
           : t == Touch::Write    ? "written"
           : t == Touch::SyncRead ? "read by a synchronising access"
                                  : "changed by an atomic";
  };
  return std::to_string(bytes) + " bytes at " + hex(address) + ", " +
         describeAddress(*l.memory, *l.freed, address, bytes) + ", are " + verb(now) +
         " here and were " + verb(earlier);
}
} // namespace races

void WorkgroupRaces::start(GlobalRaces *all, Workgroup &wg) {
  all_ = all;
  wg_ = &wg;
  if (whos_.size() != 1) // nobody knows of any otherwise
    std::fill(std::begin(recent_), std::end(recent_), Recent());
  if (used_)
    std::fill(std::begin(found_), std::end(found_), Found());
  whos_.assign(1, Who{});
  constexpr size_t kKept = 4096;
  if (pages_.size() > kKept)
    pages_.clear();
  for (uint32_t i = 0; i < std::min<size_t>(used_, pages_.size()); ++i)
    pages_[i].clear();
  used_ = 0;
  index_.clear();
  atBarrier_.assign(wg.waves.size(), 0);
  dirty_.clear();
  compared_ = 1;
  mostWhos_ = kFewWhos;
}

void WorkgroupRaces::end() { all_->finish(*this); }
bool WorkgroupRaces::chains() const { return all_->chains(); }

uint32_t WorkgroupRaces::whoIs(const Wave &w, const Op &o) {
  uint32_t op = uint32_t(&o - w.program->ops.data());
  static_assert(std::extent_v<decltype(recent_)> == 256, "of the product, the top 8 bits");
  Recent &r = recent_[(op << 4 | w.id) * 0x9e3779b1u >> 24];
  if (r.op == op && r.stamp == wg_->stamp && r.wave == w.id)
    return r.id;
  r = {op, wg_->stamp, uint32_t(whos_.size()), uint8_t(w.id)};
  whos_.push_back({r.stamp, op, r.wave, kNobody, r.id});
  return r.id;
}

/// Drops authors that later ones have replaced everywhere. Between accesses.
void WorkgroupRaces::forget() {
  std::vector<uint32_t> to = renumbered(whos_, [&](auto keep) {
    for (uint32_t i = 0; i < used_; ++i)
      for (Touch t : kAllTouches)
        pages_[i][t].each([&](const AccessList::Run &r) { keep(r.who); });
  });
  for (uint32_t i = 0; i < used_; ++i)
    pages_[i].renumber([&](uint32_t who) { return to[who]; });
  uint32_t compared = 1; // of those that stay
  size_t kept = 1;
  for (size_t i = 1; i < whos_.size(); ++i) {
    if (!to[i])
      continue;
    compared += i < compared_;
    Who w = whos_[i];
    w.also = to[w.also];
    // One that is gone has been compared if it was old; else it is as new as what it stands in.
    w.origin = to[w.origin] ? to[w.origin] : w.origin < compared_ ? kNobody : to[i];
    whos_[kept++] = w;
  }
  whos_.resize(kept);
  compared_ = compared;
  std::fill(std::begin(recent_), std::end(recent_), Recent());
  mostWhos_ = std::max(kFewWhos, 2 * kept);
}

PageAccesses &WorkgroupRaces::pageOf(uint64_t page) {
  Found &f = found_[page % std::size(found_)];
  if (f.page == page)
    return *f.accesses;
  auto [it, isNew] = index_.try_emplace(page, used_);
  if (isNew) {
    if (used_ == pages_.size())
      pages_.emplace_back();
    pages_[used_].page = page;
    pages_[used_].number = used_;
    ++used_;
  }
  f = {page, &pages_[it->second]};
  return *f.accesses;
}

/// Ordered before an access of the wave now.
bool WorkgroupRaces::ordered(const Wave &w, const Who &other) const {
  if (other.stamp < wg_->epoch || other.wave == w.id)
    return true;
  const Knowledge::Pointer &known = w.watch->known;
  if (other.wave == kAllWaves) // of several readers one may be known
    return known != nullptr;
  return known && known->covers(wg_->index, other.wave, other.stamp);
}

/// One of those that `who` stands for and that is not ordered before the wave.
const WorkgroupRaces::Who *WorkgroupRaces::unordered(const Wave &w, uint32_t who) const {
  for (uint32_t m = who; m != kNobody; m = whos_[m].also)
    if (!ordered(w, whos_[m]))
      return &whos_[m];
  return nullptr;
}

/// All lanes that touch the byte.
uint64_t WorkgroupRaces::Access::lanesAt(uint64_t address) const {
  uint64_t lanes = 0;
  for (uint64_t m = v ? v->active : 0; m; m &= m - 1)
    if (address - v->address[__builtin_ctzll(m)] < width)
      lanes |= m & -m;
  return lanes;
}

void WorkgroupRaces::conflict(const Access &a, Touch earlier, uint64_t page,
                              const AccessList::Run &hit, const Who &other) {
  const Launch &l = *a.w.tc->launch;
  uint64_t address = page * kRacePage + hit.first;
  Actor him = actorOf(l, wg_->index, other.wave);
  report(a.w, a.o, FindingKind::GlobalRace, Severity::Error, a.lanesAt(address), address,
         describeRace(l, a.touch, earlier, address, hit.bytes) + " by wave " +
             waveText(other.wave) + " of this workgroup, and no barrier orders the two",
         &l.program->ops[other.op], other.wave == kAllWaves ? nullptr : &him);
}

void WorkgroupRaces::compare(const Access &a, PageAccesses &page, const AccessList::Run &r,
                             const std::byte *data) {
  const std::vector<bool> &polls = a.w.program->polls;
  for (Touch earlier : kAllTouches) {
    if (!(conflictsOf(a.touch) & page.touches & bitOf(earlier)))
      continue;
    page[earlier].overlapping(r.first, r.bytes, [&](const AccessList::Run &hit) {
      const Who *other = unordered(a.w, hit.who);
      if (!other)
        return false;
      // A flag that a plain store sets, and its reader, in either order.
      if (a.touch == Touch::Write && earlier == Touch::SyncRead && polls[other->op])
        return false;
      if (a.polls && earlier == Touch::Write) {
        acquire(a.w, Knowledge::told(wg_->waves[other->wave]->watch->known, wg_->index, other->wave,
                                     other->stamp));
        return false;
      }
      unsigned same = 0;
      if (a.touch == Touch::Write && earlier == Touch::Write)
        same = equalBytes(data + (hit.first - r.first), &page.written[hit.first], hit.bytes);
      if (same == hit.bytes)
        return false;
      conflict(a, earlier, page.page, hit.cut(hit.first + same, hit.end()), *other);
      return true;
    });
  }
}

/// Of reads: who stands for `there` and `who` together; one number for all cells of a run.
uint32_t WorkgroupRaces::merged(const Access &a, uint32_t there, uint32_t who) {
  const Who &old = whos_[there];
  if (old.stamp < wg_->epoch || old.wave == whos_[who].wave)
    return who;
  if (old.wave == kAllWaves && there >= compared_ &&
      (!isWrite(a.touch) || old.stamp == wg_->stamp)) // of writes checkStale asks when
    return there;
  if (a.mergedFrom != who) {
    a.mergedFrom = who;
    a.mergedTo = uint32_t(whos_.size());
    whos_.push_back({wg_->stamp, whos_[who].op, kAllWaves, kNobody, a.mergedTo});
  }
  return a.mergedTo;
}

/// Of plain writes of the same bytes: a new number for the access and those of `there` that are not
/// ordered before it.
uint32_t WorkgroupRaces::together(const Access &a, uint32_t there) {
  if (a.mergedFrom == there)
    return a.mergedTo;
  uint32_t all = kNobody;
  auto add = [&](Who w) { // by value: the table grows
    w.also = all;
    all = uint32_t(whos_.size());
    whos_.push_back(w);
  };
  for (uint32_t m = there; m != kNobody; m = whos_[m].also) // at most one of each wave
    if (!ordered(a.w, whos_[m]))
      add(whos_[m]);
  add(whos_[a.who]);
  a.mergedFrom = there;
  return a.mergedTo = all;
}

void WorkgroupRaces::collect(const Access &a, uint64_t address, unsigned bytes, LaneRun lanes,
                             const std::byte *data) {
  while (bytes) {
    unsigned first = unsigned(address % kRacePage), n = std::min(bytes, kRacePage - first);
    PageAccesses &page = pageOf(address / kRacePage);
    __builtin_prefetch(&page, 1);
    Piece &piece = pieces_.emplace_back(); // filled in place: a copy would wait for its parts
    piece.page = &page;
    piece.run.first = uint16_t(first);
    piece.run.bytes = uint16_t(n);
    piece.run.lanes = lanes;
    piece.run.who = a.who;
    piece.data = data;
    address += n;
    bytes -= n;
    lanes = lanes.after(n);
    data = data ? data + n : nullptr;
  }
}

void WorkgroupRaces::record(const Access &a) {
  for (const Piece &p : pieces_)
    (*p.page)[a.touch].prefetch();
  const uint8_t conflicts = wg_->waves.size() > 1 ? conflictsOf(a.touch) : 0;
  for (const Piece &p : pieces_) {
    PageAccesses &page = *p.page;
    const AccessList::Run &r = p.run;
    if (!page.dirty) {
      page.dirty = true;
      dirty_.push_back(page.number);
    }
    if (page.touches & conflicts)
      compare(a, page, r, p.data);
    if (a.touch == Touch::Write)
      page.write(r, p.data, [&](uint32_t there, uint32_t who, unsigned at, unsigned size) {
        bool same = equalBytes(p.data + (at - r.first), &page.written[at], size) == size;
        return same && unordered(a.w, there) ? together(a, there) : who;
      });
    else
      page.add(a.touch, r, [&](uint32_t there, uint32_t who, unsigned, unsigned) {
        return merged(a, there, who);
      });
  }
  pieces_.clear();
}

namespace {
/// What a lane touches of an access that may be partly out of range.
unsigned bytesOfLane(const VmemLanes &v, unsigned lane, unsigned bytes) {
  return v.partial ? unsigned(std::min<uint64_t>(bytes, v.room[lane] & ~uint64_t(3))) : bytes;
}
/// The low `count` bits, of up to 64.
uint64_t lowBits(unsigned count) { return count == 64 ? ~uint64_t(0) : (uint64_t(1) << count) - 1; }

constexpr unsigned kBlock = LaneRun::kPermutedBlock;
constexpr unsigned kMostBytes = 16; ///< of a lane's store
/// Lanes from `first` on that fill kBlock bytes in any order, as loads do whose result is to be
/// swizzled in LDS: how many, and where the block begins. 0 if they don't.
unsigned permutedBlock(const VmemLanes &v, uint64_t lanes, unsigned first, unsigned bytes,
                       uint64_t &begin) {
  if (bytes < 2 || kBlock % bytes) // bytes: more of them than there are lanes
    return 0;
  unsigned count = kBlock / bytes;
  uint64_t wanted = lowBits(count);
  if (first % count || (lanes >> first & wanted) != wanted || v.partial)
    return 0;
  begin = v.address[first];
  for (unsigned l = first + 1; l < first + count; ++l)
    begin = std::min(begin, v.address[l]);
  const unsigned shift = unsigned(__builtin_ctz(bytes)); // divisions are slow
  uint64_t filled = 0, outside = 0;
  for (unsigned l = first; l < first + count; ++l) {
    uint64_t at = v.address[l] - begin;
    outside |= (at / kBlock) | (at & (bytes - 1));
    filled |= uint64_t(1) << ((at >> shift) & 63);
  }
  if (outside)
    return 0;
  return filled == wanted ? count : 0;
}
/// The distance of lanes whose bytes follow one another: 1, or that of the matrix layouts, which
/// hold a row in lanes i, i + 16, …
unsigned neighbour(const VmemLanes &v, uint64_t lanes, unsigned bytes) {
  unsigned first = unsigned(__builtin_ctzll(lanes));
  for (unsigned step : {1u, 16u, 32u})
    if (first + step < kLanes && v.address[first + step] == v.address[first] + bytes)
      return step;
  return 1;
}
} // namespace

/// Runs of lanes whose bytes follow one another; `data`: what each will leave, `bytes` apart.
void WorkgroupRaces::lanes(Wave &w, const Op &o, const VmemLanes &v, uint64_t lanes, unsigned bytes,
                           Touch touch, const std::byte *data) {
  bool polls = touch == Touch::SyncRead && w.program->polls[size_t(&o - w.program->ops.data())];
  Access a{w, o, touch, whoIs(w, o), polls, &v, bytes};
  auto room = [&](unsigned l) { return bytesOfLane(v, l, bytes); };
  unsigned step = neighbour(v, lanes, bytes);
  std::byte image[kLanes * kMostBytes], *put = image; // what is stored, where it lies apart
  while (lanes) {
    unsigned first = unsigned(__builtin_ctzll(lanes)), l = first;
    uint64_t end = v.address[l], left = lanes;
    unsigned last = bytes;
    do {
      end += last = room(l);
      left &= ~(uint64_t(1) << l);
      l += step;
    } while (last == bytes && l < kLanes && (left >> l & 1) && v.address[l] == end);
    uint64_t block;
    if (end - v.address[first] < kBlock)
      if (unsigned n = permutedBlock(v, lanes, first, bytes, block)) {
        for (unsigned i = first; data && i < first + n; ++i)
          std::memcpy(put + (v.address[i] - block), data + i * bytes, bytes);
        collect(a, block, kBlock, {uint8_t(LaneRun::kPermuted + first), uint8_t(bytes), 1},
                data ? put : nullptr);
        put += data ? kBlock : 0;
        lanes &= ~(lowBits(n) << first);
        continue;
      }
    const std::byte *stored = data ? data + first * bytes : nullptr;
    if (data && step != 1) {
      stored = put;
      for (unsigned i = first; i < l; i += step, put += bytes)
        std::memcpy(put, data + i * bytes, bytes);
    }
    lanes = left;
    collect(a, v.address[first], unsigned(end - v.address[first]),
            {uint8_t(first), uint8_t(bytes), uint8_t(step)}, stored);
  }
  record(a);
}

namespace {
/// What the lanes will leave in memory, `bytes` apart.
const std::byte *storedBytes(const Wave &w, const Op &o, unsigned bytes, std::byte *image) {
  const uint32_t *d = w.row(o.d);
  if (bytes < 4) {
    Part part = Part(o.aux & kVmemKind);
    unsigned shift = part == Part::U8Hi || part == Part::U16Hi ? 16 : 0;
    for (unsigned l = 0; l < kLanes; ++l) {
      uint32_t value = d[l] >> shift;
      std::memcpy(image + l * bytes, &value, bytes);
    }
    return image;
  }
  unsigned dwords = bytes / 4;
  for (unsigned l = 0; l < kLanes; ++l)
    for (unsigned k = 0; k < dwords; ++k)
      std::memcpy(image + (l * dwords + k) * 4, &d[64 * k + l], 4);
  return image;
}

/// FLAT leads to LDS and scratch too.
uint64_t globalOnly(const Wave &w, const VmemLanes &v) {
  uint64_t lanes = v.active;
  auto in = [](uint64_t at, const std::byte *memory, size_t bytes) {
    return at - reinterpret_cast<uintptr_t>(memory) < bytes;
  };
  for (uint64_t m = v.active; m; m &= m - 1) {
    uint64_t at = v.address[__builtin_ctzll(m)];
    if (in(at, w.wg->lds, w.wg->ldsBytes) || in(at, w.scratch, size_t(w.scratchBytes) * kLanes))
      lanes &= ~(m & -m);
  }
  return lanes;
}

void checkClash(Wave &w, const Op &o, const VmemLanes &v, uint64_t lanes, unsigned bytes,
                const std::byte *data) {
  if (lanesApart(v.address, lanes, bytes))
    return;
  auto bytesOf = [&](unsigned l) { return bytesOfLane(v, l, bytes); };
  auto byteOf = [&](unsigned l, unsigned at) { return data[l * bytes + at]; };
  Clash c = clashOf(v.address, lanes, bytesOf, byteOf);
  if (!c)
    return;
  const Launch &l = *w.tc->launch;
  Actor self = actorOf(l, w.wg->index, w.id);
  report(w, o, FindingKind::GlobalRace, Severity::Error, c.lanes(), c.address,
         "lanes " + std::to_string(c.one) + " and " + std::to_string(c.other) +
             " of this store leave different bytes at " + hex(c.address) + ", " +
             describeAddress(*l.memory, *l.freed, c.address, 1) + "; nothing says which stay",
         &o, &self);
}
} // namespace

void WorkgroupRaces::access(Wave &w, const Op &o, const VmemLanes &v, unsigned bytes,
                            uint8_t rights) {
  if (whos_.size() > mostWhos_)
    forget();
  size_t index = size_t(&o - w.program->ops.data());
  const Uses &u = w.program->uses[index];
  uint64_t active = u.traits & kIsFlat ? globalOnly(w, v) : v.active;
  if (!active)
    return;
  bool atomic = rights == (kRead | kWrite);
  bool sync =
      atomic || (bytes <= 8 &&
                 ((u.traits & kIsCoherent) ||
                  (rights == kRead && (w.program->polls[index] || w.program->compared[index]))));
  if (sync) {
    if (all_->chains()) {
      // What is read before it is changed: hear, then tell.
      Knowledge::Pointer told = rights & kWrite ? toldBy(w) : nullptr;
      std::lock_guard<std::mutex> lock(all_->mutex_);
      for (uint64_t m = active; m; m &= m - 1) {
        uint64_t address = v.address[__builtin_ctzll(m)];
        if (rights & kRead)
          hear(w, address);
        if (rights & kWrite)
          tell(w, address, told);
      }
    }
    return lanes(w, o, v, active, bytes, rights & kWrite ? Touch::SyncWrite : Touch::SyncRead,
                 nullptr);
  }
  if (rights == kRead)
    return lanes(w, o, v, active, bytes, Touch::Read, nullptr);
  alignas(64) std::byte image[kLanes * kMostBytes];
  const std::byte *data = v.stored ? v.stored : storedBytes(w, o, bytes, image);
  checkClash(w, o, v, active, bytes, data);
  lanes(w, o, v, active, bytes, Touch::Write, data);
}

/// The scalar cache does not see vector stores: what the launch wrote since the wave last emptied
/// it may be old there.
void WorkgroupRaces::checkStale(Wave &w, const Op &o, uint64_t address, unsigned bytes) {
  const Launch &l = *w.tc->launch;
  auto stale = [&](uint32_t op, const Actor &him) {
    report(w, o, FindingKind::StaleScalar, Severity::Error, 0, address,
           "a scalar load reads " + std::to_string(bytes) + " bytes at " + hex(address) + ", " +
               describeAddress(*l.memory, *l.freed, address, bytes) +
               ", which a vector store of this launch wrote: the scalar cache may hold what was "
               "there before; s_dcache_inv is missing",
           &l.program->ops[op], &him);
    return true;
  };
  while (bytes) {
    unsigned first = unsigned(address % kRacePage), n = std::min(bytes, kRacePage - first);
    for (Touch t : {Touch::Write, Touch::SyncWrite})
      pageOf(address / kRacePage)[t].overlapping(first, n, [&](const AccessList::Run &hit) {
        for (uint32_t m = hit.who; m != kNobody; m = whos_[m].also)
          if (whos_[m].stamp > w.watch->scalarFrom)
            return stale(whos_[m].op, actorOf(l, wg_->index, whos_[m].wave));
        return false;
      });
    auto page = all_->chains() ? all_->pages_.find(address / kRacePage) : all_->pages_.end();
    if (page != all_->pages_.end() && w.watch->known)
      for (Touch t : {Touch::Write, Touch::SyncWrite})
        page->second[t].overlapping(first, n, [&](const AccessList::Run &hit) {
          for (uint32_t m = hit.who; m != kNobody; m = all_->whos_[m].also) {
            const GlobalRaces::Who &other = all_->whos_[m];
            auto covers = [&](const Knowledge::Pointer &known) {
              return known && known->covers(other.workgroup, other.wave, other.stamp);
            };
            // What is not known of is a race.
            if (other.workgroup != wg_->index && covers(w.watch->known) &&
                !covers(w.watch->scalarKnown))
              return stale(other.op, actorOf(l, other.workgroup, other.wave));
          }
          return false;
        });
    address += n;
    bytes -= n;
  }
}

namespace {
/// A loop that waits by scalar loads must empty their cache, or it waits for ever.
void checkPoll(Wave &w, const Op &o, uint64_t address, unsigned bytes) {
  auto &polled = w.watch->polled;
  uint64_t value = 0;
  std::memcpy(&value, reinterpret_cast<const void *>(address), bytes);
  const Launch &l = *w.tc->launch;
  if (polled.op == &o && polled.address == address && polled.value != value)
    report(w, o, FindingKind::StaleScalar, Severity::Error, 0, address,
           "a loop waits by scalar loads for " + std::to_string(bytes) + " bytes at " +
               hex(address) + ", " + describeAddress(*l.memory, *l.freed, address, bytes) +
               ", which have changed: the scalar cache may hold what was there in the last round; "
               "s_dcache_inv is missing",
           &o);
  polled.op = &o;
  polled.address = address;
  polled.value = value;
}
} // namespace

void WorkgroupRaces::scalar(Wave &w, const Op &o, uint64_t address, unsigned bytes, Touch touch,
                            const void *data) {
  if (whos_.size() > mostWhos_)
    forget();
  if (touch == Touch::Read && w.tc->launch->config->checkContracts)
    checkStale(w, o, address, bytes);
  size_t index = size_t(&o - w.program->ops.data());
  if (touch == Touch::Read && bytes <= 8 && w.program->polls[index]) {
    if (w.tc->launch->config->checkContracts && !(w.program->uses[index].traits & kIsGlc))
      checkPoll(w, o, address, bytes);
    touch = Touch::SyncRead;
  }
  if (all_->chains() && isSync(touch)) {
    Knowledge::Pointer told = isWrite(touch) ? toldBy(w) : nullptr;
    std::lock_guard<std::mutex> lock(all_->mutex_);
    hear(w, address);
    if (told)
      tell(w, address, told);
  }
  bool polls = touch == Touch::SyncRead;
  const Access a{w, o, touch, whoIs(w, o), polls};
  collect(a, address, bytes, {}, static_cast<const std::byte *>(data));
  record(a);
}

void WorkgroupRaces::hear(Wave &w, uint64_t address) {
  auto it = all_->variables_.find(address);
  if (it != all_->variables_.end())
    w.watch->hearing = Knowledge::joined(w.watch->hearing, it->second);
}

void WorkgroupRaces::tell(Wave &, uint64_t address, const Knowledge::Pointer &told) {
  Knowledge::Pointer &variable = all_->variables_[address];
  variable = Knowledge::joined(variable, told);
  all_->effort_ += variable->size();
  if (all_->between_ && all_->effort_ > GlobalRaces::kMostEffort)
    all_->giveUp(wg_->index);
}

/// What a write tells: what came before the last barrier, but for stores that were outstanding
/// there, and the wave's own accesses that have been waited for. Others compare with what they hear
/// of, so it must be there for them.
Knowledge::Pointer WorkgroupRaces::toldBy(Wave &w) {
  uint32_t own = completedStamp(w);
  if (all_->between_)
    all_->compare(*this);
  if (own == wg_->stamp)
    ++wg_->stamp; // what comes now is not told
  std::vector<uint32_t> stamps = atBarrier_;
  stamps[w.id] = std::max(stamps[w.id], own);
  return Knowledge::told(w.watch->known, wg_->index, stamps);
}

void WorkgroupRaces::acquire(Wave &w, const Knowledge::Pointer &heard) {
  Knowledge::Pointer both = Knowledge::joined(w.watch->known, heard);
  if (both == w.watch->known)
    return;
  if (all_->between_ && all_->chains()) // what it did before it knew
    all_->compare(*this);
  w.watch->known = both;
}

void WorkgroupRaces::writtenBack(uint32_t epoch) {
  for (uint32_t &stamp : atBarrier_)
    stamp = std::max(stamp, epoch - 1);
}

void WorkgroupRaces::barrier() {
  for (const Wave *w : wg_->waves)
    atBarrier_[w->id] = std::max(atBarrier_[w->id], storedStamp(*w));
  Knowledge::Pointer all;
  bool same = true;
  for (const Wave *w : wg_->waves) {
    same &= w->watch->known == wg_->waves[0]->watch->known;
    all = Knowledge::joined(all, w->watch->known);
  }
  if (same)
    return;
  if (all_->between_ && all_->chains())
    all_->compare(*this);
  for (Wave *w : wg_->waves)
    w->watch->known = all;
}

} // namespace tegula::sim
