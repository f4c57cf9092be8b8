// LDS reads and writes of all widths, transposing reads, and the cross-lane operations that use the
// LDS crossbar. d = destination row or data row, a = address row, b = second data row, x = offset,
// aux = Part or dwords.
#include "Sim/Exec/Context.h"
#include "Sim/Exec/Handlers.h"
#include "Sim/Exec/Kernels.h"
#include "Sim/Exec/LdsAccess.h"
#include "Sim/Sanitize/LdsShadow.h"
#include "Sim/Sanitize/Poison.h"
#include "Sim/Sanitize/Waits.h"

namespace tegula::sim {

uint64_t ldsInBounds(Wave &w, const Op &o, const uint32_t *address, uint64_t lanes,
                     unsigned bytes) {
  uint64_t good = lanes;
  uint32_t limit = w.wg->ldsBytes;
  for (uint64_t m = lanes; m; m &= m - 1) {
    unsigned l = unsigned(__builtin_ctzll(m));
    if (uint64_t(address[l]) + bytes > limit)
      good &= ~(uint64_t(1) << l);
  }
  if (good != lanes) {
    uint64_t bad = lanes & ~good;
    uint32_t first = address[__builtin_ctzll(bad)];
    report(w, o, FindingKind::LdsOutOfBounds, Severity::Error, bad, first,
           std::to_string(bytes) + " bytes at LDS offset " + std::to_string(first) +
               ", the workgroup has " + std::to_string(limit));
  }
  return good;
}

namespace {
PendingOp &pend(Wave &w, const Op &o, PendingKind kind, const uint32_t *address, uint64_t lanes,
                unsigned bytes, unsigned parts, unsigned distance) {
  PendingOp &p = beginLgkm(w, o, kind);
  p.lanes = lanes;
  p.bytes = uint16_t(bytes);
  p.parts = uint8_t(parts);
  p.part1 = distance;
  std::memcpy(p.address, address, sizeof p.address);
  return p;
}
} // namespace

void beforeLdsRead(Wave &w, const Op &o, const LdsAddresses &at, uint64_t lanes, unsigned bytes) {
  if (!w.wg->shadow)
    return;
  shadowRead(w, o, at.lane, lanes, bytes);
  if (w.wg->poison)
    poisonedLds(w, o, at.lane, lanes, bytes, false);
}

void recordLdsRead(Wave &w, const Op &o, const LdsAddresses &at, uint64_t lanes, unsigned bytes,
                   unsigned rows, unsigned parts, unsigned distance) {
  PendingOp &p = pend(w, o, PendingKind::LdsRead, at.lane, lanes, bytes, parts, distance);
  ownRows(w, p, false, o.d, rows);
}

namespace {
bool allInside(const Wave &w, const LdsAddresses &at, unsigned bytes) {
  uint32_t max = 0;
  for (unsigned l = 0; l < kLanes; ++l)
    max = at.lane[l] > max ? at.lane[l] : max;
  return uint64_t(max) + bytes <= w.wg->ldsBytes;
}
void addresses(const Wave &w, const Op &o, uint32_t offset, LdsAddresses &at) {
  const uint32_t *a = w.row(o.a);
  for (unsigned l = 0; l < kLanes; ++l)
    at.lane[l] = a[l] + offset;
}
/// Wide accesses work at dword (64-bit) and 8-byte (96- and 128-bit) alignment; below, only in a
/// mode that the runtime may not set.
void checkAlignment(Wave &w, const Op &o, const LdsAddresses &at, uint64_t lanes, unsigned bytes) {
  if (bytes < 8 || !w.tc->launch->config->checkContracts)
    return;
  unsigned needed = bytes == 8 ? 4 : 8;
  uint32_t low = 0; // of all lanes first: nearly always it is enough
  for (unsigned l = 0; l < kLanes; ++l)
    low |= at.lane[l];
  if (low % needed == 0)
    return;
  uint64_t bad = 0;
  for (uint64_t m = lanes; m; m &= m - 1)
    if (at.lane[__builtin_ctzll(m)] % needed)
      bad |= m & -m;
  if (bad)
    report(w, o, FindingKind::Misaligned, Severity::Note, bad, at.lane[__builtin_ctzll(bad)],
           std::to_string(bytes) + " bytes at LDS offset " +
               std::to_string(at.lane[__builtin_ctzll(bad)]) + ", aligned to less than " +
               std::to_string(needed) + ": slow, and right only where unaligned access is on");
}
/// Reads `Dwords` into rows from `row`; lanes out of bounds read zero, inactive lanes keep theirs.
template <unsigned Dwords>
uint64_t readInto(Wave &w, const Op &o, const LdsAddresses &at, uint32_t *rows) {
  const std::byte *lds = w.wg->lds;
  uint64_t exec = w.exec();
  bool simple = exec == ~0ull && allInside(w, at, Dwords * 4);
  uint64_t good = simple ? exec : ldsInBounds(w, o, at.lane, exec, Dwords * 4);
  if (w.sanitized) {
    checkAlignment(w, o, at, good, Dwords * 4);
    beforeLdsRead(w, o, at, good, Dwords * 4);
  }
  if (simple) {
    loadLanes<Dwords>(rows, [&](unsigned l) { return lds + at.lane[l]; });
    return exec;
  }
  for (uint64_t m = exec; m; m &= m - 1) {
    unsigned l = unsigned(__builtin_ctzll(m));
    uint32_t v[Dwords] = {};
    if (good >> l & 1)
      std::memcpy(v, lds + at.lane[l], sizeof v);
    for (unsigned k = 0; k < Dwords; ++k)
      rows[k * 64 + l] = v[k];
  }
  return good;
}
template <unsigned Dwords> const Op *read(Wave &w, const Op &o) {
  LdsAddresses at;
  addresses(w, o, o.x, at);
  uint64_t good = readInto<Dwords>(w, o, at, w.row(o.d));
  if (w.sanitized)
    recordLdsRead(w, o, at, good, Dwords * 4, Dwords);
  return &o + 1;
}
/// Two addresses: x = offset0 | offset1 << 8 in units of aux bytes.
template <unsigned Dwords> const Op *read2(Wave &w, const Op &o) {
  uint32_t unit = o.aux, first = (o.x & 0xff) * unit, second = (o.x >> 8 & 0xff) * unit;
  LdsAddresses at, at2;
  addresses(w, o, first, at);
  addresses(w, o, second, at2);
  alignas(64) uint32_t rows[Dwords * 2 * 64];
  for (unsigned k = 0; k < Dwords * 2; ++k) // inactive lanes keep what they had
    std::memcpy(rows + 64 * k, w.row(o.d) + 64 * k, kRowBytes);
  uint64_t good =
      readInto<Dwords>(w, o, at, rows) & readInto<Dwords>(w, o, at2, rows + 64 * Dwords);
  std::memcpy(w.row(o.d), rows, sizeof rows);
  if (w.sanitized)
    recordLdsRead(w, o, at, good, Dwords * 4, Dwords * 2, 2, second - first);
  return &o + 1;
}
/// Lanes that may write; the shadow compares before anything is stored.
uint64_t beforeWrite(Wave &w, const Op &o, const LdsData &data, unsigned bytes) {
  uint64_t good = ldsInBounds(w, o, data.address, w.exec(), bytes);
  if (w.sanitized && w.wg->poison)
    poisonedLds(w, o, data.address, good, bytes, true);
  if (w.sanitized && w.wg->shadow)
    shadowWrite(w, o, data, good, bytes);
  return good;
}
void afterWrite(Wave &w, const Op &o, const LdsAddresses &at, uint64_t lanes, unsigned bytes,
                unsigned parts = 1, unsigned distance = 0) {
  if (w.sanitized)
    pend(w, o, PendingKind::LdsWrite, at.lane, lanes, bytes, parts, distance);
}
/// Address without a register: M0[15:0] + offset + lane · 4.
void addressesByLane(const Wave &w, const Op &o, LdsAddresses &at) {
  for (unsigned l = 0; l < kLanes; ++l)
    at.lane[l] = (w.s[kM0] & 0xffff) + o.x + 4 * l;
}
const Op *readByLane(Wave &w, const Op &o) {
  LdsAddresses at;
  addressesByLane(w, o, at);
  uint64_t good = readInto<1>(w, o, at, w.row(o.d));
  if (w.sanitized)
    recordLdsRead(w, o, at, good, 4, 1);
  return &o + 1;
}
template <unsigned Dwords>
uint64_t writeFrom(Wave &w, const Op &o, const LdsAddresses &at, const uint32_t *rows) {
  std::byte *lds = w.wg->lds;
  uint64_t exec = w.exec();
  bool simple = exec == ~0ull && allInside(w, at, Dwords * 4);
  uint64_t good = simple && !w.sanitized ? exec : beforeWrite(w, o, {at.lane, rows}, Dwords * 4);
  if (w.sanitized)
    checkAlignment(w, o, at, good, Dwords * 4);
  if (simple) {
    storeLanes<Dwords>(rows, [&](unsigned l) { return lds + at.lane[l]; });
    return exec;
  }
  for (uint64_t m = good; m; m &= m - 1) {
    unsigned l = unsigned(__builtin_ctzll(m));
    for (unsigned k = 0; k < Dwords; ++k)
      std::memcpy(lds + at.lane[l] + 4 * k, &rows[k * 64 + l], 4);
  }
  return good;
}
template <unsigned Dwords> const Op *write(Wave &w, const Op &o) {
  LdsAddresses at;
  addresses(w, o, o.x, at);
  uint64_t good = writeFrom<Dwords>(w, o, at, w.row(o.d));
  afterWrite(w, o, at, good, Dwords * 4);
  return &o + 1;
}
const Op *writeByLane(Wave &w, const Op &o) {
  LdsAddresses at;
  addressesByLane(w, o, at);
  uint64_t good = writeFrom<1>(w, o, at, w.row(o.d));
  afterWrite(w, o, at, good, 4);
  return &o + 1;
}
template <unsigned Dwords> const Op *write2(Wave &w, const Op &o) {
  uint32_t unit = o.aux, first = (o.x & 0xff) * unit, second = (o.x >> 8 & 0xff) * unit;
  LdsAddresses at, at2;
  addresses(w, o, first, at);
  addresses(w, o, second, at2);
  uint64_t good =
      writeFrom<Dwords>(w, o, at, w.row(o.d)) & writeFrom<Dwords>(w, o, at2, w.row(o.b));
  afterWrite(w, o, at, good, Dwords * 4, 2, second - first);
  return &o + 1;
}
const Op *readPart(Wave &w, const Op &o) {
  Part part = Part(o.aux);
  LdsAddresses at;
  addresses(w, o, o.x, at);
  uint64_t exec = w.exec(), good = ldsInBounds(w, o, at.lane, exec, partBytes(part));
  if (w.sanitized)
    beforeLdsRead(w, o, at, good, partBytes(part));
  uint32_t *d = w.row(o.d);
  for (uint64_t m = exec; m; m &= m - 1) {
    unsigned l = unsigned(__builtin_ctzll(m));
    uint32_t v = 0;
    if (good >> l & 1)
      std::memcpy(&v, w.wg->lds + at.lane[l], partBytes(part));
    d[l] = expandPart(part, v);
  }
  if (w.sanitized)
    recordLdsRead(w, o, at, good, partBytes(part), 1);
  return &o + 1;
}
const Op *writePart(Wave &w, const Op &o) {
  Part part = Part(o.aux);
  unsigned shift = part == Part::U8Hi || part == Part::U16Hi ? 16 : 0;
  LdsAddresses at;
  addresses(w, o, o.x, at);
  const uint32_t *d = w.row(o.d);
  uint64_t good = beforeWrite(w, o, {at.lane, d, shift}, partBytes(part));
  for (uint64_t m = good; m; m &= m - 1) {
    unsigned l = unsigned(__builtin_ctzll(m));
    uint32_t v = d[l] >> shift;
    std::memcpy(w.wg->lds + at.lane[l], &v, partBytes(part));
  }
  afterWrite(w, o, at, good, partBytes(part));
  return &o + 1;
}

// --- Transposing reads: in each group of 16 lanes, lane t collects element columns of 64- (or 96-)
// bit sources
/// Element j of lane t comes from source lane t / P + j · (16 / E) …: see ISA "Transposing LDS
/// reads".
template <unsigned Bits, unsigned Dwords> const Op *readTransposed(Wave &w, const Op &o) {
  LdsAddresses at;
  addresses(w, o, o.x, at);
  if (w.exec() != ~0ull)
    report(w, o, FindingKind::ExecMasked, Severity::Error, ~w.exec(), 0,
           "a transposing LDS read needs all lanes active");
  alignas(64) uint32_t in[Dwords * 64] = {}, out[Dwords * 64] = {};
  uint64_t good = readInto<Dwords>(w, o, at, in);
  constexpr unsigned perSource = Dwords * 32 / Bits; // elements that a source lane fetched
  constexpr unsigned lanesPerRow = 16 / perSource; // source lanes that hold one row of 16 elements
  constexpr uint32_t mask = (1u << Bits) - 1;
  for (unsigned l = 0; l < kLanes; ++l) {
    unsigned t = l % 16, group = l - t;
    for (unsigned j = 0; j < perSource; ++j) {
      unsigned source = group + t / perSource + lanesPerRow * j, bit = t % perSource * Bits;
      uint64_t v = in[bit / 32 * 64 + source];
      if (bit % 32 + Bits > 32)
        v |= uint64_t(in[(bit / 32 + 1) * 64 + source]) << 32;
      uint64_t e = v >> bit % 32 & mask;
      unsigned to = j * Bits;
      out[to / 32 * 64 + l] |= uint32_t(e << to % 32);
      if (to % 32 + Bits > 32)
        out[(to / 32 + 1) * 64 + l] |= uint32_t(e >> (32 - to % 32));
    }
  }
  for (unsigned k = 0; k < Dwords; ++k)
    std::memcpy(w.row(o.d) + 64 * k, out + 64 * k, kRowBytes);
  if (w.sanitized)
    recordLdsRead(w, o, at, good, Dwords * 4, Dwords);
  return &o + 1;
}

// --- Crossbar operations: no LDS is touched, lgkmcnt counts
void recordCrossbar(Wave &w, const Op &o) {
  if (w.sanitized)
    ownRows(w, beginLgkm(w, o, PendingKind::LdsOther), false, o.d, 1);
}
const Op *bpermute(Wave &w, const Op &o) {
  const uint32_t *a = w.row(o.a), *data = w.row(o.b);
  uint64_t exec = w.exec();
  uint32_t out[kLanes];
  for (unsigned l = 0; l < kLanes; ++l) {
    unsigned from = (a[l] + o.x) / 4 % 64;
    out[l] = exec >> from & 1 ? data[from] : 0;
  }
  for (uint64_t m = exec; m; m &= m - 1)
    w.row(o.d)[__builtin_ctzll(m)] = out[__builtin_ctzll(m)];
  recordCrossbar(w, o);
  return &o + 1;
}
const Op *permute(Wave &w, const Op &o) {
  const uint32_t *a = w.row(o.a), *data = w.row(o.b);
  uint64_t exec = w.exec();
  uint32_t out[kLanes] = {};
  for (unsigned l = 0; l < kLanes; ++l) // ascending: the highest source lane wins
    if (exec >> l & 1)
      out[(a[l] + o.x) / 4 % 64] = data[l];
  for (uint64_t m = exec; m; m &= m - 1)
    w.row(o.d)[__builtin_ctzll(m)] = out[__builtin_ctzll(m)];
  recordCrossbar(w, o);
  return &o + 1;
}
/// Source lane of lane `l` under the swizzle pattern; only the quad and bit-mask modes have known
/// users.
int swizzleSource(uint32_t pattern, unsigned l) {
  if (pattern >= 0xe000)
    return -1;
  if (pattern >= 0xc000) { // rotate within 32: [9:5] count, [10] direction, [4:0] lanes that stay
                           // in their group
    unsigned count = pattern >> 5 & 31, keep = pattern & 31, lane = l % 32;
    unsigned moved = pattern >> 10 & 1 ? (lane - count) & 31 : (lane + count) & 31;
    return int(l / 32 * 32 + ((lane & keep) | (moved & ~keep & 31)));
  }
  if (pattern & 0x8000)
    return int((l & ~3u) + (pattern >> (2 * (l & 3)) & 3));
  unsigned lane = l % 32;
  return int(l / 32 * 32 +
             (((lane & (pattern & 31)) | (pattern >> 5 & 31)) ^ (pattern >> 10 & 31)));
}
const Op *swizzle(Wave &w, const Op &o) {
  const uint32_t *a = w.row(o.a);
  uint64_t exec = w.exec();
  uint32_t out[kLanes];
  for (unsigned l = 0; l < kLanes; ++l) {
    int from = swizzleSource(o.x, l);
    if (from < 0)
      return fail(w, o, FindingKind::Unsupported, "ds_swizzle in FFT mode");
    out[l] = exec >> from & 1 ? a[from] : 0;
  }
  for (uint64_t m = exec; m; m &= m - 1)
    w.row(o.d)[__builtin_ctzll(m)] = out[__builtin_ctzll(m)];
  recordCrossbar(w, o);
  return &o + 1;
}
} // namespace

const HandlerTable &tableLds() {
  const Shape s = Shape::Lds;
  const Elem n = Elem::None;
#define PART(NAME, FN, P)                                                                          \
  {                                                                                                \
    Sem::NAME, FN, s, n, uint16_t(Part::P)                                                         \
  }
  static const HandlerTable table = {
      {Sem::ds_read_b32, read<1>, s},
      {Sem::ds_read_b64, read<2>, s},
      {Sem::ds_read_b96, read<3>, s},
      {Sem::ds_read_b128, read<4>, s},
      {Sem::ds_write_b32, write<1>, s},
      {Sem::ds_write_b64, write<2>, s},
      {Sem::ds_write_b96, write<3>, s},
      {Sem::ds_write_b128, write<4>, s},
      {Sem::ds_read_addtid_b32, readByLane, s},
      {Sem::ds_write_addtid_b32, writeByLane, s},
      {Sem::ds_read2_b32, read2<1>, s, n, 4},
      {Sem::ds_read2st64_b32, read2<1>, s, n, 256},
      {Sem::ds_read2_b64, read2<2>, s, n, 8},
      {Sem::ds_read2st64_b64, read2<2>, s, n, 512},
      {Sem::ds_write2_b32, write2<1>, s, n, 4},
      {Sem::ds_write2st64_b32, write2<1>, s, n, 256},
      {Sem::ds_write2_b64, write2<2>, s, n, 8},
      {Sem::ds_write2st64_b64, write2<2>, s, n, 512},
      PART(ds_read_u8, readPart, U8),
      PART(ds_read_i8, readPart, I8),
      PART(ds_read_u16, readPart, U16),
      PART(ds_read_i16, readPart, I16),
      PART(ds_read_u8_d16, readPart, U8Lo),
      PART(ds_read_u8_d16_hi, readPart, U8Hi),
      PART(ds_read_i8_d16, readPart, I8Lo),
      PART(ds_read_i8_d16_hi, readPart, I8Hi),
      PART(ds_read_u16_d16, readPart, U16Lo),
      PART(ds_read_u16_d16_hi, readPart, U16Hi),
      PART(ds_write_b8, writePart, U8),
      PART(ds_write_b16, writePart, U16),
      PART(ds_write_b8_d16_hi, writePart, U8Hi),
      PART(ds_write_b16_d16_hi, writePart, U16Hi),
      {Sem::ds_read_b64_tr_b16, readTransposed<16, 2>, s},
      {Sem::ds_read_b64_tr_b8, readTransposed<8, 2>, s},
      {Sem::ds_read_b64_tr_b4, readTransposed<4, 2>, s},
      {Sem::ds_read_b96_tr_b6, readTransposed<6, 3>, s},
      {Sem::ds_bpermute_b32, bpermute, s},
      {Sem::ds_permute_b32, permute, s},
      {Sem::ds_swizzle_b32, swizzle, s},
  };
  return table;
}
} // namespace tegula::sim
