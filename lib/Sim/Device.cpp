#include "Sim/Device.h"
#include "Sim/Exec/Lower.h"
#include "Sim/Exec/Occupancy.h"
#include "Sim/Exec/Ordering.h"
#include "Sim/Loader/Bundle.h"
#include <algorithm>
#include <chrono>
#include <cstring>

namespace tegula::sim {

namespace {
constexpr uint64_t kMostKernargBytes = 1 << 16;

/// Bytes of the kernarg segment, by the descriptor and by the metadata.
uint64_t kernargBytes(const Kernel &k) {
  uint64_t bytes = k.kernargBytes;
  for (const KernelArg &a : k.args)
    bytes = std::max(bytes, uint64_t(a.offset) + a.size);
  return bytes;
}
} // namespace

LoadStatus Device::load(const void *elf, size_t size, Module *&result) {
  auto module = std::make_unique<Module>();
  bool foreign = false;
  if (!unbundle(elf, size, archName(config.arch), foreign, error))
    return foreign ? LoadStatus::OtherTarget : LoadStatus::Invalid;
  if (!sim::load(elf, size, module->object, error))
    return module->object.foreign ? LoadStatus::OtherTarget : LoadStatus::Invalid;
  if (module->object.arch != config.arch) {
    error = std::string("the code object is for ") + archName(module->object.arch) +
            ", the device is a " + archName(config.arch);
    return LoadStatus::OtherTarget;
  }
  const CodeObject &object = module->object;
  bool writable = std::any_of(object.segments.begin(), object.segments.end(),
                              [](const auto &s) { return s.writable; });
  module->device = this;
  module->image = static_cast<std::byte *>(memory.allocate(
      object.image.size(), Allocation::Kind::Code, writable ? kRead | kWrite : uint8_t(kRead)));
  if (!module->image) {
    error = "no memory for the code object";
    return LoadStatus::OutOfMemory;
  }
  std::byte *image = module->image;
  try {
    fill(*module);
    modules_.push_back(std::move(module));
  } catch (...) { // no memory on the host
    memory.release(image);
    throw;
  }
  result = modules_.back().get();
  return LoadStatus::Ok;
}

void Device::fill(Module &module) {
  const CodeObject &object = module.object;
  std::vector<std::pair<uintptr_t, uintptr_t>> parts;
  for (const auto &s : object.segments)
    if (s.writable)
      parts.emplace_back(s.address, s.address + s.size);
  memory.setWritable(module.image, std::move(parts));
  std::vector<Allocation::Symbol> symbols;
  for (const Global &g : object.variables)
    symbols.push_back({g.name, g.address, g.size});
  memory.setSymbols(module.image, std::move(symbols));
  for (const auto &s : object.segments) // allocated memory is zero
    std::memcpy(module.image + s.address, object.image.data() + s.address, s.fileBytes);
  object.relocate(module.image, reinterpret_cast<uintptr_t>(module.image));
  for (const Kernel &k : object.kernels)
    module.kernels[k.name] = {&module, &k, nullptr, ""};
}

void Device::unload(Module *module) {
  memory.release(module->image);
  modules_.erase(std::remove_if(modules_.begin(), modules_.end(),
                                [&](const auto &m) { return m.get() == module; }),
                 modules_.end());
}

LaunchStatus Device::check(const LoadedKernel &loaded, Dims grid, Dims block, uint64_t lds) {
  const Kernel &k = *loaded.kernel;
  auto bad = [&](LaunchStatus status, const std::string &why) {
    error = k.name + ": " + why;
    return status;
  };
  if (block.count() == 0)
    return bad(LaunchStatus::Invalid, "empty workgroup");
  if (block.count() > kMaxWavesPerWorkgroup * kLanes || block.x > 1024 || block.y > 1024 ||
      block.z > 1024)
    return bad(LaunchStatus::Resources,
               std::to_string(block.count()) + " work-items in a workgroup; the limit is 1024");
  if (k.maxFlatWorkgroup && block.count() > k.maxFlatWorkgroup)
    return bad(LaunchStatus::Resources, std::to_string(block.count()) +
                                            " work-items, compiled for at most " +
                                            std::to_string(k.maxFlatWorkgroup));
  uint64_t limit = limitsOf(config.arch).ldsBytes;
  if (lds > limit)
    return bad(LaunchStatus::Resources,
               std::to_string(lds) + " bytes of LDS; the target has " + std::to_string(limit));
  uint64_t total = 0;
  if (__builtin_mul_overflow(uint64_t(grid.x) * grid.y, uint64_t(grid.z), &total))
    return bad(LaunchStatus::Invalid, "the grid has 2^64 workgroups or more");
  if (total > 0 && (uint64_t(grid.x) * block.x >> 32 || uint64_t(grid.y) * block.y >> 32 ||
                    uint64_t(grid.z) * block.z >> 32))
    return bad(LaunchStatus::Invalid, "the grid has more than 2^32 work-items in one dimension");
  if (k.scratchBytes > (1u << 20))
    return bad(LaunchStatus::Resources,
               std::to_string(k.scratchBytes) + " bytes of scratch per work-item");
  if (uint64_t bytes = kernargBytes(k); bytes > kMostKernargBytes)
    return bad(LaunchStatus::Invalid,
               std::to_string(bytes) + " bytes of arguments; at most 65536 are possible");
  if (k.vgprs == 0 || k.vgprs > 512 || k.accumOffset > k.vgprs)
    return bad(LaunchStatus::Invalid, "the kernel descriptor's register counts are impossible");
  if (workgroupsPerCu(k, config.arch, block.count(), lds) == 0)
    return bad(LaunchStatus::Resources,
               std::to_string((block.count() + kLanes - 1) / kLanes) + " waves of " +
                   std::to_string(k.vgprs) +
                   " vector registers in a workgroup: a compute unit has 4 x 512");
  uint64_t entry = k.entry + (k.preloadDwords ? 256 : 0) - loaded.module->object.textAddr;
  const Program &p = *loaded.program;
  if (entry % 4 || entry / 4 >= p.opOf.size() || p.opOf[entry / 4] < 0)
    return bad(LaunchStatus::Invalid, "the entry point is no instruction");
  return LaunchStatus::Ok;
}

/// The whole text, lowered; kernels that agree on their registers share it.
std::shared_ptr<const Program> Device::programOf(const Kernel &k, const Module &module) const {
  for (const auto &[name, other] : module.kernels)
    if (other.program && other.kernel->vgprs == k.vgprs &&
        other.kernel->accumOffset == k.accumOffset)
      return other.program;
  LowerOptions options{
      config.arch,          k.vgprs,         std::min(k.accumOffset, k.vgprs), config.sanitized(),
      config.countAccesses, config.numerics, config.transcendentalError};
  return lower(options, module.image + module.object.textAddr, module.object.textSize);
}

std::shared_ptr<const Program> Device::program(LoadedKernel &loaded) const {
  if (!loaded.program) {
    loaded.program = programOf(*loaded.kernel, *loaded.module);
    loaded.orderedBy = orderDependence(*loaded.program, loaded.module->object, *loaded.kernel);
  }
  return loaded.program;
}

LaunchStatus Device::launch(LoadedKernel &loaded, Dims grid, Dims block, uint32_t dynamicLds,
                            const void *kernarg, size_t bytes, Observer *observer) {
  const Kernel &k = *loaded.kernel;
  Module &module = *loaded.module;
  error.clear();
  program(loaded);
  uint64_t lds = uint64_t(k.ldsBytes) + dynamicLds;
  LaunchStatus status = check(loaded, grid, block, lds);
  stats = Stats();
  accesses = AccessReport();
  if (status != LaunchStatus::Ok || grid.count() == 0)
    return status;

  FindingSink sink(config);
  auto release = [this](std::byte *p) { memory.release(p); };
  std::unique_ptr<std::byte, decltype(release)> segment(nullptr, release); // outlives l's snapshot
  Launch l;
  l.config = &config;
  l.kernel = &k;
  l.object = &module.object;
  l.program = loaded.program.get();
  l.imageBase = reinterpret_cast<uintptr_t>(module.image);
  l.grid = grid;
  l.block = block;
  l.ldsBytes = uint32_t(lds);
  l.findings = &sink;
  l.interrupted = &interrupted;
  interrupted = false;
  l.observer = observer;
  l.dispatchId = dispatches_++;
  l.workgroupsPerCu = workgroupsPerCu(k, config.arch, block.count(), lds);
  l.orderedBy = loaded.orderedBy;
  KernargImage image = buildKernarg(l, kernarg, bytes);
  segment.reset(static_cast<std::byte *>(
      memory.allocate(image.bytes.size(), Allocation::Kind::Kernarg, uint8_t(kRead))));
  if (!segment) {
    error = "no memory for the kernarg segment";
    return LaunchStatus::OutOfMemory;
  }
  std::memcpy(segment.get(), image.bytes.data(), image.bytes.size());
  l.kernarg = reinterpret_cast<uintptr_t>(segment.get());
  l.kernargEnd = l.kernarg + image.argumentBytes;
  l.packet = l.kernarg + image.packetOffset;
  finishKernarg(l, segment.get(), image.packetOffset);
  l.memory = memory.snapshot();
  l.freed = &memory.freed();
  for (const Allocation &a : *l.memory)
    l.tracked |= config.checkUninitialised && a.shadow->tracked();

  auto begin = std::chrono::steady_clock::now();
  AccessCounters counters;
  if (config.secondsLimit > 0 && !observer) // people who debug take their time
    l.deadline = begin + std::chrono::microseconds(int64_t(config.secondsLimit * 1e6));
  bool finished = runLaunch(l, threads_, stats, counters);
  stats.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  if (config.countAccesses)
    accesses = reportAccesses(l, counters, kernarg, bytes);
  l.memory.reset(); // the table need not be copied any more
  segment.reset();
  bool errors = sink.hasErrors();
  stats.suppressed = sink.suppressed();
  std::vector<Finding> found = sink.take();
  if (errors || !finished) {
    for (const Finding &f : found)
      if (f.severity == Severity::Error) {
        error = f.text();
        break;
      }
  }
  findings.insert(findings.end(), found.begin(), found.end());
  return !finished ? LaunchStatus::Aborted : errors ? LaunchStatus::Findings : LaunchStatus::Ok;
}

} // namespace tegula::sim
