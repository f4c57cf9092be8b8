// Races in global memory. Accesses of one workgroup are compared as they come: its waves are
// ordered by barriers. What a workgroup touched is compared with what others did when it ends, in
// the order of workgroups: so the reports don't depend on the number of threads, and a load costs
// an entry in a list of its page.
//
// A launch in which workgroups can wait for one another (Launch::orderedBy) runs in one thread;
// there a workgroup is compared whenever one of its waves tells others of its accesses (an atomic
// or other write of a synchronising access: release) or hears of theirs (such a read: acquire).
#pragma once

#include "Sim/Sanitize/AccessList.h"
#include "Sim/Sanitize/Knowledge.h"
#include "Sim/State/Wave.h"
#include <atomic>
#include <cstring>
#include <deque>
#include <map>
#include <mutex>
#include <string>
#include <unordered_map>

namespace tegula::sim {

struct Launch;
struct VmemLanes;
class GlobalRaces;

/// How a page was touched.
enum class Touch : uint8_t {
  Read,
  Write,
  SyncRead, ///< these two don't race with one another
  SyncWrite ///< atomics too
};
constexpr unsigned kTouches = 4;
constexpr uint8_t bitOf(Touch t) { return uint8_t(1u << unsigned(t)); }

/// Two writes of the same bytes are no race: replicated layouts make them, and it doesn't matter
/// which comes last. All who wrote so stand together (Who::also) until a later write is ordered
/// behind them: who reads, or writes other bytes, must be ordered behind each of them.
struct alignas(64) PageAccesses {
  uint64_t page = 0;   ///< address / kRacePage
  uint32_t number = 0; ///< of the workgroup's pages
  bool dirty = false;
  uint8_t touches = 0; ///< bits of those that there are
  /// Of its 64 parts, those whose every byte has a reader: no more are needed where all workgroups
  /// that come later race with any.
  uint64_t read = 0;
  AccessList list[kTouches];
  std::unique_ptr<std::byte[]> written; ///< what Touch::Write left there
  const AccessList &operator[](Touch t) const { return list[unsigned(t)]; }
  /// An access that leaves nothing; `merge` as in AccessList::add.
  template <class M> void add(Touch t, const AccessList::Run &r, M merge) {
    touches |= bitOf(t);
    list[unsigned(t)].add(r, merge);
  }
  /// A write of `data`; `merge` as in AccessList::replace.
  template <class M> void write(const AccessList::Run &r, const std::byte *data, M merge) {
    touches |= bitOf(Touch::Write);
    list[unsigned(Touch::Write)].replace(r, merge);
    if (!written)
      written.reset(new std::byte[kRacePage]);
    std::memcpy(&written[r.first], data, r.bytes);
  }
  size_t memory() const {
    size_t bytes = sizeof(PageAccesses) + (written ? kRacePage : 0);
    for (const AccessList &l : list)
      bytes += l.memory();
    return bytes;
  }
  /// New numbers, as f(number) says.
  template <class F> void renumber(F f) {
    for (AccessList &l : list)
      l.renumber(f);
  }
  void clear() {
    dirty = false;
    touches = 0;
    read = 0;
    for (AccessList &l : list)
      l.clear();
  }
};

/// Numbers of a table of authors that are kept before those in use are sought: waves that poll make
/// new ones without end.
constexpr size_t kFewWhos = size_t(1) << 16;

/// What one workgroup touched.
class WorkgroupRaces {
public:
  void start(GlobalRaces *, Workgroup &);
  /// Before a vector access by v.active is made.
  void access(Wave &, const Op &, const VmemLanes &, unsigned bytes, uint8_t rights);
  /// Before a scalar one; `data`: what a write will leave.
  void scalar(Wave &, const Op &, uint64_t address, unsigned bytes, Touch,
              const void *data = nullptr);
  /// The wave has waited for a synchronising read that brought this.
  void acquire(Wave &, const Knowledge::Pointer &);
  /// The live waves have met.
  void barrier();
  /// One has waited for buffer_wbl2, which stores of the workgroup from before the barrier that
  /// began `epoch` cannot be overtaken by: the compute unit's requests stay in order.
  void writtenBack(uint32_t epoch);
  /// All of it is compared with the other workgroups'.
  void end();
  bool chains() const; ///< workgroups can wait for one another

private:
  friend class GlobalRaces;
  struct Who {
    uint32_t stamp, op;
    uint8_t wave;
    uint32_t also = kNobody;   ///< who wrote the same bytes, unordered with this one
    uint32_t origin = kNobody; ///< the number that this one had alone
  };
  /// One access as its parts see it.
  struct Access {
    Wave &w;
    const Op &o;
    Touch touch;
    uint32_t who;
    bool polls;
    const VmemLanes *v = nullptr; ///< of vector accesses
    unsigned width = 0;           ///< bytes of a lane
    uint64_t lanesAt(uint64_t address) const;
    mutable uint32_t mergedFrom = 0, mergedTo = 0; ///< what merged() or together() made last
  };
  uint32_t whoIs(const Wave &, const Op &);
  void forget();
  PageAccesses &pageOf(uint64_t page);
  void lanes(Wave &, const Op &, const VmemLanes &, uint64_t lanes, unsigned bytes, Touch,
             const std::byte *data);
  /// A part of an access that lies in one page.
  struct Piece {
    PageAccesses *page;
    AccessList::Run run;
    const std::byte *data; ///< of writes
  };
  /// All parts of an access are collected before record(), so that the memory of their pages is on
  /// its way by the time it is looked at.
  void collect(const Access &, uint64_t address, unsigned bytes, LaneRun, const std::byte *data);
  void record(const Access &);
  uint32_t merged(const Access &, uint32_t there, uint32_t who);
  uint32_t together(const Access &, uint32_t there);
  void compare(const Access &, PageAccesses &, const AccessList::Run &, const std::byte *data);
  void conflict(const Access &, Touch earlier, uint64_t page, const AccessList::Run &hit,
                const Who &);
  bool ordered(const Wave &, const Who &) const;
  const Who *unordered(const Wave &, uint32_t who) const;
  void checkStale(Wave &, const Op &, uint64_t address, unsigned bytes);
  /// Around synchronising accesses to `address`, where workgroups can wait for one another. Under
  /// the lock: Config::unorderedThreads has several threads there.
  void hear(Wave &, uint64_t address);
  void tell(Wave &, uint64_t address, const Knowledge::Pointer &);
  Knowledge::Pointer toldBy(Wave &);

