// The 64-byte kernel descriptor (AMDHSA), see the LLVM AMDGPU usage document, "Kernel Descriptor".
#include "LoaderParts.h"

namespace tegula::sim::loading {

namespace {

struct RawDescriptor {
  uint32_t groupSegment, privateSegment, kernargSize, reserved0;
  int64_t entryOffset;
  uint8_t reserved1[20];
  uint32_t rsrc3, rsrc1, rsrc2;
  uint16_t properties, kernargPreload;
  uint32_t reserved2;
};
static_assert(sizeof(RawDescriptor) == 64);

constexpr uint32_t bits(uint32_t v, unsigned hi, unsigned lo) {
  return (v >> lo) & ((1u << (hi - lo + 1)) - 1);
}
constexpr bool bit(uint32_t v, unsigned n) { return v >> n & 1; }

bool fail(std::string &error, const Kernel &k, const char *why) {
  error = "kernel '" + k.name + "': " + why;
  return false;
}

/// Only enabled items take registers; preloaded arguments follow the last of them.
void layOutUserSgprs(Kernel &k, const RawDescriptor &d) {
  constexpr uint8_t kCounts[] = {4, 2, 2, 2, 2, 2, 1};
  uint8_t next = 0;
  for (unsigned item = 0; item < 7; ++item)
    if (bit(d.properties, item)) {
      k.userLayout.push_back({UserSgpr(item), next, kCounts[item]});
      next = uint8_t(next + kCounts[item]);
    }
  k.preloadDwords = uint8_t(bits(d.kernargPreload, 6, 0));
  k.preloadOffset = uint16_t(bits(d.kernargPreload, 15, 7));
  if (k.preloadDwords)
    k.userLayout.push_back({UserSgpr::preload, next, k.preloadDwords});
}

} // namespace

/// What recursion, and frames whose size only a run tells, find beyond the bytes that the compiler
/// counted: a choice of the runtime. LLVM assumed as much when it had to guess (code object 4).
constexpr uint32_t kDynamicStackBytes = 16384;

bool readDescriptor(const CodeObject &object, Kernel &k, std::string &error) {
  RawDescriptor d;
  if (k.descriptorAddr % 64 || k.descriptorAddr > object.image.size() ||
      object.image.size() - k.descriptorAddr < sizeof d)
    return fail(error, k, "its descriptor lies outside the image");
  std::memcpy(&d, object.image.data() + k.descriptorAddr, sizeof d);
  k.entry = k.descriptorAddr + uint64_t(d.entryOffset);
  if (k.entry % 4 || k.entry < object.textAddr || k.entry - object.textAddr >= object.textSize)
    return fail(error, k, "its entry point lies outside the code");
  k.ldsBytes = d.groupSegment;
  k.scratchBytes = d.privateSegment;
  k.kernargBytes = d.kernargSize;
  k.vgprs = uint16_t((bits(d.rsrc1, 5, 0) + 1) * 8);
  k.accumOffset = uint16_t((bits(d.rsrc3, 5, 0) + 1) * 4);
  k.floatMode = uint8_t(bits(d.rsrc1, 19, 12));
  k.dx10Clamp = bit(d.rsrc1, 21);
  k.ieee = bit(d.rsrc1, 23);
  k.fp16Ovfl = bit(d.rsrc1, 26);
  k.scratchEnabled = bit(d.rsrc2, 0);
  k.userSgprs = uint8_t(bits(d.rsrc2, 5, 1));
  for (unsigned dim = 0; dim < 3; ++dim)
    k.workgroupId[dim] = bit(d.rsrc2, 7 + dim);
  k.workgroupInfo = bit(d.rsrc2, 10);
  k.workItemIds = uint8_t(bits(d.rsrc2, 12, 11));
  k.tgSplit = bit(d.rsrc3, 16);
  k.dynamicStack = bit(d.properties, 11);
  if (k.dynamicStack && k.scratchBytes <= UINT32_MAX - kDynamicStackBytes)
    k.scratchBytes += kDynamicStackBytes;
  if (bit(d.properties, 10))
    return fail(error, k, "wave32 does not exist on this processor");
  layOutUserSgprs(k, d);
  unsigned used = k.userLayout.empty() ? 0 : k.userLayout.back().first + k.userLayout.back().count;
  if (used > k.userSgprs || k.userSgprs > 16)
    return fail(error, k, "its descriptor enables more user registers than it declares");
  return true;
}

} // namespace tegula::sim::loading
