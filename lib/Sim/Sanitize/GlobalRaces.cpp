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
    size_t bytes = 0;
    for (uint32_t i : w.dirty_)
      bytes += w.pages_[i].memory();
    waiting_[index] = {std::move(w.whos_), std::move(w.pages_), std::move(w.dirty_), bytes};
    waitingBytes_ += bytes;
    return;
  }
  compare({index, w.whos_, 1, nullptr}, w.pages_, w.dirty_);
  ++next_;
  for (auto it = waiting_.begin(); it != waiting_.end() && it->first == next_; ++next_) {
    compare({next_, it->second.whos, 1, nullptr}, it->second.pages, it->second.dirty);
    waitingBytes_ -= it->second.bytes;
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
/// Parts of a page that a run covers, and those that it touches.
uint64_t parts(const AccessList::Run &r, bool whole) {
  constexpr unsigned bytes = kRacePage / 64;
  unsigned end = r.first + r.bytes, lo = whole ? (r.first + bytes - 1) / bytes : r.first / bytes;
  unsigned hi = whole ? end / bytes : (end + bytes - 1) / bytes;
  return hi <= lo ? 0 : (hi - lo == 64 ? ~uint64_t(0) : ((uint64_t(1) << (hi - lo)) - 1) << lo);
}
} // namespace

/// Drops authors that later ones have replaced everywhere.
void GlobalRaces::forget() {
  std::vector<uint32_t> to = renumbered(whos_, [&](auto keep) {
    for (auto &[number, page] : pages_)
      for (Touch t : kAllTouches)
        page[t].each([&](const AccessList::Run &r) { keep(r.who); });
  });
  for (auto &[number, page] : pages_)
    page.renumber([&](uint32_t who) { return to[who]; });
  size_t kept = 1;
  for (size_t i = 1; i < whos_.size(); ++i)
    if (to[i]) {
      whos_[kept] = whos_[i];
      whos_[kept++].also = to[whos_[i].also];
    }
  whos_.resize(kept);
  mostWhos_ = std::max(kFewWhos, 2 * kept);
}

