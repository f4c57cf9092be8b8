// Vector memory loads and stores: buffer, global, flat, scratch; and loads to LDS.
#include "Sim/Exec/Handlers.h"
#include "Sim/Exec/Kernels.h"
#include "Sim/Exec/LdsAccess.h"
#include "Sim/Exec/VmemAddress.h"
#include "Sim/Sanitize/LdsShadow.h"
#include "Sim/Sanitize/Waits.h"

namespace tegula::sim {
namespace {
inline std::byte *host(const VmemLanes &v, unsigned l) {
  return reinterpret_cast<std::byte *>(v.address[l]);
}

void record(Wave &w, const Op &o, PendingKind kind, unsigned rows) {
  if (!w.sanitized)
    return;
  PendingOp &p = beginVm(w, o, kind);
  if (rows)
    ownRows(w, p, true, o.d, rows);
}
template <Space S>
void recordAs(Wave &w, const Op &o, PendingKind kind, unsigned rows, const VmemLanes &v,
              unsigned bytes) {
  if (S != Space::Flat)
    record(w, o, kind, rows);
  else if (w.sanitized)
    recordFlat(w, o, kind, rows, v, bytes);
}

template <Space S, unsigned Dwords> const Op *load(Wave &w, const Op &o) {
  VmemLanes v;
  vmemAddresses(w, o, S, Dwords * 4, false, v);
  vmemCheck(w, o, S, Dwords * 4, kRead, v);
  uint32_t *d = w.row(o.d);
  if (v.active == ~0ull && !v.partial) {
    loadLanes<Dwords>(d, [&](unsigned l) { return host(v, l); });
  } else {
    // Component by component: a lane partly out of range gets zeros only for the dwords outside.
    for (uint64_t m = v.exec; m; m &= m - 1) {
      unsigned l = unsigned(__builtin_ctzll(m));
      bool on = v.active >> l & 1;
      for (unsigned k = 0; k < Dwords; ++k) {
        uint32_t value = 0;
        if (on && (S != Space::Buffer || 4 * k + 4 <= v.room[l]))
          std::memcpy(&value, host(v, l) + 4 * k, 4);
        d[64 * k + l] = value;
      }
    }
  }
  recordAs<S>(w, o, PendingKind::Load, Dwords, v, Dwords * 4);
  return &o + 1;
}
template <Space S> const Op *loadPart(Wave &w, const Op &o) {
  Part part = Part(o.aux & kVmemKind);
  VmemLanes v;
  vmemAddresses(w, o, S, partBytes(part), false, v);
  vmemCheck(w, o, S, partBytes(part), kRead, v);
  uint32_t *d = w.row(o.d);
  for (uint64_t m = v.exec; m; m &= m - 1) {
    unsigned l = unsigned(__builtin_ctzll(m));
    uint32_t value = 0;
    if (v.active >> l & 1)
      std::memcpy(&value, host(v, l), partBytes(part));
    d[l] = expandPart(part, value);
  }
  recordAs<S>(w, o, PendingKind::Load, 1, v, partBytes(part));
  return &o + 1;
}
template <Space S, unsigned Dwords> const Op *store(Wave &w, const Op &o) {
  VmemLanes v;
  vmemAddresses(w, o, S, Dwords * 4, false, v);
  vmemCheck(w, o, S, Dwords * 4, kWrite, v);
  const uint32_t *d = w.row(o.d);
  if (v.active == ~0ull && !v.partial) {
    storeLanes<Dwords>(d, [&](unsigned l) { return host(v, l); });
  } else {
    for (uint64_t m = v.active; m; m &= m - 1) {
      unsigned l = unsigned(__builtin_ctzll(m));
      for (unsigned k = 0; k < Dwords; ++k)
        if (S != Space::Buffer || 4 * k + 4 <= v.room[l])
          std::memcpy(host(v, l) + 4 * k, &d[64 * k + l], 4);
    }
  }
  recordAs<S>(w, o, PendingKind::Store, 0, v, Dwords * 4);
  return &o + 1;
}
template <Space S> const Op *storePart(Wave &w, const Op &o) {
  Part part = Part(o.aux & kVmemKind);
  unsigned shift = part == Part::U8Hi || part == Part::U16Hi ? 16 : 0;
  VmemLanes v;
  vmemAddresses(w, o, S, partBytes(part), false, v);
  vmemCheck(w, o, S, partBytes(part), kWrite, v);
  const uint32_t *d = w.row(o.d);
  for (uint64_t m = v.active; m; m &= m - 1) {
    unsigned l = unsigned(__builtin_ctzll(m));
    uint32_t value = d[l] >> shift;
    std::memcpy(host(v, l), &value, partBytes(part));
  }
  recordAs<S>(w, o, PendingKind::Store, 0, v, partBytes(part));
  return &o + 1;
}

// --- Loads to LDS
/// What each lane brings, `Slot` bytes apart. A lane outside the buffer's range brings zeros.
template <Space S, unsigned Bytes, unsigned Slot>
void gather(const Op &o, const VmemLanes &v, std::byte *image) {
  if (v.active == ~0ull && !v.partial && Bytes >= 4) {
    for (unsigned l = 0; l < kLanes; ++l)
      std::memcpy(image + l * Slot, host(v, l), Bytes);
    return;
  }
  for (uint64_t m = v.exec; m; m &= m - 1) {
    unsigned l = unsigned(__builtin_ctzll(m));
    std::byte bytes[16] = {};
    unsigned n = Bytes;
    if (S == Space::Buffer && v.room[l] < n)
      n = unsigned(v.room[l] & ~uint64_t(3));
    if (v.active >> l & 1)
      std::memcpy(bytes, host(v, l), n);
    if (Bytes < 4 && (o.aux & kVmemKind)) { // sign-extended forms
      uint32_t value;
      std::memcpy(&value, bytes, 4);
      value = expandPart(Part(o.aux & kVmemKind), value);
      std::memcpy(bytes, &value, 4);
    }
    std::memcpy(image + l * Slot, bytes, Slot);
  }
}

template <Space S, unsigned Bytes> const Op *loadToLds(Wave &w, const Op &o) {
  constexpr unsigned slot = copySlot(Bytes), written = Bytes < 4 ? 4 : Bytes;
  VmemLanes v;
  vmemAddresses(w, o, S, Bytes, false, v);
  vmemCheck(w, o, S, Bytes, kRead, v);
  alignas(64) uint32_t image[kLanes * slot / 4];
  gather<S, Bytes, slot>(o, v, reinterpret_cast<std::byte *>(image));
  copyToLds(w, o, v.exec, image, slot, written);
  return &o + 1;
}

/// Cache control: an event of vmcnt, and nothing else on coherent memory.
const Op *cacheControl(Wave &w, const Op &o) {
  if (w.sanitized)
    beginVm(w, o, PendingKind::Other).part1 = w.wg->epoch;
  return &o + 1;
}
} // namespace

void recordVmem(Wave &w, const Op &o, bool store, unsigned rows) {
  record(w, o, store ? PendingKind::Store : PendingKind::Load, rows);
}

void copyToLds(Wave &w, const Op &o, uint64_t exec, const uint32_t *image, unsigned slot,
               unsigned written) {
  LdsAddresses at;
  copyAddresses(w, o, slot, at);
  uint64_t lanes = exec;
  // Ascending, but for a negative sum, which wraps: the first one is far outside then.
  if (exec != 0 && (at.lane[0] > w.wg->ldsBytes || at.lane[63] + written > w.wg->ldsBytes))
    lanes = ldsInBounds(w, o, at.lane, exec, written);
  if (w.sanitized) {
    PendingOp &p = beginVm(w, o, PendingKind::Dma);
    p.lanes = lanes;
    p.bytes = written;
    p.parts = 1;
    std::memcpy(p.address, at.lane, sizeof p.address);
    if (w.wg->shadow) // compares with what is there
      shadowDma(w, o, {at.lane, image, 0, 1, slot / 4}, lanes, written);
  }
  if (lanes == ~0ull && written == slot) {
    std::memcpy(w.wg->lds + at.lane[0], image, kLanes * slot);
    return;
  }
  for (uint64_t m = lanes; m; m &= m - 1) {
    unsigned l = unsigned(__builtin_ctzll(m));
    std::memcpy(w.wg->lds + at.lane[l], &image[l * slot / 4], written);
  }
}

#define VMEM_PARTS(PREFIX, SPACE)                                                                  \
  {Sem::PREFIX##_load_ubyte, loadPart<SPACE>, s, n, uint16_t(Part::U8)},                           \
      {Sem::PREFIX##_load_sbyte, loadPart<SPACE>, s, n, uint16_t(Part::I8)},                       \
      {Sem::PREFIX##_load_ushort, loadPart<SPACE>, s, n, uint16_t(Part::U16)},                     \
      {Sem::PREFIX##_load_sshort, loadPart<SPACE>, s, n, uint16_t(Part::I16)},                     \
      {Sem::PREFIX##_load_ubyte_d16, loadPart<SPACE>, s, n, uint16_t(Part::U8Lo)},                 \
      {Sem::PREFIX##_load_ubyte_d16_hi, loadPart<SPACE>, s, n, uint16_t(Part::U8Hi)},              \
      {Sem::PREFIX##_load_sbyte_d16, loadPart<SPACE>, s, n, uint16_t(Part::I8Lo)},                 \
      {Sem::PREFIX##_load_sbyte_d16_hi, loadPart<SPACE>, s, n, uint16_t(Part::I8Hi)},              \
      {Sem::PREFIX##_load_short_d16, loadPart<SPACE>, s, n, uint16_t(Part::U16Lo)},                \
      {Sem::PREFIX##_load_short_d16_hi, loadPart<SPACE>, s, n, uint16_t(Part::U16Hi)},             \
      {Sem::PREFIX##_store_byte, storePart<SPACE>, s, n, uint16_t(Part::U8)},                      \
      {Sem::PREFIX##_store_byte_d16_hi, storePart<SPACE>, s, n, uint16_t(Part::U8Hi)},             \
      {Sem::PREFIX##_store_short, storePart<SPACE>, s, n, uint16_t(Part::U16)},                    \
      {Sem::PREFIX##_store_short_d16_hi, storePart<SPACE>, s, n, uint16_t(Part::U16Hi)},
#define VMEM_DWORDS(PREFIX, SPACE)                                                                 \
  {Sem::PREFIX##_load_dword, load<SPACE, 1>, s}, {Sem::PREFIX##_load_dwordx2, load<SPACE, 2>, s},  \
      {Sem::PREFIX##_load_dwordx3, load<SPACE, 3>, s},                                             \
      {Sem::PREFIX##_load_dwordx4, load<SPACE, 4>, s},                                             \
      {Sem::PREFIX##_store_dword, store<SPACE, 1>, s},                                             \
      {Sem::PREFIX##_store_dwordx2, store<SPACE, 2>, s},                                           \
      {Sem::PREFIX##_store_dwordx3, store<SPACE, 3>, s},                                           \
      {Sem::PREFIX##_store_dwordx4, store<SPACE, 4>, s},

const HandlerTable &tableVmem() {
  const Shape s = Shape::Vmem;
  const Elem n = Elem::None;
  static const HandlerTable table = {
      VMEM_PARTS(buffer, Space::Buffer) VMEM_PARTS(global, Space::Global)
          VMEM_PARTS(flat, Space::Flat) VMEM_PARTS(scratch, Space::Scratch)
              VMEM_DWORDS(buffer, Space::Buffer) VMEM_DWORDS(global, Space::Global)
                  VMEM_DWORDS(flat, Space::Flat) VMEM_DWORDS(scratch, Space::Scratch){
                      Sem::buffer_load_ubyte_lds, loadToLds<Space::Buffer, 1>, s},
      {Sem::buffer_load_sbyte_lds, loadToLds<Space::Buffer, 1>, s, n, uint16_t(Part::I8)},
      {Sem::buffer_load_ushort_lds, loadToLds<Space::Buffer, 2>, s},
      {Sem::buffer_load_sshort_lds, loadToLds<Space::Buffer, 2>, s, n, uint16_t(Part::I16)},
      {Sem::buffer_load_dword_lds, loadToLds<Space::Buffer, 4>, s},
      {Sem::buffer_load_dwordx3_lds, loadToLds<Space::Buffer, 12>, s},
      {Sem::buffer_load_dwordx4_lds, loadToLds<Space::Buffer, 16>, s},
      {Sem::global_load_lds_ubyte, loadToLds<Space::Global, 1>, s},
      {Sem::global_load_lds_sbyte, loadToLds<Space::Global, 1>, s, n, uint16_t(Part::I8)},
      {Sem::global_load_lds_ushort, loadToLds<Space::Global, 2>, s},
      {Sem::global_load_lds_sshort, loadToLds<Space::Global, 2>, s, n, uint16_t(Part::I16)},
      {Sem::global_load_lds_dword, loadToLds<Space::Global, 4>, s},
      {Sem::global_load_lds_dwordx3, loadToLds<Space::Global, 12>, s},
      {Sem::global_load_lds_dwordx4, loadToLds<Space::Global, 16>, s},
      {Sem::scratch_load_lds_ubyte, loadToLds<Space::Scratch, 1>, s},
      {Sem::scratch_load_lds_sbyte, loadToLds<Space::Scratch, 1>, s, n, uint16_t(Part::I8)},
      {Sem::scratch_load_lds_ushort, loadToLds<Space::Scratch, 2>, s},
      {Sem::scratch_load_lds_sshort, loadToLds<Space::Scratch, 2>, s, n, uint16_t(Part::I16)},
      {Sem::scratch_load_lds_dword, loadToLds<Space::Scratch, 4>, s},
      {Sem::buffer_wbl2, cacheControl, s},
      {Sem::buffer_inv, cacheControl, s},
  };
  return table;
}
} // namespace tegula::sim
