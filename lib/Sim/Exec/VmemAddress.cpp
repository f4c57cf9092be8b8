#include "Sim/Exec/VmemAddress.h"
#include "Sim/Exec/Kernels.h"
#include "Sim/Sanitize/GlobalRaces.h"
#include "Sim/Sanitize/LdsShadow.h"
#include "Sim/Sanitize/Poison.h"
#include "Sim/State/Text.h"
#include <algorithm>
#include <cstdio>

namespace tegula::sim {

namespace {
/// An untyped V# as buffers use it (ISA "Buffer descriptor").
struct Descriptor {
  uint64_t base;
  uint32_t stride, records;
  bool swizzle, addTid, unbound;
  uint32_t elementSize, indexStride;
  unsigned type;
  explicit Descriptor(const uint32_t *s) {
    type = s[3] >> 30;
    base = s[0] | uint64_t(s[1] & 0xffff) << 32;
    stride = s[1] >> 16 & 0x3fff;
    records = s[2];
    swizzle = s[1] >> 31;
    addTid = s[3] >> 23 & 1;
    unsigned format = s[3] >> 15 & 15;
    if (addTid)
      stride |= format << 14;
    unbound = format == 0 && !addTid;
    elementSize = 2u << (s[3] >> 19 & 3);
    indexStride = 8u << (s[3] >> 21 & 3);
  }
};

/// What a descriptor says that no buffer instruction can mean. Called for what is used.
void checkDescriptor(Wave &w, const Op &o, const Descriptor &d, bool idxen) {
  std::string why;
  if (d.type != 0)
    why = "its type (bits 127:126) is " + std::to_string(d.type) + ", that of a buffer is 0";
  else if (d.unbound && d.records)
    why = "its data format (bits 114:111) is 0, so nothing is bound: reads are zero, writes vanish";
  else if (d.swizzle && (d.stride == 0 || d.stride % d.elementSize))
    why = "its swizzle needs a stride that is a multiple of the element size (" +
          std::to_string(d.elementSize) + "), which is " + std::to_string(d.stride);
  else if (idxen && d.stride == 0 && !d.addTid)
    why = "its stride is 0, so that every index means the same record";
  if (!why.empty())
    report(w, o, FindingKind::Descriptor, Severity::Error, w.exec(), d.base,
           "the buffer descriptor in s[" + std::to_string(o.b) + ":" + std::to_string(o.b + 3) +
               "]: " + why);
}
/// A lane whose offset leaves 32 bits: whether it is in range depends on what the sum keeps.
void checkOffsets(Wave &w, const Op &o, const Descriptor &d, const uint32_t *offset) {
  uint64_t bad = 0;
  for (uint64_t m = offset ? w.exec() : 0; m; m &= m - 1) {
    uint64_t sum = uint64_t(o.x) + offset[__builtin_ctzll(m)];
    if (sum >> 32 && uint32_t(sum) < d.records)
      bad |= m & -m;
  }
  if (bad)
    report(w, o, FindingKind::AddressOverflow, Severity::Error, bad, 0,
           "offset " + hex(offset[__builtin_ctzll(bad)]) + " and the instruction's " +
               std::to_string(o.x) + " overflow 32 bits; what is left is inside the buffer");
}

/// The usual case: offsets alone, every lane in range. False if it is not that.
bool plainAddresses(const Descriptor &d, uint64_t base, uint32_t x, const uint32_t *offset,
                    unsigned bytes, VmemLanes &v) {
  if (!offset || d.swizzle || d.addTid || d.unbound)
    return false;
  uint32_t most = 0;
  for (unsigned l = 0; l < kLanes; ++l)
    most = most > offset[l] ? most : offset[l];
  if (uint64_t(x) + most + bytes > d.records)
    return false;
  const uint64_t first = base + x, mask = bytes >= 4 ? ~uint64_t(3) : ~uint64_t(0);
  for (unsigned l = 0; l < kLanes; ++l)
    v.address[l] = (first + offset[l]) & mask;
  for (unsigned l = 0; l < kLanes; ++l)
    v.room[l] = bytes;
  v.partial = false;
  v.active = v.exec;
  return true;
}

void bufferAddresses(Wave &w, const Op &o, unsigned bytes, bool atomic, VmemLanes &v) {
  Descriptor d(&w.s[o.b]);
  const uint32_t *first = o.a == kNoOperand ? nullptr : w.row(o.a);
  bool idxen = o.aux & kVmemIdxen, offen = o.aux & kVmemOffen;
  const uint32_t *index = idxen ? first : nullptr,
                 *offset = offen ? (idxen ? first + 64 : first) : nullptr;
  uint32_t soffset = o.c == kNoOperand ? 0 : w.s[o.c];
  bool structured = idxen && d.stride != 0, unchecked = d.addTid && !idxen;
  uint64_t base = d.base + soffset;
  bool checked = w.sanitized && v.exec && !w.shadowing && w.tc->launch->config->checkContracts;
  if (checked)
    checkDescriptor(w, o, d, idxen);
  if (!idxen && plainAddresses(d, base, o.x, offset, bytes, v))
    return;
  if (checked && !structured && !d.swizzle)
    checkOffsets(w, o, d, offset);
  uint64_t inRange = 0;
  v.partial = false;
  for (unsigned l = 0; l < kLanes; ++l) {
    uint64_t off = uint64_t(o.x) + (offset ? offset[l] : 0);
    uint64_t idx = (index ? index[l] : 0) + (d.addTid ? l : 0);
    uint64_t linear;
    if (d.swizzle) {
      uint64_t e = d.elementSize, is = d.indexStride;
      linear = (idx / is * d.stride + off / e * e) * is + idx % is * e + off % e;
    } else {
      linear = idx * d.stride + off;
    }
    v.address[l] = base + linear;
    if (bytes >= 4) // dword accesses drop the low address bits
      v.address[l] &= ~uint64_t(3);
    // Structured: by record; raw: by byte of the offset, soffset not included.
    uint64_t room = unchecked         ? bytes
                    : structured      ? (idx < d.records ? bytes : 0)
                    : off < d.records ? d.records - off
                                      : 0;
    v.room[l] = room;
    bool some = atomic || bytes < 4 ? room >= bytes : room >= 4;
    inRange |= uint64_t(some) << l;
    v.partial |= some && room < bytes && (v.exec >> l & 1);
  }
  v.active = d.unbound ? 0 : v.exec & inRange;
}

void globalAddresses(Wave &w, const Op &o, VmemLanes &v) {
  const uint32_t *a = o.a == kNoOperand ? nullptr : w.row(o.a);
  uint64_t offset = uint64_t(int64_t(int32_t(o.x)));
  if (o.b != kNoOperand)
    offset += w.get64(o.b);
  if (o.aux & kVmemAddr64)
    for (unsigned l = 0; l < kLanes; ++l)
      v.address[l] = (a[l] | uint64_t(a[l + 64]) << 32) + offset;
  else
    for (unsigned l = 0; l < kLanes; ++l)
      v.address[l] = (a ? a[l] : 0) + offset;
  v.active = v.exec;
}

/// Scratch offsets → host addresses in the wave's block; lanes outside their private segment are
/// reported.
void toScratch(Wave &w, const Op &o, unsigned bytes, uint64_t lanes, VmemLanes &v) {
  if (lanes == ~0ull) { // nearly always, and all of them inside
    uint32_t most = 0;
    for (unsigned l = 0; l < kLanes; ++l)
      most = std::max(most, uint32_t(v.address[l]));
    if (uint64_t(most) + bytes <= w.scratchBytes) {
      uint64_t base = reinterpret_cast<uintptr_t>(w.scratch);
      for (unsigned l = 0; l < kLanes; ++l, base += w.scratchBytes)
        v.address[l] = base + uint32_t(v.address[l]);
      return;
    }
  }
  uint64_t bad = 0, first = 0;
  for (uint64_t m = lanes; m; m &= m - 1) {
    unsigned l = unsigned(__builtin_ctzll(m));
    uint64_t offset = v.address[l] & 0xffffffff;
    if (offset + bytes > w.scratchBytes) {
      if (!bad)
        first = offset;
      bad |= uint64_t(1) << l;
      continue;
    }
    v.address[l] = reinterpret_cast<uintptr_t>(w.scratch) + uint64_t(l) * w.scratchBytes + offset;
  }
  if (bad)
    report(w, o, FindingKind::ScratchOutOfBounds, Severity::Error, bad, first,
           std::to_string(bytes) + " bytes at scratch offset " + std::to_string(first) +
               ", a work-item has " + std::to_string(w.scratchBytes));
  v.active &= ~bad;
}

void toLds(Wave &w, const Op &o, unsigned bytes, uint64_t lanes, VmemLanes &v) {
  uint64_t bad = 0, first = 0;
  for (uint64_t m = lanes; m; m &= m - 1) {
    unsigned l = unsigned(__builtin_ctzll(m));
    uint64_t offset = v.address[l] & 0xffffffff;
    if (offset + bytes > w.wg->ldsBytes) {
      if (!bad)
        first = offset;
      bad |= uint64_t(1) << l;
      continue;
    }
    v.address[l] = reinterpret_cast<uintptr_t>(w.wg->lds) + offset;
  }
  if (bad)
    report(w, o, FindingKind::LdsOutOfBounds, Severity::Error, bad, first,
           "a FLAT access at LDS offset " + std::to_string(first) + ", the workgroup has " +
               std::to_string(w.wg->ldsBytes));
  v.active &= ~bad;
}

uint64_t lanesInAperture(const VmemLanes &v, uint64_t aperture) {
  uint64_t lanes = 0;
  for (unsigned l = 0; l < kLanes; ++l)
    lanes |= uint64_t(v.address[l] >> 32 == aperture >> 32) << l;
  return lanes & v.active;
}

void reportOutside(Wave &w, const Op &o, unsigned bytes, uint8_t rights, uint64_t bad,
                   uint64_t address) {
  const char *what = rights == kRead ? "a read" : rights == kWrite ? "a write" : "an atomic";
  reportAccess(w, o, std::string(what) + " of " + std::to_string(bytes) + " bytes", bad, address,
               bytes);
}
} // namespace

void vmemAddresses(Wave &w, const Op &o, Space space, unsigned bytes, bool atomic, VmemLanes &v) {
  v.exec = w.exec();
  switch (space) {
  case Space::Buffer:
    bufferAddresses(w, o, bytes, atomic, v);
    break;
  case Space::Scratch: {
    const uint32_t *a = o.a == kNoOperand ? nullptr : w.row(o.a);
    uint32_t offset = o.x + (o.b == kNoOperand ? 0 : w.s[o.b]);
    for (unsigned l = 0; l < kLanes; ++l)
      v.address[l] = uint32_t((a ? a[l] : 0) + offset);
    v.active = v.exec;
    break;
  }
  case Space::Global:
  case Space::Flat:
    globalAddresses(w, o, v);
  }
  if (!atomic)
    return;
  uint64_t misaligned = 0;
  for (uint64_t m = v.active; m; m &= m - 1)
    if (v.address[__builtin_ctzll(m)] % bytes)
      misaligned |= m & -m;
  if (misaligned)
    reportMisaligned(w, o, misaligned, v.address[__builtin_ctzll(misaligned)], bytes);
  v.active &= ~misaligned;
}

namespace {
/// Whether kernels may write memory of any of the lanes that stay.
bool checkLanes(Wave &w, const Op &o, Space space, unsigned bytes, uint8_t rights, VmemLanes &v) {
  uint64_t internal = 0;
  if (space == Space::Scratch) {
    toScratch(w, o, bytes, v.active, v);
    return false;
  }
  if (space == Space::Flat) {
    uint64_t lds = lanesInAperture(v, kLdsAperture), scratch = lanesInAperture(v, kScratchAperture);
    toLds(w, o, bytes, lds, v);
    v.lds = lds & v.active;
    toScratch(w, o, bytes, scratch, v);
    internal = lds | scratch;
  }
  uint64_t lanes = v.active & ~internal;
  if (!lanes)
    return false;
  uint64_t lo = ~uint64_t(0), hi = 0;
  if (lanes == ~0ull) {
    for (unsigned l = 0; l < kLanes; ++l) {
      lo = std::min(lo, v.address[l]);
      hi = std::max(hi, v.address[l]);
    }
  } else {
    for (uint64_t m = lanes; m; m &= m - 1) {
      lo = std::min(lo, v.address[__builtin_ctzll(m)]);
      hi = std::max(hi, v.address[__builtin_ctzll(m)]);
    }
  }
  const Interval &last = w.tc->cache[o.slot];
  if (!v.partial && accessible(*w.tc, o.slot, lo, hi + bytes, rights))
    return last.rights & kWrite;
  uint64_t bad = 0;
  bool writable = false;
  for (uint64_t m = lanes; m; m &= m - 1) {
    unsigned l = unsigned(__builtin_ctzll(m));
    uint64_t n = space == Space::Buffer
                     ? std::min<uint64_t>(bytes, v.room[l] & ~uint64_t(bytes >= 4 ? 3 : 0))
                     : bytes;
    if (!accessible(*w.tc, o.slot, v.address[l], v.address[l] + n, rights))
      bad |= uint64_t(1) << l;
    else
      writable |= (last.rights & kWrite) != 0;
  }
  if (bad)
    reportOutside(w, o, bytes, rights, bad, v.address[__builtin_ctzll(bad)]);
  v.active &= ~bad;
  return writable;
}

void ldsAddresses(const Wave &w, const VmemLanes &v, uint32_t *address) {
  for (unsigned l = 0; l < kLanes; ++l)
    address[l] = uint32_t(v.address[l] - reinterpret_cast<uintptr_t>(w.wg->lds));
}
/// What FLAT addresses lead to LDS is looked at as LDS instructions are.
void checkFlatLds(Wave &w, const Op &o, unsigned bytes, uint8_t rights, const VmemLanes &v) {
  uint32_t address[kLanes];
  ldsAddresses(w, v, address);
  if (rights == kRead)
    return shadowRead(w, o, address, v.lds, bytes);
  if (rights == (kRead | kWrite))
    return shadowAtomic(w, o, address, v.lds, bytes, o.aux & kVmemReturn);
  Part part = Part(o.aux & kVmemKind);
  bool high = bytes < 4 && (part == Part::U8Hi || part == Part::U16Hi);
  shadowWrite(w, o, {address, w.row(o.d), high ? 16u : 0u}, v.lds, bytes);
}
} // namespace

void recordFlat(Wave &w, const Op &o, PendingKind kind, unsigned rows, const VmemLanes &v,
                unsigned bytes) {
  PendingOp &p = beginFlat(w, o, kind, o.d, rows);
  if (!v.lds || p.kind == PendingKind::LdsOther)
    return;
  p.lanes = v.lds;
  p.bytes = uint16_t(bytes);
  p.parts = 1;
  ldsAddresses(w, v, p.address);
}

void vmemCheck(Wave &w, const Op &o, Space space, unsigned bytes, uint8_t rights, VmemLanes &v) {
  bool writable = checkLanes(w, o, space, bytes, rights, v);
  if (w.shadowing)
    return toShadowAddresses(w, bytes, v);
  if (!w.sanitized)
    return;
  if (w.wg->poison)
    poisonedVmem(w, o, space, v, bytes, rights);
  if (v.lds && w.wg->shadow)
    checkFlatLds(w, o, bytes, rights, v);
  // Memory that no kernel may write has no races.
  if (w.wg->races && space != Space::Scratch && writable)
    w.wg->races->access(w, o, v, bytes, rights);
}

} // namespace tegula::sim