/// All of it first, then all is added: the parts of one workgroup don't meet each other here.
void GlobalRaces::compare(const Part &p, std::deque<PageAccesses> &pages,
                          const std::vector<uint32_t> &which) {
  if (whos_.size() > mostWhos_)
    forget();
  numbers_.assign(p.whos.size() - p.first, 0);
  byOp_.clear();
  togetherOf_[0] = kNobody;
  auto fresh = [&](const AccessList::Run &r) { return r.who >= p.first; };
  olds_.clear(); // looked up one right after the other: what the host has to fetch overlaps
  for (uint32_t i : which)
    olds_.push_back(&pages_[pages[i].page]);
  for (size_t k = 0; k < which.size(); ++k) {
    const PageAccesses &page = pages[which[k]];
    PageAccesses &old = *olds_[k];
    old.page = page.page;
    for (Touch t : kAllTouches)
      if (old.touches & conflictsOf(t)) // anything there could be in conflict
        page[t].each([&](const AccessList::Run &r) {
          if (fresh(r))
            compareRun(p, t, page, old, r);
        });
    for (Touch t : kAllTouches)
      if (t == Touch::Read && !chains_)
        mergeReads(p, page, old);
      else
        page[t].each([&](const AccessList::Run &r) {
          if (fresh(r))
            merge(p, t, page, old, r);
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

/// One of those that `mine` stands for and that nothing orders after `other`. What was compared
/// before is left out.
const WorkgroupRaces::Who *GlobalRaces::isUnordered(const Part &p, uint32_t mine,
                                                    const Who &other) const {
  for (uint32_t m = mine; m != kNobody; m = p.whos[m].also)
    if (p.whos[m].origin >= p.first && !ordered(p, p.whos[m], other))
      return &p.whos[m];
  return nullptr;
}
GlobalRaces::Pair GlobalRaces::unordered(const Part &p, uint32_t mine, uint32_t other) const {
  for (uint32_t o = other; o != kNobody; o = whos_[o].also)
    if (const WorkgroupRaces::Who *m = isUnordered(p, mine, whos_[o]))
      return {m, &whos_[o]};
  return {nullptr, nullptr};
}

void GlobalRaces::compareRun(const Part &p, Touch t, const PageAccesses &mine, PageAccesses &old,
                             const AccessList::Run &r) {
  for (Touch earlier : kAllTouches) {
    if (!(conflictsOf(t) & old.touches & bitOf(earlier)))
      continue;
    bool writes = t == Touch::Write && earlier == Touch::Write;
    old[earlier].overlapping(r.first, r.bytes, [&](const AccessList::Run &hit) {
      Pair pair = unordered(p, r.who, hit.who);
      unsigned same = 0;
      if (pair.mine && writes)
        same = equalBytes(&mine.written[hit.first], &old.written[hit.first], hit.bytes);
      if (!pair.mine || same == hit.bytes)
        return false;
      conflict(p, t, earlier, mine, r.who, hit.cut(hit.first + same, hit.end()), pair);
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
  uint64_t key = uint64_t(w.op) << 8 | w.wave;
  if (!chains_) {
    if (auto it = byOp_.find(key); it != byOp_.end())
      return number = it->second;
    whos_.push_back({p.workgroup, w.stamp, w.op, w.wave, kNobody});
    return number = byOp_[key] = uint32_t(whos_.size() - 1);
  }
  uint32_t also = kNobody;
  for (uint32_t m = w.also; m != kNobody; m = p.whos[m].also)
    if (const WorkgroupRaces::Who &o = p.whos[m]; o.origin >= p.first) { // the others are there
      whos_.push_back({p.workgroup, o.stamp, o.op, o.wave, also});
      also = uint32_t(whos_.size() - 1);
    }
  whos_.push_back({p.workgroup, w.stamp, w.op, w.wave, also});
  return number = uint32_t(whos_.size() - 1);
}

/// Who stands for `there` and for `who` (number of `mine`), which wrote the same bytes over it.
uint32_t GlobalRaces::together(const Part &p, uint32_t mine, uint32_t there, uint32_t who) {
  if (togetherOf_[0] == there && togetherOf_[1] == who)
    return togetherOf_[2];
  constexpr size_t most = 16;
  std::vector<Who> all; // a wave's latest, the newest first
  auto add = [&](const Who &w) {
    for (const Who &o : all)
      if (o.workgroup == w.workgroup && o.wave == w.wave)
        return;
    if (all.size() < most)
      all.push_back(w);
  };
  for (uint32_t m = who; m != kNobody; m = whos_[m].also)
    add(whos_[m]);
  for (uint32_t o = there; o != kNobody; o = whos_[o].also)
    if (whos_[o].workgroup == p.workgroup || isUnordered(p, mine, whos_[o]))
      add(whos_[o]);
  uint32_t also = kNobody;
  for (size_t i = all.size(); i-- > 0;) {
    all[i].also = also;
    also = uint32_t(whos_.size());
    whos_.push_back(all[i]);
  }
  togetherOf_[0] = there;
  togetherOf_[1] = who;
  return togetherOf_[2] = also;
}

namespace {
/// The number of an access stands for what it replaces.
uint32_t latest(uint32_t, uint32_t who, unsigned, unsigned) { return who; }
} // namespace

/// Reads, where all workgroups that come later race with any of them: one reader of each byte is
/// enough, and what a loop reads piece by piece is one run.
void GlobalRaces::mergeReads(const Part &p, const PageAccesses &mine, PageAccesses &page) {
  if (mine[Touch::Read].empty() || !~page.read)
    return;
  auto add = [&](const AccessList::Run &r) {
    if (!(parts(r, false) & ~page.read))
      return;
    page.read |= parts(r, true);
    page.add(Touch::Read, r, latest);
  };
  constexpr unsigned most = 4; // rows of a tile, of which a page holds a few
  AccessList::Run open[most];
  unsigned count = 0, next = 0;
  mine[Touch::Read].each([&](const AccessList::Run &r) {
    const uint32_t who = numberOf(p, r.who);
    for (unsigned i = 0; i < count; ++i)
      if (open[i].end() == r.first && open[i].who == who) {
        open[i].bytes = uint16_t(open[i].bytes + r.bytes);
        return;
      }
    if (count == most)
      add(open[next]);
    open[next] = {r.first, r.bytes, LaneRun(), who};
    next = (next + 1) % most;
    count = std::min(count + 1, most);
  });
  for (unsigned i = 0; i < count; ++i)
    add(open[i]);
}

void GlobalRaces::merge(const Part &p, Touch t, const PageAccesses &mine, PageAccesses &page,
                        const AccessList::Run &r) {
  // Reports name the lanes of the later access only.
  AccessList::Run run{r.first, r.bytes, LaneRun(), numberOf(p, r.who)};
  if (t != Touch::Write)
    page.add(t, run, latest);
  else if (!chains_) // all that come later are unordered with either
    page.write(run, &mine.written[run.first], latest);
  else
    page.write(run, &mine.written[run.first],
               [&](uint32_t there, uint32_t who, unsigned first, unsigned bytes) {
                 bool same = equalBytes(&mine.written[first], &page.written[first], bytes) == bytes;
                 return same && unordered(p, r.who, there).mine ? together(p, r.who, there, who)
                                                                : who;
               });
}

void GlobalRaces::conflict(const Part &p, Touch t, Touch earlierTouch, const PageAccesses &mine,
                           uint32_t who, const AccessList::Run &hit, const Pair &pair) {
  Actor me = actorOf(launch_, p.workgroup, pair.mine->wave),
        him = actorOf(launch_, pair.other->workgroup, pair.other->wave);
  uint64_t address = mine.page * kRacePage + hit.first;
  reportAs(me, launch_.program->ops[pair.mine->op], FindingKind::GlobalRace, Severity::Error,
           mine[t].lanesAt(hit.first, who), address,
           describeRace(launch_, t, earlierTouch, address, hit.bytes) + " by workgroup " +
               groupText(him.workgroup) + " wave " + waveText(pair.other->wave) +
               ", and no release and acquire through an atomic orders the two",
           &launch_.program->ops[pair.other->op], pair.other->wave == kAllWaves ? nullptr : &him);
}

void GlobalRaces::giveUp(uint64_t workgroup) {
  between_ = false;
  uncompared_ = "workgroups are not compared for races from workgroup " +
                std::to_string(workgroup) + " on: there are too many synchronising accesses";
}

} // namespace tegula::sim