  GlobalRaces *all_ = nullptr;
  Workgroup *wg_ = nullptr;
  /// Up to which stamp each wave's accesses count as done before the last barrier. Within the
  /// workgroup a barrier orders its stores even if they are outstanding: its waves use one cache.
  std::vector<uint32_t> atBarrier_;
  std::vector<Who> whos_;      ///< 0 = kNobody
  size_t mostWhos_ = kFewWhos; ///< when to forget() those that no list has any more
  struct Recent {
    uint32_t op = ~0u, stamp = 0, id = 0;
    uint8_t wave = 0;
  };
  Recent recent_[256];
  std::deque<PageAccesses> pages_; ///< the first `used_`; the others are kept for their memory
  uint32_t used_ = 0;
  std::unordered_map<uint64_t, uint32_t> index_;
  struct Found {
    uint64_t page = ~0ull;
    PageAccesses *accesses = nullptr;
  };
  Found found_[512];            ///< of the pages of a tile's rows, several do not share a place
  std::vector<Piece> pieces_;   ///< of the access under way
  std::vector<uint32_t> dirty_; ///< pages touched since the last comparison with other workgroups
  uint32_t compared_ = 1;       ///< numbers below have been compared
};

/// Of a launch.
class GlobalRaces {
public:
  /// `between`: workgroups are compared too. `chains`: in the order of execution, by what they
  /// know.
  GlobalRaces(const Launch &launch, bool between, bool chains, const char *uncompared)
      : launch_(launch), between_(between), chains_(chains), uncompared_(uncompared) {}

