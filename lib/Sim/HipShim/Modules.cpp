// Modules: finding the code object in what the program hands over, and its kernels and variables.
#include "Shim.h"
#include <algorithm>
#include <cstdio>
#include <cstring>
#include <elf.h>
#include <fstream>
#include <sstream>

using namespace tegula::hip;

namespace {
constexpr char kBundleMagic[] = "__CLANG_OFFLOAD_BUNDLE__";

template <class T> T at(const char *base, size_t offset) {
  T value;
  std::memcpy(&value, base + offset, sizeof value);
  return value;
}

/// An image comes without its length: an ELF file ends behind its last section, segment or header
/// table.
size_t elfBytes(const char *image) {
  auto header = at<Elf64_Ehdr>(image, 0);
  uint64_t end = std::max<uint64_t>(
      {sizeof header, header.e_phoff + uint64_t(header.e_phnum) * sizeof(Elf64_Phdr),
       header.e_shoff + uint64_t(header.e_shnum) * sizeof(Elf64_Shdr)});
  for (unsigned i = 0; i < header.e_phnum; ++i) {
    auto segment = at<Elf64_Phdr>(image, header.e_phoff + i * sizeof(Elf64_Phdr));
    end = std::max(end, segment.p_offset + segment.p_filesz);
  }
  for (unsigned i = 0; i < header.e_shnum; ++i) {
    auto section = at<Elf64_Shdr>(image, header.e_shoff + i * sizeof(Elf64_Shdr));
    if (section.sh_type != SHT_NOBITS)
      end = std::max(end, section.sh_offset + section.sh_size);
  }
  return end;
}

struct Image {
  const char *bytes = nullptr;
  size_t size = 0;
};

/// A bundle ends behind its last entry or its table. Layout: magic, count, then offset, size,
/// length of the name, name.
size_t bundleBytes(const char *bundle) {
  size_t cursor = sizeof kBundleMagic - 1;
  auto count = at<uint64_t>(bundle, cursor);
  cursor += 8;
  uint64_t end = 0;
  for (uint64_t i = 0; i < count; ++i) {
    end = std::max(end, at<uint64_t>(bundle, cursor) + at<uint64_t>(bundle, cursor + 8));
    cursor += 24 + at<uint64_t>(bundle, cursor + 16);
  }
  return std::max<uint64_t>(end, cursor);
}

hipError_t loadImage(Shim &s, hipModule_t *module, Image image) {
  Device &d = s.devices[size_t(currentDevice())];
  tgs_module *loaded = nullptr;
  switch (tgs_load(d.sim, image.bytes, image.size, &loaded)) {
  case TGS_OK:
    *module = new ihipModule_t{loaded, currentDevice(), {}, {}};
    s.modules.insert(*module);
    return hipSuccess;
  case TGS_ERROR_OTHER_TARGET:
    return hipErrorNoBinaryForGpu;
  case TGS_ERROR_OUT_OF_MEMORY:
    return hipErrorOutOfMemory;
  default:
    std::fprintf(stderr, "tegula-hip: %s\n", tgs_last_error(d.sim));
    return hipErrorInvalidImage;
  }
}

/// Of an image that comes without its length; 0 if it is none that is known.
size_t bytesOf(const char *image) {
  constexpr char compressed[] = "CCOB"; // refused by its first bytes
  if (std::memcmp(image, ELFMAG, SELFMAG) == 0)
    return image[EI_CLASS] == ELFCLASS64 ? elfBytes(image) : 0;
  if (std::memcmp(image, compressed, sizeof compressed - 1) == 0)
    return sizeof compressed - 1;
  return std::strncmp(image, kBundleMagic, sizeof kBundleMagic - 1) == 0 ? bundleBytes(image) : 0;
}
} // namespace

