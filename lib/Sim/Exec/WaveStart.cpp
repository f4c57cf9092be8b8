// The state that a wave starts with (ISA "Initial wave state") and the kernarg segment behind it.
#include "Sim/Exec/Launch.h"
#include "Sim/Sanitize/Watch.h"
#include <algorithm>

namespace tegula::sim {

namespace {
constexpr size_t kPacketBytes = 64, kHiddenBlock = 256;

template <class T> void put(void *at, T v) { std::memcpy(at, &v, sizeof v); }

/// Value of a hidden argument, or false if the simulator has none (pointers to host services stay
/// null).
bool hiddenValue(const Launch &l, const std::string &kind, uint64_t &v) {
  const uint32_t grid[3] = {l.grid.x, l.grid.y, l.grid.z},
                 block[3] = {l.block.x, l.block.y, l.block.z};
  auto axis = [&](const char *prefix) {
    for (int i = 0; i < 3; ++i)
      if (kind == std::string(prefix) + "xyz"[i])
        return i;
    return -1;
  };
  if (int i = axis("hidden_block_count_"); i >= 0)
    return v = grid[i], true;
  if (int i = axis("hidden_group_size_"); i >= 0)
    return v = block[i], true;
  if (axis("hidden_remainder_") >= 0 || axis("hidden_global_offset_") >= 0)
    return v = 0, true;
  if (kind == "hidden_grid_dims")
    return v = l.grid.z * l.block.z > 1 ? 3 : l.grid.y * l.block.y > 1 ? 2 : 1, true;
  if (kind == "hidden_dynamic_lds_size")
    return v = l.ldsBytes - l.kernel->ldsBytes, true;
  if (kind == "hidden_private_base")
    return v = kScratchAperture >> 32, true;
  if (kind == "hidden_shared_base")
    return v = kLdsAperture >> 32, true;
  return false;
}

/// Wave::s before the launch has its say: zeros, and behind them the constants.
struct InitialScalars {
  uint32_t s[kScalarSlots] = {};
  InitialScalars() {
    auto set64 = [&](unsigned code, uint64_t v) { put(&s[kInline64 + 2 * (code - 128)], v); };
    for (unsigned code = 128; code <= 248; ++code) {
      if (!isInlineConstant(code))
        continue;
      s[code] = uint32_t(inlineConstant(code, Type::b32));
      set64(code, inlineConstant(code, Type::b64));
    }
    set64(kSharedBase, kLdsAperture);
    set64(kPrivateBase, kScratchAperture);
  }
};

void fillScalars(Wave &w) {
  static const InitialScalars initial;
  static_assert(sizeof initial.s == sizeof w.s);
  std::memcpy(w.s, initial.s, sizeof w.s);
}

void fillUserSgprs(Wave &w, const Launch &l) {
  for (const UserSgprSlot &slot : l.kernel->userLayout) {
    switch (slot.what) {
    case UserSgpr::dispatchPtr:
      w.set64(slot.first, l.packet);
      break;
    case UserSgpr::queuePtr:
      w.set64(slot.first, l.packet + kPacketBytes);
      break; // a zeroed stand-in
    case UserSgpr::kernargPtr:
      w.set64(slot.first, l.kernarg);
      break;
    case UserSgpr::privateSegmentSize:
      w.s[slot.first] = l.kernel->scratchBytes;
      break;
    case UserSgpr::preload:
      std::memcpy(&w.s[slot.first],
                  reinterpret_cast<const std::byte *>(l.kernarg) + 4 * l.kernel->preloadOffset,
                  4u * slot.count);
      break;
    case UserSgpr::dispatchId:
      w.set64(slot.first, l.dispatchId);
      break;
    default:
      break; // private segment buffer, flat scratch init: zero on these targets
    }
  }
}

void fillWorkItemIds(Wave &w, const Launch &l, unsigned slot) {
  uint32_t *v0 = w.row(0);
  const uint32_t first = slot * kLanes, left = uint32_t(l.block.count()) - first;
  uint32_t x = first % l.block.x, row = first / l.block.x;
  uint32_t y = row % l.block.y, z = row / l.block.y;
  for (unsigned lane = 0; lane < kLanes; ++lane) {
    v0[lane] = x | y << 10 | z << 20;
    if (++x < l.block.x)
      continue;
    x = 0;
    if (++y < l.block.y)
      continue;
    y = 0;
    ++z;
  }
  w.setExec(left >= kLanes ? ~uint64_t(0) : (uint64_t(1) << left) - 1);
}
} // namespace

KernargImage buildKernarg(const Launch &l, const void *explicitArgs, size_t size) {
  KernargImage image;
  size_t segment = std::max<size_t>(size, l.kernel->kernargBytes);
  for (const KernelArg &a : l.kernel->args)
    segment = std::max<size_t>(segment, a.offset + a.size);
  // Compilers round scalar loads up, so the segment is padded; the packet and a queue stand-in lie
  // behind.
  image.argumentBytes = segment;
  image.packetOffset = (segment + 2 * kHiddenBlock - 1) / kHiddenBlock * kHiddenBlock;
  image.bytes.resize(image.packetOffset + kPacketBytes + kHiddenBlock);
  if (size)
    std::memcpy(image.bytes.data(), explicitArgs, size);
  for (const KernelArg &a : l.kernel->args) {
    uint64_t v = 0;
    if (a.hidden() && hiddenValue(l, a.valueKind, v))
      std::memcpy(image.bytes.data() + a.offset, &v, std::min<size_t>(a.size, 8));
  }
  return image;
}

void finishKernarg(const Launch &l, std::byte *image, size_t packetOffset) {
  std::byte *p = image + packetOffset;
  put<uint16_t>(p + 2, l.grid.z * l.block.z > 1 ? 3 : l.grid.y * l.block.y > 1 ? 2 : 1);
  const uint32_t grid[3] = {l.grid.x, l.grid.y, l.grid.z},
                 block[3] = {l.block.x, l.block.y, l.block.z};
  for (unsigned i = 0; i < 3; ++i) {
    put<uint16_t>(p + 4 + 2 * i, uint16_t(block[i]));
    put<uint32_t>(p + 12 + 4 * i, grid[i] * block[i]);
  }
  put<uint32_t>(p + 24, l.kernel->scratchBytes);
  put<uint32_t>(p + 28, l.ldsBytes);
  put<uint64_t>(p + 32, l.imageBase + l.kernel->descriptorAddr);
  put<uint64_t>(p + 40, reinterpret_cast<uintptr_t>(image));
}

void startWave(Wave &w, const Launch &l, Workgroup &wg, unsigned slot) {
  const Kernel &k = *l.kernel;
  w.wg = &wg;
  w.id = slot;
  w.program = l.program;
  w.scc = 0;
  w.barriers = 0;
  w.counts.fill(0);
  fillScalars(w);
  std::memset(w.rows, 0, size_t(l.program->vgprs) * kRowBytes);
  fillUserSgprs(w, l);
  unsigned next = k.userSgprs;
  const uint32_t id[3] = {wg.id.x, wg.id.y, wg.id.z};
  for (unsigned i = 0; i < 3; ++i)
    if (k.workgroupId[i])
      w.s[next++] = id[i];
  if (k.workgroupInfo) // first wave [31], waves of the workgroup [5:0]
    w.s[next++] = uint32_t(slot == 0) << 31 | uint32_t((l.block.count() + kLanes - 1) / kLanes);
  w.set64(kFlatScratch, kScratchAperture);
  fillWorkItemIds(w, l, slot);
  w.mode =
      k.floatMode | uint32_t(k.dx10Clamp) << 8 | uint32_t(k.ieee) << 9 | uint32_t(k.fp16Ovfl) << 23;
  updateFloatModes(w);
  uint64_t entry = k.entry + (k.preloadDwords ? 256 : 0) - l.object->textAddr;
  w.pc = w.blockStart = &l.program->ops[size_t(l.program->opOf[entry / 4])];
  w.stop = Stop::Running;
  if (w.watch)
    startWatch(w, next);
}

} // namespace tegula::sim