  bool chains() const { return chains_; }
  /// A workgroup has ended; it may be an earlier one's turn.
  void finish(WorkgroupRaces &);
  /// The last write of the byte that is known of, by a workgroup that has told: "workgroup (…) wave
  /// 0 at 0x…". Empty if there is none.
  std::string lastWriter(uint64_t address);
  /// Compares what the workgroup touched since the last time, and adds it.
  void compare(WorkgroupRaces &);
  /// Workgroups that ended early wait for their turn in so much memory that no more should start.
  bool crowded() const { return waitingBytes_.load(std::memory_order_relaxed) > kMostWaiting; }
  /// Why workgroups were not, or not all, compared with each other; empty if they were.
  std::string uncompared() const { return uncompared_; }

private:
  friend class WorkgroupRaces;
  struct Who {
    uint64_t workgroup;
    uint32_t stamp, op;
    uint8_t wave;
    uint32_t also; ///< as in WorkgroupRaces::Who
  };
  /// A finished workgroup whose turn has not come.
  struct Waiting {
    std::vector<WorkgroupRaces::Who> whos;
    std::deque<PageAccesses> pages;
    std::vector<uint32_t> dirty;
    size_t bytes;
  };
  struct Part {
    uint64_t workgroup;
    const std::vector<WorkgroupRaces::Who> &whos;
    uint32_t first;                   ///< numbers below belong to earlier parts
    const std::vector<Wave *> *waves; ///< of chains
  };
  void compare(const Part &, std::deque<PageAccesses> &, const std::vector<uint32_t> &which);
  struct Pair {
    const WorkgroupRaces::Who *mine;
    const Who *other;
  };
  void forget();
  void compareRun(const Part &, Touch, const PageAccesses &mine, PageAccesses &old,
                  const AccessList::Run &);
  void merge(const Part &, Touch, const PageAccesses &mine, PageAccesses &,
             const AccessList::Run &);
  void mergeReads(const Part &, const PageAccesses &mine, PageAccesses &);
  bool ordered(const Part &, const WorkgroupRaces::Who &, const Who &) const;
  const WorkgroupRaces::Who *isUnordered(const Part &, uint32_t mine, const Who &other) const;
  Pair unordered(const Part &, uint32_t mine, uint32_t other) const;
  uint32_t numberOf(const Part &, uint32_t who);
  uint32_t together(const Part &, uint32_t mine, uint32_t there, uint32_t who);
  void conflict(const Part &, Touch, Touch earlier, const PageAccesses &mine, uint32_t who,
                const AccessList::Run &hit, const Pair &);

  const Launch &launch_;
  bool between_;
  const bool chains_;
  std::mutex mutex_;
  std::vector<Who> whos_{Who{}};
  size_t mostWhos_ = kFewWhos;
  std::unordered_map<uint64_t, PageAccesses> pages_;
  std::unordered_map<uint64_t, Knowledge::Pointer> variables_; ///< by address
  std::map<uint64_t, Waiting> waiting_;
  std::atomic<size_t> waitingBytes_{0};
  static constexpr size_t kMostWaiting = size_t(256) << 20;
  std::string uncompared_;
  void giveUp(uint64_t workgroup);
  uint64_t next_ = 0; ///< workgroup whose turn it is
  /// Knowledge that was joined, in entries. Programs that synchronise without end (a histogram by
  /// returning atomics) would make it the larger part of their time.
  size_t effort_ = 0;
  static constexpr size_t kMostEffort = size_t(1) << 26;
  std::vector<PageAccesses *> olds_; ///< of the pages that are compared
  std::vector<uint32_t> numbers_;    ///< of the part's whos from its first on, 0 = none yet
  std::unordered_map<uint64_t, uint32_t> byOp_;
  uint32_t togetherOf_[3] = {}; ///< there, who, and what together() made of them last
};

} // namespace tegula::sim