extern "C" {
hipError_t hipModuleLoad(hipModule_t *module, const char *path) {
  return api([&](Shim &s) {
    if (!module || !path)
      return hipErrorInvalidValue;
    std::ifstream file(path, std::ios::binary);
    if (!file)
      return hipErrorFileNotFound;
    std::ostringstream all;
    if (!(all << file.rdbuf())) // empty, or no file that can be read: a folder
      return hipErrorInvalidImage;
    std::string bytes = all.str();
    return loadImage(s, module, {bytes.data(), bytes.size()});
  });
}
hipError_t hipModuleLoadData(hipModule_t *module, const void *image) {
  return api([&](Shim &s) {
    if (!module || !image)
      return hipErrorInvalidValue;
    const auto *bytes = static_cast<const char *>(image);
    size_t size = bytesOf(bytes);
    return size ? loadImage(s, module, {bytes, size}) : hipErrorInvalidImage;
  });
}
hipError_t hipModuleLoadDataEx(hipModule_t *module, const void *image, unsigned int, hipJitOption *,
                               void **) { // options steer a JIT; there is none
  return hipModuleLoadData(module, image);
}
hipError_t hipModuleUnload(hipModule_t module) {
  return api([&](Shim &s) {
    if (!s.modules.erase(module))
      return hipErrorInvalidHandle;
    for (auto &[name, function] : module->functions)
      s.functions.erase(function.get());
    for (uintptr_t global : module->globals)
      s.blocks.erase(global);
    tgs_unload(module->module);
    delete module;
    return hipSuccess;
  });
}
hipError_t hipModuleGetFunction(hipFunction_t *function, hipModule_t module, const char *name) {
  return api([&](Shim &s) {
    if (!function || !name)
      return hipErrorInvalidValue;
    if (!s.modules.count(module))
      return hipErrorInvalidHandle;
    tgs_kernel *kernel = nullptr;
    if (tgs_get_kernel(module->module, name, &kernel) != TGS_OK)
      return hipErrorNotFound;
    auto &slot = module->functions[name];
    if (!slot)
      slot = std::make_unique<ihipModuleSymbol_t>(ihipModuleSymbol_t{kernel, module->device});
    s.functions.insert(slot.get());
    *function = slot.get();
    return hipSuccess;
  });
}
hipError_t hipModuleGetGlobal(hipDeviceptr_t *pointer, size_t *bytes, hipModule_t module,
                              const char *name) {
  return api([&](Shim &s) {
    if (!name)
      return hipErrorInvalidValue;
    if (!s.modules.count(module))
      return hipErrorInvalidHandle;
    void *address = nullptr;
    size_t size = 0;
    if (tgs_get_global(module->module, name, &address, &size) != TGS_OK)
      return hipErrorNotFound;
    auto start = reinterpret_cast<uintptr_t>(address);
    s.blocks[start] = {Block::Origin::Global, size, hipMemoryTypeDevice, module->device};
    module->globals.insert(start);
    if (pointer)
      *pointer = address;
    if (bytes)
      *bytes = size;
    return hipSuccess;
  });
}

hipError_t hipFuncGetAttribute(int *value, hipFunction_attribute attribute,
                               hipFunction_t function) {
  return api([&](Shim &s) {
    tgs_kernel_info info;
    if (!value)
      return hipErrorInvalidValue;
    if (!s.functions.count(function) || tgs_kernel_get_info(function->kernel, &info) != TGS_OK)
      return hipErrorInvalidHandle;
    const Device &d = s.devices[size_t(function->device)];
    switch (attribute) {
    case HIP_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK:
      *value = int(info.max_workgroup_size);
      return hipSuccess;
    case HIP_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES:
      *value = int(info.lds_bytes);
      return hipSuccess;
    case HIP_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES:
      *value = int(info.scratch_bytes);
      return hipSuccess;
    case HIP_FUNC_ATTRIBUTE_NUM_REGS:
      *value = int(info.vgprs + info.agprs);
      return hipSuccess;
    case HIP_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES:
      *value = int(d.info.lds_bytes - std::min(d.info.lds_bytes, info.lds_bytes));
      return hipSuccess;
    case HIP_FUNC_ATTRIBUTE_PTX_VERSION:
    case HIP_FUNC_ATTRIBUTE_BINARY_VERSION:
      *value = (d.info.target[3] - '0') * 10 + (d.info.target[4] - '0');
      return hipSuccess;
    case HIP_FUNC_ATTRIBUTE_CONST_SIZE_BYTES:
    case HIP_FUNC_ATTRIBUTE_CACHE_MODE_CA:
      *value = 0;
      return hipSuccess;
    }
    return hipErrorInvalidValue;
  });
}
hipError_t hipModuleOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, hipFunction_t function,
                                                              int blockSize, size_t dynamicLds) {
  return api([&](Shim &s) {
    if (!blocks || blockSize <= 0 || dynamicLds > UINT32_MAX)
      return hipErrorInvalidValue;
    if (!s.functions.count(function))
      return hipErrorInvalidHandle;
    uint32_t workgroups = 0;
    tgs_kernel_occupancy(function->kernel, uint32_t(blockSize), uint32_t(dynamicLds), &workgroups);
    *blocks = int(workgroups);
    return hipSuccess;
  });
}
}
