#include "Sim/Sanitize/LdsShadow.h"
#include "Sim/Exec/Context.h"
#include "Sim/Sanitize/Clash.h"
#include "Sim/Sanitize/GlobalRaces.h"
#include "Sim/Sanitize/Waits.h"
#include "Sim/Sanitize/Watch.h"
#include "Sim/State/Text.h"
#include <algorithm>
#include <cstdio>
#include <utility>

namespace tegula::sim {

void LdsShadow::reset(uint32_t ldsBytes) {
  size_t dwords = (ldsBytes + 3) / 4;
  write.assign(dwords, 0);
  read.assign(dwords, 0);
  flight.assign(dwords, 0);
  writer.assign(dwords, 0);
  reader.assign(dwords, 0);
  split.clear();
  sharers.clear();
  variables.clear();
  unwritten = false;
}

namespace {
uint32_t stampOf(const Wave &w) { return w.wg->stamp << 6 | w.id; }
uint32_t indexOf(const Wave &w, const Op &o) { return uint32_t(&o - w.program->ops.data()); }
const Op *opAt(const Wave &w, uint32_t index) { return &w.program->ops[index]; }

/// Ordered before an access of wave `w` now: by a barrier, its own, or known of.
bool ordered(uint32_t cell, const Wave &w) {
  if ((cell >> 6) < w.wg->epoch || (cell & 31) == w.id)
    return true;
  const Knowledge::Pointer &known = w.watch->known;
  if (!known || cell >= LdsShadow::kSync)
    return false;
  // Of several readers, or writers of the same, one may be known.
  return (cell & 31) >= LdsShadow::kSameWriters || known->covers(w.wg->index, cell & 31, cell >> 6);
}

std::string who(const Wave &w, uint32_t cell, const Op *op) {
  char text[96];
  unsigned wave = cell & 31;
  std::string name =
      wave >= LdsShadow::kSameWriters ? "several waves" : "wave " + std::to_string(wave);
  std::snprintf(text, sizeof text, "%s%s0x%x", name.c_str(), op ? " at " : "",
                op ? w.program->pc(op) : 0);
  return text;
}

/// One checked access; `lane` and `address` are for the report.
struct Access {
  Wave &w;
  const Op &o;
  unsigned lane;
  uint32_t address;
  const LdsData *data = nullptr; ///< of writes
};

/// Two waves that write the same bytes are no conflict: replicated layouts do it.
bool sameValue(const Access &a, uint32_t address, unsigned bytes) {
  const LdsData &d = *a.data;
  for (unsigned b = 0; b < bytes; ++b) {
    uint32_t offset = address + b - d.address[a.lane];
    uint32_t word = d.dword[offset / 4 * d.dwordStride + a.lane * d.laneStride] >> d.shift;
    if (std::byte(word >> (8 * (offset % 4))) != a.w.wg->lds[address + b])
      return false;
  }
  return true;
}

/// A conflict with the wave that a cell names, if it names one.
void conflict(const Access &a, FindingKind kind, Severity severity, uint32_t cell,
              const std::string &detail, const Op *earlier) {
  Actor other{a.w.tc->launch, a.w.wg->index, a.w.wg->id, cell & 31};
  bool isOne = other.wave < LdsShadow::kSameWriters;
  report(a.w, a.o, kind, severity, uint64_t(1) << a.lane, a.address, detail, earlier,
         isOne ? &other : nullptr);
}

void race(const Access &a, const char *what, uint32_t cell, const Op *earlier) {
  if (!a.w.tc->launch->config->checkLdsRaces)
    return;
  conflict(a, FindingKind::LdsRace, Severity::Error, cell,
           "LDS byte " + std::to_string(a.address) + " is " + what + " by " +
               who(a.w, cell, earlier) + " and no wait and barrier orders the two",
           earlier);
}

/// Whether waves that read a dword may be known one by one.
bool remembersReaders(const Wave &w) { return w.program->ldsWaits && w.wg->waves.size() > 1; }

struct Writer {
  uint32_t cell;
  const Op *op;
};
/// Who wrote what `cell` says; of several that wrote the same, another wave.
Writer writerOf(const Wave &w, const LdsShadow &s, uint32_t i, uint32_t cell) {
  uint32_t others = s.flight[i] & 0xffff & ~(1u << w.id);
  if (cell >= LdsShadow::kSync || (cell & 31) != LdsShadow::kSameWriters || !others)
    return {cell, opAt(w, s.writer[i])};
  unsigned wave = unsigned(__builtin_ctz(others));
  auto ops = s.sharers.find(i);
  uint32_t op = ops == s.sharers.end() ? s.writer[i] : ops->second[wave];
  return {(cell & ~uint32_t(31)) | wave, opAt(w, op)};
}

/// Reports bytes that may not be used now.
void checkWritten(const Access &a, const Writer &writer, bool isRead) {
  uint32_t cell = writer.cell;
  if (cell == LdsShadow::kInFlight) {
    if (a.w.tc->launch->config->checkWaits)
      report(a.w, a.o, FindingKind::UseBeforeWait, Severity::Error, uint64_t(1) << a.lane,
             a.address,
             "LDS byte " + std::to_string(a.address) + " is " + (isRead ? "read" : "overwritten") +
                 " while a load to LDS is outstanding; it needs the issuing wave's s_waitcnt vmcnt "
                 "and then a barrier",
             writer.op);
    return;
  }
  if (cell == 0) {
    a.w.wg->shadow->unwritten |= isRead;
    return;
  }
  if (!ordered(cell, a.w))
    race(a, isRead ? "read here but was written" : "written here and", cell, writer.op);
}

/// Whether the wave is one of several that wrote the same bytes.
bool isOneOf(const Wave &w, const LdsShadow &s, uint32_t i, uint32_t cell) {
  return cell < LdsShadow::kSync && (cell & 31) == LdsShadow::kSameWriters &&
         (s.flight[i] >> w.id & 1);
}

/// Turns a dword into per-byte cells.
LdsShadow::Split &splitCell(LdsShadow &s, uint32_t i) {
  LdsShadow::Split &split = s.split[i];
  if (s.write[i] != LdsShadow::kSplit) // an entry of an earlier life of the dword does not count
    for (uint32_t &cell : split.write)
      cell = s.write[i];
  s.write[i] = LdsShadow::kSplit;
  return split;
}

/// A read by the wave that `stamp` names; `from`: reads of earlier epochs don't matter.
void markReader(const Wave &w, LdsShadow &s, uint32_t i, uint32_t from, uint32_t stamp,
                uint32_t op) {
  uint32_t old = s.read[i];
  bool others = old >> 6 >= from && (old & 31) != w.id;
  if (others && remembersReaders(w)) {
    size_t bytes = s.read.size() * sizeof(LdsShadow::Readers);
    if (s.readers.size() < bytes)
      s.readers = ZeroedBytes(bytes);
    LdsShadow::Readers &all = s.readersOf(i);
    if ((old & 31) != LdsShadow::kManyReaders) {
      all.fill({});
      all[old & 31] = {old, s.reader[i]};
    }
    all[w.id] = {stamp, op};
  }
  s.read[i] = others ? stamp | LdsShadow::kManyReaders : stamp;
  s.reader[i] = op;
}
/// The last read, or of several one that doesn't come before what the wave does now.
LdsShadow::Reader readerOf(const Wave &w, const LdsShadow &s, uint32_t i) {
  uint32_t cell = s.read[i];
  bool several = (cell & 31) == LdsShadow::kManyReaders && cell >> 6 >= w.wg->epoch;
  if (!several || !remembersReaders(w))
    return {cell, s.reader[i]};
  for (const LdsShadow::Reader &r : s.readersOf(i))
    if (r.cell && !ordered(r.cell, w))
      return r;
  return {};
}

/// Waves learn of each other by the dword, now. One that was a variable before a barrier is one no
/// longer.
bool isVariable(const Wave &w, LdsShadow &s, uint32_t i) {
  if (s.write[i] != LdsShadow::kSync)
    return false;
  if (s.variables[i].barriers == w.wg->barriers)
    return true;
  s.write[i] = LdsShadow::kManyReaders; // written, and before everything
  return false;
}
void hear(Wave &w, LdsShadow &s, uint32_t i) {
  w.watch->hearing = Knowledge::joined(w.watch->hearing, s.variables[i].told);
}
/// The wave's accesses are known to who hears of the dword. LDS works in order.
void tell(Wave &w, LdsShadow &s, uint32_t i) {
  LdsShadow::Variable &variable = s.variables[i];
  uint32_t before = s.write[i] == LdsShadow::kSync ? variable.cell : s.write[i];
  bool others = before != 0 && before < LdsShadow::kSync && !ordered(before, w);
  variable.cell = stampOf(w) | (others ? LdsShadow::kManyReaders : 0);
  Knowledge::Pointer &told = variable.told;
  told = Knowledge::joined(told, Knowledge::told(w.watch->known, w.wg->index, w.id, w.wg->stamp));
  variable.barriers = w.wg->barriers;
  s.write[i] = LdsShadow::kSync;
  s.told = true;
}

/// A read in a loop that waits: whoever wrote the flag is known from now on, and may write it
/// again.
void pollDword(const Access &a, LdsShadow &s, uint32_t i) {
  uint32_t cell = s.write[i];
  if (cell == 0 || cell == LdsShadow::kInFlight) {
    checkWritten(a, writerOf(a.w, s, i, cell), true);
  } else if (isVariable(a.w, s, i)) {
    hear(a.w, s, i);
  } else if (cell < LdsShadow::kSync && !ordered(cell, a.w)) {
    unsigned last = cell & 31;
    uint32_t waves = last == LdsShadow::kSameWriters ? s.flight[i] & 0xffff : 1u << last;
    for (; waves; waves &= waves - 1) {
      unsigned wave = unsigned(__builtin_ctz(waves));
      Knowledge::Pointer writer = Knowledge::told(nullptr, a.w.wg->index, wave, cell >> 6);
      a.w.watch->hearing = Knowledge::joined(a.w.watch->hearing, writer);
    }
  }
}

void readDword(const Access &a, LdsShadow &s, uint32_t i, unsigned firstByte, unsigned bytes) {
  if (isVariable(a.w, s, i)) {
    if (!ordered(s.variables[i].cell, a.w))
      checkWritten(a, {s.variables[i].cell, opAt(a.w, s.writer[i])}, true);
    markReader(a.w, s, i, a.w.wg->epoch, stampOf(a.w), indexOf(a.w, a.o));
    return hear(a.w, s, i);
  }
  uint32_t cell = s.write[i];
  if (cell == LdsShadow::kSplit) {
    LdsShadow::Split &split = s.split[i];
    for (unsigned b = firstByte; b < firstByte + bytes; ++b)
      checkWritten({a.w, a.o, a.lane, i * 4 + b}, writerOf(a.w, s, i, split.write[b]), true);
  } else if (cell == 0 || !ordered(cell, a.w)) {
    checkWritten({a.w, a.o, a.lane, i * 4 + firstByte}, writerOf(a.w, s, i, cell), true);
  }
  markReader(a.w, s, i, a.w.wg->epoch, stampOf(a.w), indexOf(a.w, a.o));
}

void checkReaders(const Access &a, LdsShadow &s, uint32_t i, bool dma) {
  auto [cell, op] = readerOf(a.w, s, i);
  if (cell == 0 || ordered(cell, a.w))
    return;
  // A read that was outstanding at the barrier still comes first on silicon when the overwriting is
  // an LDS instruction, because LDS works in order; a load to LDS has no such order.
  if ((cell & LdsShadow::kRestamped) && !dma)
    conflict(a, FindingKind::LdsOrder, Severity::Warning, cell,
             "LDS byte " + std::to_string(a.address) +
                 " is overwritten after a barrier at which the read by " +
                 who(a.w, cell, opAt(a.w, op)) + " was outstanding",
             opAt(a.w, op));
  else
    race(a, "overwritten here and read", cell, opAt(a.w, op));
}

uint32_t flightOf(const Wave &w) { return w.wg->barriers << 16 | 1u << w.id; }

/// A load to LDS that brings what another wave's outstanding one brings, as replicated layouts do:
/// issued between the same barriers, so that no wait of the program lies between the two.
bool joinsFlight(const Access &a, const LdsShadow &s, uint32_t i) {
  uint32_t before = s.flight[i], mine = flightOf(a.w);
  return s.write[i] == LdsShadow::kInFlight && before >> 16 == mine >> 16 &&
         !(before & mine & 0xffff) && sameValue(a, i * 4, 4);
}

/// What `cell` becomes. Waves that write the same bytes stand together, so that what one of them
/// writes or another reads later must be ordered behind each.
uint32_t overwrite(const Access &a, LdsShadow &s, uint32_t i, uint32_t cell, unsigned bytes,
                   uint32_t stamp) {
  if (cell == 0 || ordered(cell, a.w))
    return stamp;
  if (cell == LdsShadow::kInFlight || !sameValue(a, a.address, bytes)) {
    checkWritten(a, writerOf(a.w, s, i, cell), false);
    return stamp;
  }
  unsigned wave = cell & 31;
  if (stamp == LdsShadow::kInFlight || wave == LdsShadow::kManyReaders)
    return stamp;
  bool joins = wave == LdsShadow::kSameWriters;
  s.flight[i] = (joins ? s.flight[i] & 0xffff : 1u << wave) | 1u << a.w.id;
  auto ops = s.sharers.find(i);
  if (ops != s.sharers.end() && !joins) {
    s.sharers.erase(ops);
    ops = s.sharers.end();
  }
  uint32_t op = indexOf(a.w, a.o);
  if (ops == s.sharers.end() && s.writer[i] != op)
    s.sharers[i].fill(s.writer[i]);
  if (s.writer[i] != op)
    s.sharers[i][a.w.id] = op;
  return (stamp & ~uint32_t(31)) | LdsShadow::kSameWriters;
}

void writeDword(const Access &a, LdsShadow &s, uint32_t i, unsigned firstByte, unsigned bytes,
                uint32_t stamp) {
  bool dma = stamp == LdsShadow::kInFlight;
  if (isVariable(a.w, s, i)) {
    if (!dma)
      return tell(a.w, s, i);
    s.write[i] = s.variables[i].cell; // a load to LDS does not synchronise
  }
  checkReaders(a, s, i, dma);
  if (dma && joinsFlight(a, s, i)) {
    s.flight[i] |= flightOf(a.w);
    return;
  }
  if (dma)
    s.flight[i] = flightOf(a.w);
  uint32_t cell = s.write[i];
  bool whole = bytes == 4;
  if (whole && cell != LdsShadow::kSplit) {
    s.write[i] = overwrite(a, s, i, cell, 4, stamp);
  } else {
    LdsShadow::Split &split = splitCell(s, i);
    for (unsigned b = firstByte; b < firstByte + bytes; ++b)
      split.write[b] =
          overwrite({a.w, a.o, a.lane, i * 4 + b, a.data}, s, i, split.write[b], 1, stamp);
    const uint32_t *c = split.write;
    if (c[0] == c[1] && c[0] == c[2] && c[0] == c[3]) { // one author again
      s.write[i] = c[0];
      s.split.erase(i);
    }
  }
  s.writer[i] = indexOf(a.w, a.o);
}

/// Calls f(lane, dword, first byte, bytes) for each dword that the lanes touch.
template <class F> void eachDword(const uint32_t *address, uint64_t lanes, unsigned bytes, F f) {
  for (uint64_t m = lanes; m; m &= m - 1) {
    unsigned lane = unsigned(__builtin_ctzll(m));
    for (uint32_t at = address[lane], end = at + bytes; at < end;) {
      unsigned first = at & 3, n = std::min(4 - first, end - at);
      f(lane, at / 4, first, n);
      at += n;
    }
  }
}
// --- The usual case: whole dwords that may be used. Runs of neighbouring dwords, four at a time.
#if defined(__clang__)
#define TEGULA_BY_FOUR _Pragma("clang loop vectorize_width(4) interleave(disable)")
#else
#define TEGULA_BY_FOUR _Pragma("GCC ivdep")
#endif

/// Calls f(first lane, dword, count) for runs of neighbouring dwords in ascending lanes.
template <class F> void eachRun(const uint32_t *address, uint64_t lanes, unsigned bytes, F f) {
  while (lanes) {
    unsigned lane = unsigned(__builtin_ctzll(lanes)), first = lane;
    uint32_t start = address[lane], end = start;
    do {
      end += bytes;
      lanes &= ~(uint64_t(1) << lane);
      ++lane;
    } while (lane < kLanes && (lanes >> lane & 1) && address[lane] == end);
    f(first, start / 4, (end - start) / 4);
  }
}
bool wholeDwords(const uint32_t *address, uint64_t lanes, unsigned bytes) {
  uint32_t low = bytes;
  for (unsigned l = 0; l < kLanes; ++l)
    low |= address[l];
  if (low % 4 == 0)
    return true;
  low = bytes;
  for (uint64_t m = lanes; m; m &= m - 1)
    low |= address[__builtin_ctzll(m)];
  return low % 4 == 0;
}
/// Written, and ordered before wave `id` in `epoch`; the special cells fail by their epoch.
bool readable(const uint32_t *cell, unsigned n, uint32_t epoch, uint32_t id) {
  uint32_t bad = 0;
  TEGULA_BY_FOUR
  for (unsigned k = 0; k < n; ++k)
    bad |=
        uint32_t(cell[k] == 0) | (uint32_t(cell[k] >> 6 >= epoch) & uint32_t((cell[k] & 31) != id));
  return bad == 0;
}
/// Ordered before wave `id` in `epoch`, or never touched.
bool writable(const uint32_t *cell, unsigned n, uint32_t epoch, uint32_t id) {
  uint32_t bad = 0;
  TEGULA_BY_FOUR
  for (unsigned k = 0; k < n; ++k)
    bad |= uint32_t(cell[k] >> 6 >= epoch) & uint32_t((cell[k] & 31) != id);
  return bad == 0;
}
void markRead(uint32_t *cell, unsigned n, uint32_t epoch, uint32_t stamp) {
  TEGULA_BY_FOUR
  for (unsigned k = 0; k < n; ++k)
    cell[k] = cell[k] >> 6 >= epoch && (cell[k] & 31) != (stamp & 31)
                  ? stamp | LdsShadow::kManyReaders
                  : stamp;
}
void fill(uint32_t *cell, unsigned n, uint32_t v) {
  TEGULA_BY_FOUR
  for (unsigned k = 0; k < n; ++k)
    cell[k] = v;
}
// The same for the four dwords of one lane each, in any order of lanes: a swizzled tile has no
// runs.
using Four = uint32_t __attribute__((vector_size(16)));
Four load(const uint32_t *cell) {
  Four v;
  std::memcpy(&v, cell, sizeof v);
  return v;
}
void store(uint32_t *cell, Four v) { std::memcpy(cell, &v, sizeof v); }
template <class F> void eachLane(const uint32_t *address, uint64_t lanes, F f) {
  if (lanes == ~uint64_t(0))
    for (unsigned l = 0; l < kLanes; ++l)
      f(address[l] / 4);
  else
    for (uint64_t m = lanes; m; m &= m - 1)
      f(address[__builtin_ctzll(m)] / 4);
}
bool none(Four v) { return (v[0] | v[1] | v[2] | v[3]) == 0; }
/// All ones where a cell is not ordered before wave `id` in the epoch that begins with stamp
/// `from`.
Four unordered(Four cell, uint32_t from, uint32_t id) {
  return Four(cell >= from) & Four((cell & 31) != id);
}
bool readableByLane(const std::vector<uint32_t> &cells, const uint32_t *address, uint64_t lanes,
                    uint32_t from, uint32_t id) {
  Four bad = {};
  eachLane(address, lanes, [&](uint32_t i) {
    Four cell = load(&cells[i]);
    bad |= Four(cell == 0) | unordered(cell, from, id);
  });
  return none(bad);
}
bool writableByLane(const LdsShadow &s, const uint32_t *address, uint64_t lanes, uint32_t from,
                    uint32_t id) {
  Four bad = {};
  eachLane(address, lanes, [&](uint32_t i) {
    bad |= unordered(load(&s.write[i]), from, id) | unordered(load(&s.read[i]), from, id);
  });
  return none(bad);
}
void markReadByLane(LdsShadow &s, const uint32_t *address, uint64_t lanes, uint32_t from,
                    uint32_t stamp, uint32_t op) {
  const Four ops = Four{} + op;
  eachLane(address, lanes, [&](uint32_t i) {
    Four several = unordered(load(&s.read[i]), from, stamp & 31);
    store(&s.read[i], (several & LdsShadow::kManyReaders) | stamp);
    store(&s.reader[i], ops);
  });
}

void writeWhole(Wave &w, const Op &o, const LdsData &data, uint64_t lanes, unsigned bytes,
                uint32_t stamp) {
  LdsShadow &s = *w.wg->shadow;
  uint32_t epoch = w.wg->epoch, op = indexOf(w, o);
  if (bytes == 16 && stamp != LdsShadow::kInFlight &&
      writableByLane(s, data.address, lanes, epoch << 6, w.id)) {
    const Four stamps = Four{} + stamp, ops = Four{} + op;
    return eachLane(data.address, lanes, [&](uint32_t i) {
      store(&s.write[i], stamps);
      store(&s.writer[i], ops);
    });
  }
  eachRun(data.address, lanes, bytes, [&](unsigned lane, uint32_t i, unsigned n) {
    if (writable(&s.read[i], n, epoch, w.id) && writable(&s.write[i], n, epoch, w.id)) {
      fill(&s.write[i], n, stamp);
      fill(&s.writer[i], n, op);
      if (stamp == LdsShadow::kInFlight)
        fill(&s.flight[i], n, flightOf(w));
      return;
    }
    for (unsigned k = 0; k < n; ++k)
      writeDword({w, o, lane + k * 4 / bytes, (i + k) * 4, &data}, s, i + k, 0, 4, stamp);
  });
}

/// An access to one word of LDS that the program may wait for elsewhere. Waves that set it don't
/// race with one another.
bool isFlag(const Wave &w, const Op &o, const uint32_t *address, uint64_t lanes, unsigned bytes) {
  if (!lanes || bytes > 8 || !w.program->flags[indexOf(w, o)])
    return false;
  uint32_t odd = 0, at = address[__builtin_ctzll(lanes)];
  for (uint64_t m = lanes; m; m &= m - 1)
    odd |= address[__builtin_ctzll(m)] ^ at;
  return odd == 0;
}
} // namespace

void shadowRead(Wave &w, const Op &o, const uint32_t *address, uint64_t lanes, unsigned bytes) {
  LdsShadow &s = *w.wg->shadow;
  if (isFlag(w, o, address, lanes, bytes) || (w.program->polls[indexOf(w, o)] && bytes <= 8))
    return eachDword(address, lanes, bytes,
                     [&](unsigned lane, uint32_t i, unsigned first, unsigned) {
                       pollDword({w, o, lane, i * 4 + first}, s, i);
                     });
  if (!wholeDwords(address, lanes, bytes)) {
    eachDword(address, lanes, bytes, [&](unsigned lane, uint32_t i, unsigned first, unsigned n) {
      readDword({w, o, lane, i * 4 + first}, s, i, first, n);
    });
    return;
  }
  uint32_t epoch = w.wg->epoch, stamp = stampOf(w), op = indexOf(w, o);
  bool remembers = remembersReaders(w);
  if (bytes == 16 && !remembers && readableByLane(s.write, address, lanes, epoch << 6, w.id))
    return markReadByLane(s, address, lanes, epoch << 6, stamp, op);
  eachRun(address, lanes, bytes, [&](unsigned lane, uint32_t i, unsigned n) {
    if (readable(&s.write[i], n, epoch, w.id) &&
        (!remembers || writable(&s.read[i], n, epoch, w.id))) {
      markRead(&s.read[i], n, epoch, stamp);
      fill(&s.reader[i], n, op);
      return;
    }
    for (unsigned k = 0; k < n; ++k)
      readDword({w, o, lane + k * 4 / bytes, (i + k) * 4}, s, i + k, 0, 4);
  });
}

namespace {
void checkClash(Wave &w, const Op &o, const LdsData &d, uint64_t lanes, unsigned bytes) {
  if (!w.tc->launch->config->checkLdsRaces || lanesApart(d.address, lanes, bytes))
    return;
  auto bytesOf = [&](unsigned) { return bytes; };
  auto byteOf = [&](unsigned l, unsigned at) {
    return uint8_t(d.dword[at / 4 * d.dwordStride + l * d.laneStride] >> d.shift >> 8 * (at % 4));
  };
  Clash c = clashOf(d.address, lanes, bytesOf, byteOf);
  if (!c)
    return;
  Actor self{w.tc->launch, w.wg->index, w.wg->id, w.id};
  report(w, o, FindingKind::LdsRace, Severity::Error, c.lanes(), c.address,
         "lanes " + std::to_string(c.one) + " and " + std::to_string(c.other) +
             " of this write leave different bytes at LDS byte " + std::to_string(c.address) +
             "; nothing says which stay",
         &o, &self);
}
} // namespace

namespace {
void recordWrite(Wave &w, const Op &o, const LdsData &data, uint64_t lanes, unsigned bytes) {
  LdsShadow &s = *w.wg->shadow;
  uint32_t stamp = stampOf(w);
  if (isFlag(w, o, data.address, lanes, bytes))
    return eachDword(data.address, lanes, bytes, [&](unsigned, uint32_t i, unsigned, unsigned) {
      if (s.write[i] == LdsShadow::kSplit)
        s.split.erase(i);
      tell(w, s, i);
      s.writer[i] = indexOf(w, o);
    });
  if (wholeDwords(data.address, lanes, bytes))
    return writeWhole(w, o, data, lanes, bytes, stamp);
  eachDword(data.address, lanes, bytes, [&](unsigned lane, uint32_t i, unsigned first, unsigned n) {
    writeDword({w, o, lane, i * 4 + first, &data}, s, i, first, n, stamp);
  });
}

/// What the wave does from now on is not told by what it has just written.
void endTelling(Wave &w) {
  if (std::exchange(w.wg->shadow->told, false))
    ++w.wg->stamp;
}
bool isAtomicOp(const Wave &w, uint32_t op) { return w.program->uses[op].traits & kIsAtomic; }
} // namespace

void shadowWrite(Wave &w, const Op &o, const LdsData &data, uint64_t lanes, unsigned bytes) {
  checkClash(w, o, data, lanes, bytes);
  recordWrite(w, o, data, lanes, bytes);
  endTelling(w);
}

void shadowAtomic(Wave &w, const Op &o, const uint32_t *address, uint64_t lanes, unsigned bytes,
                  bool reads) {
  bool teaches = w.program->ldsWaits && w.wg->waves.size() > 1;
  LdsShadow &s = *w.wg->shadow;
  eachDword(address, lanes, bytes, [&](unsigned lane, uint32_t i, unsigned first, unsigned n) {
    uint32_t cell = s.write[i];
    if (cell == 0 && w.tc->launch->config->checkUninitialised)
      report(w, o, FindingKind::Uninitialised, Severity::Error, uint64_t(1) << lane, i * 4,
             "LDS byte " + std::to_string(i * 4) + " was never written by this workgroup");
    if (cell == LdsShadow::kSplit) {
      for (uint32_t part : s.split[i].write)
        if (part != 0 && !ordered(part, w))
          checkWritten({w, o, lane, i * 4 + first}, writerOf(w, s, i, part), false);
      s.split.erase(i);
    }
    bool unordered = cell != 0 && cell < LdsShadow::kSync && !ordered(cell, w);
    if (cell == LdsShadow::kInFlight || (unordered && !isAtomicOp(w, s.writer[i])))
      checkWritten({w, o, lane, i * 4 + first}, writerOf(w, s, i, cell), false);
    auto [reader, readingOp] = readerOf(w, s, i);
    if (reader != 0 && !(reader & LdsShadow::kRestamped) && !ordered(reader, w))
      race({w, o, lane, i * 4 + first}, "changed by an atomic here and read", reader,
           opAt(w, readingOp));
    s.writer[i] = indexOf(w, o);
    if (!teaches) { // ordered among themselves only
      s.write[i] = stampOf(w) | (unordered ? LdsShadow::kManyReaders : 0);
      return;
    }
    if (isVariable(w, s, i) && reads)
      hear(w, s, i);
    tell(w, s, i);
  });
  endTelling(w);
}

void shadowDma(Wave &w, const Op &o, const LdsData &data, uint64_t lanes, unsigned bytes) {
  writeWhole(w, o, data, lanes, bytes, LdsShadow::kInFlight); // M0 and the slots: dword aligned
}

std::string lastLdsWriter(const Workgroup &wg, uint32_t address, const Wave &of) {
  if (!wg.shadow || address / 4 >= wg.shadow->write.size())
    return "";
  uint32_t cell = wg.shadow->write[address / 4];
  if (cell == 0)
    return ", which nobody has written";
  std::string wave = cell < LdsShadow::kSync && (cell & 31) < LdsShadow::kSameWriters
                         ? " by wave " + std::to_string(cell & 31)
                         : "";
  return ", last written" + wave + " at " +
         hex(of.program->pc(opAt(of, wg.shadow->writer[address / 4])));
}

void landDma(Wave &w, const PendingOp &p) {
  LdsShadow &s = *w.wg->shadow;
  uint32_t stamp = stampOf(w), mine = 1u << w.id;
  eachRun(p.address, p.lanes, p.bytes, [&](unsigned, uint32_t i, unsigned n) {
    uint32_t *cell = &s.write[i], *flight = &s.flight[i];
    // A later operation may own a dword by now; that one was reported when it came. The last wave
    // to land makes the bytes usable.
    TEGULA_BY_FOUR
    for (unsigned k = 0; k < n; ++k) {
      flight[k] &= ~mine;
      bool landed = cell[k] == LdsShadow::kInFlight && (flight[k] & 0xffff) == 0;
      cell[k] = landed ? stamp : cell[k];
    }
    for (unsigned k = 0; !s.split.empty() && k < n; ++k)
      if (cell[k] == LdsShadow::kSplit && (flight[k] & 0xffff) == 0)
        for (uint32_t &part : s.split[i + k].write)
          part = part == LdsShadow::kInFlight ? stamp : part;
  });
}

void restampLds(Wave &w, const PendingOp &p) {
  LdsShadow &s = *w.wg->shadow;
  uint32_t next = w.wg->stamp + 1, stamp = next << 6 | LdsShadow::kRestamped | w.id;
  bool isRead = p.kind == PendingKind::LdsRead;
  uint32_t op = indexOf(w, *p.op);
  for (unsigned part = 0; part < p.parts; ++part) {
    uint32_t address[kLanes];
    for (unsigned l = 0; l < kLanes; ++l)
      address[l] = p.address[l] + part * p.part1;
    eachDword(address, p.lanes, p.bytes, [&](unsigned, uint32_t i, unsigned first, unsigned n) {
      if (isRead) {
        markReader(w, s, i, next, stamp, op); // several waves may wait for the dword
      } else if (s.write[i] == LdsShadow::kSplit) {
        LdsShadow::Split &split = s.split[i];
        for (unsigned b = first; b < first + n; ++b)
          if ((split.write[b] & 31) == w.id || isOneOf(w, s, i, split.write[b]))
            split.write[b] = stamp;
      } else if (isOneOf(w, s, i, s.write[i]) || (s.writer[i] == op && (s.write[i] & 31) == w.id)) {
        s.write[i] = stamp;
        s.writer[i] = op;
      }
    });
  }
}

} // namespace tegula::sim
