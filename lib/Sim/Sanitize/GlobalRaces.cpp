// The launch's side: workgroups against each other.
#include "Sim/Sanitize/GlobalRaces.h"
#include "Sim/Exec/Context.h"
#include "Sim/Sanitize/GlobalRacesParts.h"
#include "Sim/Sanitize/Watch.h"
#include "Sim/State/Text.h"

namespace tegula::sim {

using namespace races;

void GlobalRaces::finish(WorkgroupRaces &w) {
  if (!between_)
    return;
  if (chains_)
    return compare(w);
  std::lock_guard<std::mutex> lock(mutex_);
  uint64_t index = w.wg_->index;
  if (index != next_) {
    waiting_[index] = {std::move(w.whos_), std::move(w.pages_), std::move(w.dirty_)};
    return;
  }
  compare({index, w.whos_, 1, nullptr}, w.pages_, w.dirty_);
  ++next_;
  for (auto it = waiting_.begin(); it != waiting_.end() && it->first == next_; ++next_) {
    compare({next_, it->second.whos, 1, nullptr}, it->second.pages, it->second.dirty);
    it = waiting_.erase(it);
  }
}

void GlobalRaces::compare(WorkgroupRaces &w) {
  if (w.dirty_.empty())
    return;
  compare({w.wg_->index, w.whos_, w.compared_, &w.wg_->waves}, w.pages_, w.dirty_);
  for (uint32_t i : w.dirty_)
    w.pages_[i].dirty = false;
  w.dirty_.clear();
  w.compared_ = uint32_t(w.whos_.size());
  ++w.wg_->stamp; // what comes now has new numbers
}

namespace {
/// Whether anything there could be in conflict with such an access.
bool meets(Touch t, PageAccesses &old) {
  for (Touch earlier : kAllTouches)
    if (conflicting(t, earlier) && !old[earlier].empty())
      return true;
  return false;
}
/// Parts of a page that a run covers, and those that it touches.
uint64_t parts(const AccessList::Run &r, bool whole) {
  constexpr unsigned bytes = kRacePage / 64;
  unsigned end = r.first + r.bytes, lo = whole ? (r.first + bytes - 1) / bytes : r.first / bytes;
  unsigned hi = whole ? end / bytes : (end + bytes - 1) / bytes;
  return hi <= lo ? 0 : (hi - lo == 64 ? ~uint64_t(0) : ((uint64_t(1) << (hi - lo)) - 1) << lo);
}
} // namespace

/// All of it first, then all is added: the parts of one workgroup don't meet each other here.
void GlobalRaces::compare(const Part &p, std::deque<PageAccesses> &pages,
                          const std::vector<uint32_t> &which) {
  numbers_.assign(p.whos.size() - p.first, 0);
  byOp_.clear();
  auto fresh = [&](const AccessList::Run &r) { return r.who >= p.first; };
  for (uint32_t i : which) {
    PageAccesses &page = pages[i];
    auto [it, isNew] = pages_.try_emplace(page.page);
    PageAccesses &old = it->second;
    old.page = page.page;
    for (Touch t : kAllTouches)
      if (!isNew && meets(t, old))
        page[t].each([&](const AccessList::Run &r) {
          if (fresh(r))
            compareRun(p, t, old, r);
        });
    for (Touch t : kAllTouches)
      if (t != Touch::Read || ~old.read)
        page[t].each([&](const AccessList::Run &r) {
          if (fresh(r))
            merge(p, t, old, r);
        });
  }
}

std::string GlobalRaces::lastWriter(uint64_t address) {
  auto it = pages_.find(address / kRacePage);
  uint32_t last = kNobody; // numbers grow
  if (it != pages_.end())
    for (Touch t : {Touch::Write, Touch::SyncWrite})
      it->second[t].overlapping(address % kRacePage, 1, [&](const AccessList::Run &r) {
        last = std::max(last, r.who);
        return false;
      });
  if (last == kNobody)
    return "";
  const Who &w = whos_[last];
  return "workgroup " + groupText(dimsOf(launch_, w.workgroup)) + " wave " + waveText(w.wave) +
         " at " + hex(launch_.program->pc(&launch_.program->ops[w.op]));
}

bool GlobalRaces::ordered(const Part &p, const WorkgroupRaces::Who &mine, const Who &other) const {
  if (other.workgroup == p.workgroup)
    return true;
  if (!chains_)
    return false;
  if (mine.wave == kAllWaves)
    return true; // several readers, of which one may know
  const Knowledge::Pointer &known = (*p.waves)[mine.wave]->watch->known;
  return known && known->covers(other.workgroup, other.wave, other.stamp);
}

void GlobalRaces::compareRun(const Part &p, Touch t, PageAccesses &old, const AccessList::Run &r) {
  const WorkgroupRaces::Who &mine = p.whos[r.who];
  for (Touch earlier : kAllTouches) {
    if (!conflicting(t, earlier) || old[earlier].empty())
      continue;
    bool writes = t == Touch::Write && earlier == Touch::Write;
    old[earlier].overlapping(r.first, r.bytes, [&](const AccessList::Run &hit) {
      const Who &other = whos_[hit.who];
      // Which of two equal values came first depends on the threads.
      if (ordered(p, mine, other) || (writes && (mine.silent || other.silent)))
        return false;
      conflict(p, t, earlier, old.page, r, hit);
      return true;
    });
  }
}

/// Without chains all that a report needs is the workgroup, wave and instruction.
uint32_t GlobalRaces::numberOf(const Part &p, uint32_t who) {
  uint32_t &number = numbers_[who - p.first];
  if (number)
    return number;
  const WorkgroupRaces::Who &w = p.whos[who];
  uint64_t key = uint64_t(w.op) << 8 | w.wave << 1 | w.silent;
  if (!chains_)
    if (auto it = byOp_.find(key); it != byOp_.end())
      return number = it->second;
  number = uint32_t(whos_.size());
  whos_.push_back({p.workgroup, w.stamp, w.op, w.wave, w.silent});
  return number = byOp_[key] = number;
}

void GlobalRaces::merge(const Part &p, Touch t, PageAccesses &page, const AccessList::Run &r) {
  if (t == Touch::Read && !chains_) {
    uint64_t touched = parts(r, false);
    if ((touched & ~page.read) == 0)
      return;
    page.read |= parts(r, true);
  }
  AccessList::Run run = r;
  run.who = numberOf(p, r.who);
  if (t == Touch::Write)
    page[t].replace(run);
  else
    page[t].add(run, [](uint32_t, uint32_t who) { return who; });
}

void GlobalRaces::conflict(const Part &p, Touch t, Touch earlierTouch, uint64_t page,
                           const AccessList::Run &r, const AccessList::Run &hit) {
  const WorkgroupRaces::Who &mine = p.whos[r.who];
  const Who &other = whos_[hit.who];
  Actor me = actorOf(launch_, p.workgroup, mine.wave),
        him = actorOf(launch_, other.workgroup, other.wave);
  uint64_t address = page * kRacePage + hit.first;
  unsigned lane = r.laneOf(hit.first);
  reportAs(me, launch_.program->ops[mine.op], FindingKind::GlobalRace, Severity::Error,
           lane < kLanes ? uint64_t(1) << lane : 0, address,
           describeRace(launch_, t, earlierTouch, address, hit.bytes) + " by workgroup " +
               groupText(him.workgroup) + " wave " + waveText(other.wave) +
               ", and no release and acquire through an atomic orders the two",
           &launch_.program->ops[other.op], &him);
}

} // namespace tegula::sim
