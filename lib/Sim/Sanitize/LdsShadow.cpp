#include "Sim/Sanitize/LdsShadow.h"
#include "Sim/Exec/Context.h"
#include "Sim/Sanitize/Waits.h"
#include <algorithm>
#include <cstdio>

namespace tegula::sim {

void LdsShadow::reset(uint32_t ldsBytes) {
  size_t dwords = (ldsBytes + 3) / 4;
  write.assign(dwords, 0);
  read.assign(dwords, 0);
  writer.assign(dwords, nullptr);
  reader.assign(dwords, nullptr);
  split.clear();
}

namespace {
uint32_t stampOf(const Wave &w) { return w.wg->epoch << 6 | w.id; }

/// Ordered before an access of wave `w` now: earlier epoch, or its own.
bool ordered(uint32_t cell, const Wave &w) { return (cell >> 6) < w.wg->epoch || (cell & 31) == w.id; }

std::string who(const Wave &w, uint32_t cell, const Op *op) {
  char text[96];
  unsigned wave = cell & 31;
  std::string name = wave == LdsShadow::kManyReaders ? "several waves" : "wave " + std::to_string(wave);
  std::snprintf(text, sizeof text, "%s%s0x%x", name.c_str(), op ? " at " : "", op ? w.program->pc(op) : 0);
  return text;
}

/// One checked access; `lane` and `address` are for the report.
struct Access {
  Wave &w;
  const Op &o;
  unsigned lane;
  uint32_t address;
};

void race(const Access &a, const char *what, uint32_t cell, const Op *earlier) {
  if (!a.w.tc->launch->config->checkLdsRaces)
    return;
  report(a.w, a.o, FindingKind::LdsRace, Severity::Error, uint64_t(1) << a.lane, a.address,
         "LDS byte " + std::to_string(a.address) + " is " + what + " by " + who(a.w, cell, earlier) +
             " and no wait and barrier orders the two",
         earlier);
}

/// True if the bytes may be used now.
void checkWritten(const Access &a, uint32_t cell, const Op *writer, bool isRead) {
  if (cell == LdsShadow::kInFlight) {
    if (a.w.tc->launch->config->checkWaits)
      report(a.w, a.o, FindingKind::UseBeforeWait, Severity::Error, uint64_t(1) << a.lane, a.address,
             "LDS byte " + std::to_string(a.address) + " is " + (isRead ? "read" : "overwritten") +
                 " while a load to LDS is outstanding; it needs the issuing wave's s_waitcnt vmcnt and then a barrier",
             writer);
    return;
  }
  if (cell == 0) {
    if (isRead && a.w.tc->launch->config->checkLdsInit)
      report(a.w, a.o, FindingKind::LdsUninitialised, Severity::Error, uint64_t(1) << a.lane, a.address,
             "LDS byte " + std::to_string(a.address) + " was never written by this workgroup");
    return;
  }
  if (!ordered(cell, a.w))
    race(a, isRead ? "read here but was written" : "written here and", cell, writer);
}

/// Turns a dword into per-byte cells.
LdsShadow::Split &splitCell(LdsShadow &s, uint32_t i) {
  auto [it, isNew] = s.split.try_emplace(i);
  if (isNew)
    for (uint32_t &cell : it->second.write)
      cell = s.write[i];
  s.write[i] = LdsShadow::kSplit;
  return it->second;
}

void readDword(const Access &a, LdsShadow &s, uint32_t i, unsigned firstByte, unsigned bytes) {
  uint32_t cell = s.write[i];
  if (cell == LdsShadow::kSplit) {
    LdsShadow::Split &split = s.split[i];
    for (unsigned b = firstByte; b < firstByte + bytes; ++b)
      checkWritten({a.w, a.o, a.lane, i * 4 + b}, split.write[b], s.writer[i], true);
  } else if (cell == 0 || !ordered(cell, a.w)) {
    checkWritten({a.w, a.o, a.lane, i * 4 + firstByte}, cell, s.writer[i], true);
  }
  uint32_t stamp = stampOf(a.w), old = s.read[i];
  s.read[i] = (old >> 6) == (stamp >> 6) && old != stamp ? (stamp | LdsShadow::kManyReaders) : stamp;
  s.reader[i] = &a.o;
}

void checkReaders(const Access &a, LdsShadow &s, uint32_t i, bool dma) {
  uint32_t cell = s.read[i];
  if (cell == 0 || ordered(cell, a.w))
    return;
  // A read that was outstanding at the barrier still comes first on silicon when the overwriting is an LDS instruction,
  // because LDS works in order; a load to LDS has no such order.
  if ((cell & LdsShadow::kRestamped) && !dma)
    report(a.w, a.o, FindingKind::LdsOrder, Severity::Warning, uint64_t(1) << a.lane, a.address,
           "LDS byte " + std::to_string(a.address) + " is overwritten after a barrier at which the read by " +
               who(a.w, cell, s.reader[i]) + " was outstanding",
           s.reader[i]);
  else
    race(a, "overwritten here and read", cell, s.reader[i]);
}

void writeDword(const Access &a, LdsShadow &s, uint32_t i, unsigned firstByte, unsigned bytes, uint32_t stamp) {
  checkReaders(a, s, i, stamp == LdsShadow::kInFlight);
  uint32_t cell = s.write[i];
  bool whole = bytes == 4;
  if (whole && cell != LdsShadow::kSplit) {
    if (cell != 0 && !ordered(cell, a.w))
      checkWritten(a, cell, s.writer[i], false);
    s.write[i] = stamp;
  } else {
    LdsShadow::Split &split = splitCell(s, i);
    for (unsigned b = firstByte; b < firstByte + bytes; ++b) {
      if (split.write[b] != 0 && !ordered(split.write[b], a.w))
        checkWritten({a.w, a.o, a.lane, i * 4 + b}, split.write[b], s.writer[i], false);
      split.write[b] = stamp;
    }
    const uint32_t *c = split.write;
    if (c[0] == c[1] && c[0] == c[2] && c[0] == c[3]) { // one author again
      s.write[i] = c[0];
      s.split.erase(i);
    }
  }
  s.writer[i] = &a.o;
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
} // namespace

void shadowRead(Wave &w, const Op &o, const uint32_t *address, uint64_t lanes, unsigned bytes) {
  LdsShadow &s = *w.wg->shadow;
  eachDword(address, lanes, bytes, [&](unsigned lane, uint32_t i, unsigned first, unsigned n) {
    readDword({w, o, lane, i * 4 + first}, s, i, first, n);
  });
}

void shadowWrite(Wave &w, const Op &o, const uint32_t *address, uint64_t lanes, unsigned bytes) {
  LdsShadow &s = *w.wg->shadow;
  uint32_t stamp = stampOf(w);
  eachDword(address, lanes, bytes, [&](unsigned lane, uint32_t i, unsigned first, unsigned n) {
    writeDword({w, o, lane, i * 4 + first}, s, i, first, n, stamp);
  });
}

void shadowAtomic(Wave &w, const Op &o, const uint32_t *address, uint64_t lanes, unsigned bytes) {
  LdsShadow &s = *w.wg->shadow;
  // Epoch 0 of "several waves": ordered before everything, yet not "never written".
  eachDword(address, lanes, bytes, [&](unsigned lane, uint32_t i, unsigned first, unsigned n) {
    uint32_t cell = s.write[i];
    if (cell == 0)
      report(w, o, FindingKind::LdsUninitialised,
             w.tc->launch->config->checkLdsInit ? Severity::Error : Severity::Note, uint64_t(1) << lane, i * 4,
             "LDS byte " + std::to_string(i * 4) + " was never written by this workgroup");
    else if (cell != LdsShadow::kSplit && !ordered(cell, w))
      checkWritten({w, o, lane, i * 4 + first}, cell, s.writer[i], false);
    s.write[i] = LdsShadow::kManyReaders;
    s.writer[i] = &o;
  });
}

void shadowDma(Wave &w, const Op &o, const uint32_t *address, uint64_t lanes, unsigned bytes) {
  LdsShadow &s = *w.wg->shadow;
  eachDword(address, lanes, bytes, [&](unsigned lane, uint32_t i, unsigned first, unsigned n) {
    writeDword({w, o, lane, i * 4 + first}, s, i, first, n, LdsShadow::kInFlight);
  });
}

void landDma(Wave &w, const PendingOp &p) {
  LdsShadow &s = *w.wg->shadow;
  uint32_t stamp = stampOf(w);
  eachDword(p.address, p.lanes, p.bytes, [&](unsigned, uint32_t i, unsigned first, unsigned n) {
    // A later operation may own the bytes by now; that one was reported when it came.
    if (s.write[i] == LdsShadow::kInFlight) {
      s.write[i] = stamp;
    } else if (s.write[i] == LdsShadow::kSplit) {
      LdsShadow::Split &split = s.split[i];
      for (unsigned b = first; b < first + n; ++b)
        if (split.write[b] == LdsShadow::kInFlight)
          split.write[b] = stamp;
    }
  });
}

void restampLds(Wave &w, const PendingOp &p) {
  LdsShadow &s = *w.wg->shadow;
  uint32_t stamp = (w.wg->epoch + 1) << 6 | LdsShadow::kRestamped | w.id;
  bool isRead = p.kind == PendingKind::LdsRead;
  for (unsigned part = 0; part < p.parts; ++part) {
    uint32_t address[kLanes];
    for (unsigned l = 0; l < kLanes; ++l)
      address[l] = p.address[l] + part * p.part1;
    eachDword(address, p.lanes, p.bytes, [&](unsigned, uint32_t i, unsigned first, unsigned n) {
      if (isRead) {
        if (s.reader[i] == p.op)
          s.read[i] = stamp;
      } else if (s.write[i] == LdsShadow::kSplit) {
        LdsShadow::Split &split = s.split[i];
        for (unsigned b = first; b < first + n; ++b)
          if ((split.write[b] & 31) == w.id)
            split.write[b] = stamp;
      } else if (s.writer[i] == p.op && (s.write[i] & 31) == w.id) {
        s.write[i] = stamp;
      }
    });
  }
}

} // namespace tegula::sim
