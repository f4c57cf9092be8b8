#include "Shim.h"
#include <cstdio>
#include <dlfcn.h>
#include <sys/mman.h>

namespace tegula::hip {

namespace {
std::string optionsPath() {
  Dl_info info;
  if (!dladdr(reinterpret_cast<void *>(&optionsPath), &info) || !info.dli_fname)
    return "tegula-hip.conf";
  std::string path = info.dli_fname;
  size_t slash = path.rfind('/');
  return (slash == std::string::npos ? "" : path.substr(0, slash + 1)) + "tegula-hip.conf";
}
} // namespace

Shim &Shim::get() {
  // Never destroyed: static destructors of the program may still free memory. The process's end
  // takes it.
  static Shim *shim = new Shim();
  return *shim;
}

Shim::Shim() {
  Options options;
  std::string error;
  char message[256] = "";
  usable = readOptions(optionsPath(), options, error);
  for (size_t i = 0; usable && i < options.targets.size(); ++i) {
    Device d{};
    options.config.target = options.targets[i].c_str();
    options.config.suppressions = options.suppressions.c_str();
    usable = tgs_open(&options.config, &d.sim, message, sizeof message) == TGS_OK;
    error = message;
    if (usable) {
      tgs_get_device_info(d.sim, &d.info);
      devices.push_back(d);
    }
  }
  if (!usable)
    std::fprintf(stderr, "tegula-hip: %s\n", error.c_str());
}

const Block *Shim::holding(const void *pointer, uintptr_t *start) const {
  auto address = reinterpret_cast<uintptr_t>(pointer);
  auto it = blocks.upper_bound(address);
  if (it == blocks.begin())
    return nullptr;
  --it;
  if (start)
    *start = it->first;
  return address - it->first < it->second.bytes ? &it->second : nullptr;
}

const Block *Shim::find(const void *pointer, size_t bytes, uintptr_t *start) const {
  uintptr_t first = 0;
  const Block *block = holding(pointer, &first);
  if (!block || bytes > block->bytes - (reinterpret_cast<uintptr_t>(pointer) - first))
    return nullptr;
  if (start)
    *start = first;
  return block;
}

void Shim::written(void *pointer, size_t bytes) {
  const Block *b = holding(pointer);
  if (b && b->origin == Block::Origin::Malloc)
    tgs_mark_defined(devices[size_t(b->device)].sim, pointer, bytes, 1);
}

void Shim::copied(void *pointer, const void *from, size_t bytes) {
  const Block *to = holding(pointer), *source = holding(from);
  if (!to || to->origin != Block::Origin::Malloc || !source ||
      source->origin != Block::Origin::Malloc)
    return written(pointer, bytes);
  tgs_copy_defined(devices[size_t(to->device)].sim, pointer, devices[size_t(source->device)].sim,
                   from, bytes);
}

bool Shim::shareWithDevices(void *pointer, size_t bytes, unsigned rights) {
  for (size_t i = 0; i < devices.size(); ++i)
    if (tgs_register(devices[i].sim, pointer, bytes, rights) != TGS_OK) {
      while (i-- > 0)
        tgs_unregister(devices[i].sim, pointer);
      return false;
    }
  return true;
}

void Shim::unshare(void *pointer) {
  for (Device &d : devices)
    tgs_unregister(d.sim, pointer);
}

bool Shim::isStream(hipStream_t stream) const {
  return stream == nullptr || stream == hipStreamLegacy || stream == hipStreamPerThread ||
         streams.count(stream) != 0;
}

void Shim::release(uintptr_t address, const Block &block) {
  auto *pointer = reinterpret_cast<void *>(address);
  if (block.origin == Block::Origin::Malloc) {
    Device &d = devices[size_t(block.device)];
    tgs_free(d.sim, pointer);
    d.used -= block.bytes;
  } else if (block.origin != Block::Origin::Global) {
    unshare(pointer);
    if (block.origin == Block::Origin::Host)
      munmap(pointer, block.bytes);
  }
}

void Shim::releaseAll() {
  for (hipModule_t m : modules) {
    tgs_unload(m->module);
    delete m;
  }
  for (hipStream_t s : streams)
    delete s;
  for (hipEvent_t e : events)
    delete e;
  for (auto &[address, block] : blocks)
    release(address, block);
  modules.clear();
  functions.clear();
  streams.clear();
  events.clear();
  blocks.clear();
}

int &currentDevice() {
  static thread_local int device = 0;
  return device;
}

} // namespace tegula::hip
