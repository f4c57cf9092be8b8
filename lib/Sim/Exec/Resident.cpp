#include "Sim/Exec/Resident.h"
#include "Sim/Exec/Launch.h"
#include "Sim/Sanitize/Waits.h"
#include <algorithm>
#include <new>

namespace tegula::sim {

namespace {
constexpr size_t kRowsTogether = 32;
} // namespace

ResidentShape ResidentShape::of(const Launch &l) {
  const Config &config = *l.config;
  uint32_t granule = limitsOf(config.arch).ldsGranule;
  ResidentShape s;
  // Rounded up, so that kernels with a few constants more or less use each other's memory.
  s.rows = (l.program->rowCount() + kRowsTogether - 1) / kRowsTogether * kRowsTogether;
  s.waves = unsigned((l.block.count() + kLanes - 1) / kLanes);
  s.ldsBytes = l.ldsBytes;
  s.ldsAllocated = (l.ldsBytes + granule - 1) / granule * granule;
  s.scratchBytes = l.kernel->scratchBytes;
  s.sanitized = l.program->sanitized;
  s.poison = config.checkUninitialised;
  s.races = config.checkGlobalRaces;
  s.shadow = config.checkLdsRaces || config.checkUninitialised || config.checkWaits;
  return s;
}

Resident::Resident(const ResidentShape &shape) : shape(shape), turns(shape.waves) {
  lds_.resize(shape.ldsAllocated + 16);
  wg.lds = lds_.data();
  wg.ldsBytes = shape.ldsBytes;
  wg.shadow = shape.shadow ? &shadow_ : nullptr;
  wg.poison = shape.poison ? &poison_ : nullptr;
  if (shape.races)
    races_ = std::make_unique<WorkgroupRaces>();
  for (unsigned i = 0; i < shape.waves; ++i) {
    auto s = std::make_unique<Storage>();
    auto release = [](std::byte *b) { ::operator delete[](b, std::align_val_t(64)); };
    size_t bytes = shape.rows * kRowBytes * (shape.poison ? 2 : 1); // rows, then their shadows
    s->rows = {static_cast<std::byte *>(::operator new[](bytes, std::align_val_t(64))), release};
    std::memset(s->rows.get(), 0, bytes);
    s->scratch = ZeroedBytes(size_t(shape.scratchBytes) * kLanes);
    s->wave.rows = s->rows.get();
    s->wave.scratch = s->scratch.data();
    s->wave.scratchBytes = shape.scratchBytes;
    s->wave.sanitized = shape.sanitized;
    if (shape.sanitized) {
      s->watch = std::make_unique<Watch>();
      s->wave.watch = s->watch.get();
      s->watch->poison.delta = uint32_t(shape.rows * kRowBytes);
    }
    wg.waves.push_back(&s->wave);
    storage_.push_back(std::move(s));
  }
}

void Resident::join(const Launch &launch, ThreadContext &context) {
  launch_ = &launch;
  context_ = &context;
  const Program &p = *launch.program;
  for (auto &s : storage_) {
    s->wave.tc = &context;
    if (shape.poison && shadowedVgprs_ != p.vgprs) { // the last one's temporaries lie elsewhere
      std::memset(s->rows.get() + shape.rows * kRowBytes, 0, shape.rows * kRowBytes);
      std::fill(std::begin(s->watch->status), std::end(s->watch->status), uint8_t(0));
    }
    if (!p.constants.empty())
      std::memcpy(s->rows.get() + p.constantOffset(0), p.constants.data(),
                  p.constants.size() * kRowBytes);
  }
  shadowedVgprs_ = p.vgprs;
}

void Resident::start(uint64_t index) {
  wg.index = index;
  wg.id = dimsOf(*launch_, index);
  wg.barriers = 0;
  wg.stamp = wg.epoch = 1;
  rounds = quietFrom = 0;
  std::fill(lds_.begin(), lds_.end(), std::byte{0});
  if (wg.shadow)
    wg.shadow->reset(shape.ldsBytes);
  if (wg.poison)
    wg.poison->reset();
  wg.races = context_->races ? races_.get() : nullptr;
  if (wg.races)
    wg.races->start(context_->races, wg);
  for (unsigned i = 0; i < wg.waves.size(); ++i) {
    startWave(*wg.waves[i], *launch_, wg, i);
    turns[i] = WaveTurn();
  }
}

bool Resident::passBarrier() {
  for (Wave *w : wg.waves)
    if (w->stop != Stop::Barrier && w->stop != Stop::Ended)
      return false;
  if (wg.races) // may move the stamp, which what is outstanding gets next
    wg.races->barrier();
  for (Wave *w : wg.waves)
    if (w->stop == Stop::Barrier) {
      if (w->sanitized) // what the wave had outstanding is ordered after the barrier
        restampAtBarrier(*w);
      w->stop = Stop::Running;
    }
  ++wg.barriers;
  wg.epoch = ++wg.stamp;
  rounds = 0;
  return true;
}

bool Resident::ended() const {
  return std::all_of(wg.waves.begin(), wg.waves.end(),
                     [](const Wave *w) { return w->stop == Stop::Ended; });
}

/// Ended waves count as arrived, so the others go on; but a wave that left before their last
/// barrier is rarely meant to.
void Resident::compareBarriers() {
  for (Wave *w : wg.waves)
    if (w->barriers < wg.barriers)
      report(*w, *(w->pc - 1), FindingKind::BarrierDivergence, Severity::Warning, 0, 0,
             "the wave ended after " + std::to_string(w->barriers) + " barriers, others passed " +
                 std::to_string(wg.barriers));
}

void Resident::finish() {
  compareBarriers();
  if (wg.races)
    wg.races->end();
}

void Resident::addTo(Stats &stats) const {
  for (const Wave *w : wg.waves)
    for (unsigned c = 0; c < w->counts.size(); ++c)
      stats.counts[c] += w->counts[c];
  ++stats.workgroups;
  stats.waves += wg.waves.size();
}

namespace {
uint64_t mixed(uint64_t h, const void *data, size_t bytes) {
  const auto *p = static_cast<const unsigned char *>(data);
  for (size_t i = 0; i + 8 <= bytes; i += 8) {
    uint64_t word;
    std::memcpy(&word, p + i, 8);
    h = (h ^ word) * 0x9e3779b97f4a7c15ull;
    h ^= h >> 32;
  }
  return h;
}
} // namespace

uint64_t Resident::stateOf(unsigned wave) const {
  const Wave &w = *wg.waves[wave];
  const uint64_t rest[] = {reinterpret_cast<uintptr_t>(w.pc), w.scc, w.mode};
  uint64_t h = mixed(1, rest, sizeof rest);
  h = mixed(h, w.s, 128 * sizeof(uint32_t));
  h = mixed(h, w.rows, size_t(w.program->vgprs) * kRowBytes);
  return mixed(h, w.scratch, size_t(w.scratchBytes) * kLanes);
}

std::vector<uint64_t> Resident::states(uint32_t since) const {
  std::vector<uint64_t> all;
  uint64_t shared = mixed(1, wg.lds, lds_.size());
  for (unsigned i = 0; i < wg.waves.size(); ++i) {
    uint64_t stop = uint64_t(wg.waves[i]->stop);
    all.push_back(mixed(stateOf(i), &stop, sizeof stop));
  }
  if (wg.barriers != since)
    shared = mixed(shared, all.data(), all.size() * sizeof all[0]);
  for (uint64_t &state : all)
    state = mixed(state, &shared, sizeof shared);
  return all;
}

} // namespace tegula::sim
