// The C API over Device. What takes memory or threads is guarded, so that nothing throws across it;
// every failure leaves its text with the device.
#include "Sim/ApiObjects.h"
#include "Sim/Decode/Print.h"
#include "Sim/Exec/Coverage.h"
#include "Sim/Exec/Occupancy.h"
#include "Sim/Loader/Bundle.h"
#include <algorithm>
#include <cstdio>
#include <cstring>
#include <new>
#include <sstream>
#include <thread>

using namespace tegula::sim;

tgs_status tegula::sim::statusOf(LaunchStatus s) {
  switch (s) {
  case LaunchStatus::Ok:
    return TGS_OK;
  case LaunchStatus::Invalid:
    return TGS_ERROR_INVALID_ARGUMENT;
  case LaunchStatus::Resources:
    return TGS_ERROR_RESOURCES;
  case LaunchStatus::OutOfMemory:
    return TGS_ERROR_OUT_OF_MEMORY;
  case LaunchStatus::Findings:
    return TGS_ERROR_FINDINGS;
  case LaunchStatus::Aborted:
    return TGS_ERROR_ABORTED;
  }
  return TGS_ERROR_ABORTED;
}
namespace {
bool fillSuppressions(const char *text, Config &out);
bool fillConfig(const tgs_config &in, Config &out, std::string &why) {
  if (!in.target ||
      (std::strcmp(in.target, "gfx942") != 0 && std::strcmp(in.target, "gfx950") != 0)) {
    why = "unknown target; the simulator has gfx942 and gfx950";
    return false;
  }
  if (in.sanitizers & ~uint32_t(TGS_SANITIZE_ALL)) {
    why = "unknown sanitizer bits";
    return false;
  }
  if (unsigned(in.schedule) > TGS_SCHEDULE_ADVERSARIAL) {
    why = "unknown schedule";
    return false;
  }
  if (unsigned(in.numerics) > TGS_NUMERICS_CDNA3_FUSED) {
    why = "unknown numerics";
    return false;
  }
  if (!(in.seconds_limit >= 0 && in.seconds_limit < 1e9)) {
    why = "seconds_limit is not a number of seconds";
    return false;
  }
  if (!fillSuppressions(in.suppressions, out)) {
    why = "a suppression is kind, kind:kernel-glob, kind:kernel-glob:0xPC or "
          "kind:kernel-glob:LINE, with a kind as reports name it: *" +
          kindNames();
    return false;
  }
  out.lateLoads = in.late_loads != 0;
  out.secondsLimit = in.seconds_limit;
  out.unorderedThreads = in.unordered_threads != 0;
  out.arch = std::strcmp(in.target, "gfx950") == 0 ? Arch::gfx950 : Arch::gfx942;
  out.checkWaits = in.sanitizers & TGS_SANITIZE_WAITS;
  out.checkLdsRaces = in.sanitizers & TGS_SANITIZE_LDS_RACES;
  out.checkUninitialised = in.sanitizers & TGS_SANITIZE_UNINITIALISED;
  out.checkWaitStates = in.sanitizers & TGS_SANITIZE_WAIT_STATES;
  out.checkGlobalRaces = in.sanitizers & TGS_SANITIZE_GLOBAL_RACES;
  out.checkContracts = in.sanitizers & TGS_SANITIZE_CONTRACTS;
  out.threads = in.threads ? in.threads : std::max(1u, std::thread::hardware_concurrency());
  out.schedule = Schedule(in.schedule);
  out.seed = in.seed;
  if (in.instruction_limit)
    out.instructionLimit = in.instruction_limit;
  if (in.max_findings)
    out.maxFindings = in.max_findings;
  out.countAccesses = in.count_accesses != 0;
  out.numerics = Numerics(in.numerics);
  out.transcendentalError = in.transcendental_error != 0;
  return true;
}
bool fillSuppressions(const char *text, Config &out) {
  std::istringstream words(text ? text : "");
  for (std::string word; words >> word;) {
    out.suppressions.emplace_back();
    if (!parseSuppression(word, out.suppressions.back()))
      return false;
  }
  return true;
}
tgs_traffic trafficOf(const Traffic &t) {
  tgs_traffic out{t.executions, t.bytes, {}, t.segments64, t.segments128};
  static_assert(TGS_ACCESS_WIDTHS == kAccessWidths.size());
  std::copy(t.lanes.begin(), t.lanes.end(), out.lanes);
  return out;
}

/// For callers that have no device to ask.
void tell(const char *why, char *message, size_t size) {
  if (message && size)
    std::snprintf(message, size, "%s", why);
}

std::unique_ptr<tgs_module> moduleOf(tgs_device *d, Module &loaded) {
  auto m = std::make_unique<tgs_module>();
  m->device = d;
  m->module = &loaded;
  for (auto &[name, kernel] : loaded.kernels) {
    auto k = std::make_unique<tgs_kernel>();
    k->device = d;
    k->loaded = &kernel;
    for (const KernelArg &a : kernel.kernel->args)
      k->arguments.push_back({a.name.c_str(), a.valueKind.c_str(), a.offset, a.size});
    m->kernels[name] = std::move(k);
  }
  return m;
}
} // namespace

extern "C" {

TGS_API tgs_status tgs_open(const tgs_config *config, tgs_device **device, char *message,
                            size_t size) {
  try {
    Config c;
    std::string why = "null argument";
    if (!config || !device || !fillConfig(*config, c, why)) {
      tell(why.c_str(), message, size);
      return TGS_ERROR_INVALID_ARGUMENT;
    }
    *device = new tgs_device(c);
    return TGS_OK;
  } catch (const std::bad_alloc &) {
    tell("out of host memory", message, size);
    return TGS_ERROR_OUT_OF_MEMORY;
  }
}
TGS_API void tgs_close(tgs_device *device) {
  if (device)
    device->debuggers.clear(); // their launches use the rest
  delete device;
}
TGS_API const char *tgs_last_error(const tgs_device *device) {
  return device ? device->device.error.c_str() : "";
}

TGS_API tgs_status tgs_get_device_info(const tgs_device *d, tgs_device_info *info) {
  if (!d || !info)
    return TGS_ERROR_INVALID_ARGUMENT;
  Arch arch = d->device.config.arch;
  DeviceLimits limits = limitsOf(arch);
  *info = {archName(arch),  limits.computeUnits, kXcds,        kSimdsPerCu,
           kWavesPerSimd,   limits.ldsBytes,     kRowsPerSimd, kMaxWavesPerWorkgroup * kLanes,
           limits.clockMhz, limits.memoryBytes};
  return TGS_OK;
}

TGS_API tgs_status tgs_malloc(tgs_device *d, size_t bytes, void **pointer) {
  if (!d || !pointer)
    return TGS_ERROR_INVALID_ARGUMENT;
  return guarded(d, [&] {
    *pointer = d->device.memory.allocate(bytes);
    return *pointer ? TGS_OK
                    : failure(d, TGS_ERROR_OUT_OF_MEMORY,
                              "no memory for " + std::to_string(bytes) + " bytes");
  });
}
TGS_API tgs_status tgs_free(tgs_device *d, void *pointer) {
  if (!d)
    return TGS_ERROR_INVALID_ARGUMENT;
  if (isDebugging(d))
    return refuseWhileDebugging(d);
  if (!pointer || d->device.memory.release(pointer))
    return TGS_OK;
  return failure(d, TGS_ERROR_NOT_FOUND, "tgs_free of a pointer that tgs_malloc did not return");
}
TGS_API tgs_status tgs_mark_defined(tgs_device *d, void *pointer, size_t bytes, int defined) {
  if (!d || !pointer)
    return TGS_ERROR_INVALID_ARGUMENT;
  return guarded(d, [&] {
    if (bytes == 0 || d->device.memory.markDefined(pointer, bytes, defined != 0))
      return TGS_OK;
    return failure(d, TGS_ERROR_NOT_FOUND, "the range is not inside one allocation");
  });
}
TGS_API tgs_status tgs_copy_defined(tgs_device *d, void *pointer, const tgs_device *source,
                                    const void *from, size_t bytes) {
  if (!d || !pointer || !source || !from)
    return TGS_ERROR_INVALID_ARGUMENT;
  return guarded(d, [&] {
    if (bytes == 0 || d->device.memory.copyDefined(pointer, source->device.memory, from, bytes))
      return TGS_OK;
    return failure(d, TGS_ERROR_NOT_FOUND, "a range is not inside one allocation");
  });
}
TGS_API tgs_status tgs_name_memory(tgs_device *d, void *pointer, const char *name) {
  if (!d || !pointer || !name)
    return TGS_ERROR_INVALID_ARGUMENT;
  return guarded(d, [&] {
    if (d->device.memory.setName(pointer, name))
      return TGS_OK;
    return failure(d, TGS_ERROR_NOT_FOUND, "the pointer is not the start of an allocation");
  });
}
TGS_API tgs_status tgs_register(tgs_device *d, void *pointer, size_t bytes, unsigned rights) {
  if (!d || !pointer || (rights & ~unsigned(TGS_READ | TGS_WRITE)) || rights == 0)
    return TGS_ERROR_INVALID_ARGUMENT;
  return guarded(d, [&] {
    if (d->device.memory.registerHost(pointer, bytes, uint8_t(rights)))
      return TGS_OK;
    return failure(d, TGS_ERROR_INVALID_ARGUMENT,
                   "the range is empty or overlaps memory that kernels may already touch");
  });
}
TGS_API tgs_status tgs_unregister(tgs_device *d, void *pointer) {
  if (!d)
    return TGS_ERROR_INVALID_ARGUMENT;
  if (isDebugging(d))
    return refuseWhileDebugging(d);
  if (d->device.memory.unregisterHost(pointer))
    return TGS_OK;
  return failure(d, TGS_ERROR_NOT_FOUND, "tgs_unregister of a pointer that is not registered");
}

TGS_API tgs_status tgs_object_target(const void *elf, size_t bytes, const char **target,
                                     char *message, size_t size) {
  if (!elf || !target)
    return TGS_ERROR_INVALID_ARGUMENT;
  try {
    CodeObject object;
    std::string error;
    bool foreign = false;
    if (unbundle(elf, bytes, nullptr, foreign, error) && load(elf, bytes, object, error)) {
      *target = archName(object.arch);
      return TGS_OK;
    }
    tell(error.c_str(), message, size);
    return foreign || object.foreign ? TGS_ERROR_OTHER_TARGET : TGS_ERROR_INVALID_OBJECT;
  } catch (const std::bad_alloc &) {
    tell("out of host memory", message, size);
    return TGS_ERROR_OUT_OF_MEMORY;
  }
}

TGS_API tgs_status tgs_load(tgs_device *d, const void *elf, size_t bytes, tgs_module **module) {
  if (!d || !elf || !module)
    return TGS_ERROR_INVALID_ARGUMENT;
  return guarded(d, [&] {
    Module *loaded = nullptr;
    switch (d->device.load(elf, bytes, loaded)) {
    case LoadStatus::Ok:
      break;
    case LoadStatus::Invalid:
      return TGS_ERROR_INVALID_OBJECT;
    case LoadStatus::OtherTarget:
      return TGS_ERROR_OTHER_TARGET;
    case LoadStatus::OutOfMemory:
      return TGS_ERROR_OUT_OF_MEMORY;
    }
    try {
      d->modules.push_back(moduleOf(d, *loaded));
    } catch (...) {
      d->device.unload(loaded);
      throw;
    }
    *module = d->modules.back().get();
    return TGS_OK;
  });
}
TGS_API void tgs_unload(tgs_module *m) {
  if (!m)
    return;
  tgs_device *d = m->device;
  eraseIf(d->debuggers, [&](const auto &p) { return p->module == m->module; });
  d->device.unload(m->module);
  eraseIf(d->modules, [&](const auto &p) { return p.get() == m; });
}
TGS_API size_t tgs_kernel_count(const tgs_module *m) {
  return m ? m->module->object.kernels.size() : 0;
}
TGS_API const char *tgs_kernel_name(const tgs_module *m, size_t i) {
  return m && i < m->module->object.kernels.size() ? m->module->object.kernels[i].name.c_str()
                                                   : nullptr;
}
TGS_API tgs_status tgs_get_kernel(tgs_module *m, const char *name, tgs_kernel **kernel) {
  if (!m || !name || !kernel)
    return TGS_ERROR_INVALID_ARGUMENT;
  auto it = m->kernels.find(name);
  if (it == m->kernels.end())
    return failure(m->device, TGS_ERROR_NOT_FOUND,
                   std::string("no kernel ") + name + " in the code object");
  *kernel = it->second.get();
  return TGS_OK;
}
TGS_API tgs_status tgs_kernel_get_info(const tgs_kernel *kernel, tgs_kernel_info *info) {
  if (!kernel || !info)
    return TGS_ERROR_INVALID_ARGUMENT;
  const Kernel &k = *kernel->loaded->kernel;
  *info = {};
  info->kernarg_size = k.kernargBytes;
  info->lds_bytes = k.ldsBytes;
  info->scratch_bytes = k.scratchBytes;
  info->vgprs = k.accumOffset < k.vgprs ? k.accumOffset : k.vgprs;
  info->agprs = k.vgprs - info->vgprs;
  info->sgprs = k.sgprCount;
  info->max_workgroup_size =
      k.maxFlatWorkgroup ? k.maxFlatWorkgroup : kMaxWavesPerWorkgroup * kLanes;
  info->required_workgroup = {k.reqdWorkgroup[0], k.reqdWorkgroup[1], k.reqdWorkgroup[2]};
  info->arguments = kernel->arguments.data();
  info->argument_count = kernel->arguments.size();
  return TGS_OK;
}

TGS_API tgs_status tgs_get_global(tgs_module *m, const char *name, void **pointer, size_t *bytes) {
  if (!m || !name || !pointer || !bytes)
    return TGS_ERROR_INVALID_ARGUMENT;
  for (const Global &g : m->module->object.globals)
    if (g.name == name) {
      *pointer = m->module->image + g.address;
      *bytes = g.size;
      return TGS_OK;
    }
  return failure(m->device, TGS_ERROR_NOT_FOUND,
                 std::string("no variable ") + name + " in the code object");
}
TGS_API tgs_status tgs_kernel_occupancy(const tgs_kernel *kernel, uint32_t workItems,
                                        uint32_t dynamicLds, uint32_t *workgroups) {
  if (!kernel || !workItems || !workgroups)
    return TGS_ERROR_INVALID_ARGUMENT;
  const Kernel &k = *kernel->loaded->kernel;
  *workgroups = workgroupsPerCu(k, kernel->loaded->module->object.arch, workItems,
                                uint64_t(k.ldsBytes) + dynamicLds);
  return TGS_OK;
}

TGS_API tgs_status tgs_launch(tgs_kernel *kernel, const tgs_dims *grid, const tgs_dims *block,
                              uint32_t dynamic_lds, const void *kernarg, size_t bytes) {
  if (!kernel || !grid || !block || (bytes && !kernarg))
    return TGS_ERROR_INVALID_ARGUMENT;
  Device &d = *kernel->loaded->module->device;
  if (isDebugging(kernel->device))
    return refuseWhileDebugging(kernel->device);
  return guarded(kernel->device, [&] {
    return statusOf(d.launch(*kernel->loaded, {grid->x, grid->y, grid->z},
                             {block->x, block->y, block->z}, dynamic_lds, kernarg, bytes));
  });
}

TGS_API void tgs_interrupt(tgs_device *d) {
  if (d)
    d->device.interrupted.store(true, std::memory_order_relaxed);
}

TGS_API tgs_status tgs_findings(tgs_device *d, tgs_finding_fn fn, void *user) {
  if (!d || !fn)
    return TGS_ERROR_INVALID_ARGUMENT;
  return guarded(d, [&] {
    const std::vector<Finding> found = d->device.findings; // fn may clear them or launch
    for (const Finding &f : found) {
      std::string text = f.text(), json = f.json();
      tgs_finding out{};
      out.kind = kindName(f.kind);
      out.severity = tgs_severity(int(f.severity));
      out.kernel = f.kernel.c_str();
      out.workgroup = {f.workgroup.x, f.workgroup.y, f.workgroup.z};
      out.wave = f.wave;
      out.lanes = f.lanes;
      out.pc = f.pc;
      out.instruction = f.instruction.c_str();
      out.file = f.file.c_str();
      out.line = f.line;
      out.address = f.address;
      out.count = f.count;
      out.text = text.c_str();
      out.json = json.c_str();
      out.has_earlier = f.hasEarlier;
      out.earlier_pc = f.earlierPc;
      out.earlier_instruction = f.earlierInstruction.c_str();
      out.earlier_file = f.earlierFile.c_str();
      out.earlier_line = f.earlierLine;
      fn(&out, user);
    }
    return TGS_OK;
  });
}
TGS_API tgs_status tgs_clear_findings(tgs_device *d) {
  if (!d)
    return TGS_ERROR_INVALID_ARGUMENT;
  d->device.findings.clear();
  return TGS_OK;
}
TGS_API tgs_status tgs_get_stats(const tgs_device *d, tgs_stats *out) {
  if (!d || !out)
    return TGS_ERROR_INVALID_ARGUMENT;
  const Stats &s = d->device.stats;
  *out = {s.total(),
          s.counts[0],
          s.counts[1],
          s.counts[2],
          s.counts[3],
          s.counts[4],
          s.counts[5],
          s.counts[6],
          s.workgroups,
          s.waves,
          s.seconds,
          s.suppressed,
          s.threads,
          s.orderedBy.c_str(),
          numericsName(d->device.config.numerics),
          s.uncompared.c_str()};
  return TGS_OK;
}
TGS_API tgs_status tgs_accesses(const tgs_device *d, tgs_access_fn fn, void *user) {
  if (!d || !fn)
    return TGS_ERROR_INVALID_ARGUMENT;
  for (const InstructionRow &row : d->device.accesses.instructions) {
    const AccessCount &c = row.count;
    std::string json = row.json();
    tgs_access out{row.pc,           row.instruction.c_str(),
                   row.file.c_str(), row.line,
                   row.space,        row.use,
                   row.width,        c.executions,
                   c.lanes,          c.bytes,
                   c.phases,         c.conflicts,
                   c.segments64,     c.segments128,
                   json.c_str()};
    fn(&out, user);
  }
  return TGS_OK;
}
TGS_API tgs_status tgs_memory_traffic(const tgs_device *d, tgs_memory_fn fn, void *user) {
  if (!d || !fn)
    return TGS_ERROR_INVALID_ARGUMENT;
  for (const AllocationRow &row : d->device.accesses.allocations) {
    std::string json = row.json();
    tgs_memory out{row.address,
                   row.size,
                   row.kind,
                   row.kernargOffset,
                   trafficOf(row.traffic[size_t(TrafficKind::Read)]),
                   trafficOf(row.traffic[size_t(TrafficKind::Write)]),
                   trafficOf(row.traffic[size_t(TrafficKind::Atomic)]),
                   json.c_str()};
    fn(&out, user);
  }
  return TGS_OK;
}
TGS_API tgs_status tgs_disassemble(tgs_module *m, tgs_write_fn write, void *user) {
  if (!m || !write)
    return TGS_ERROR_INVALID_ARGUMENT;
  return guarded(m->device, [&] {
    std::string text = disassemble(m->module->object);
    write(text.data(), text.size(), user);
    return TGS_OK;
  });
}
TGS_API tgs_status tgs_instructions(tgs_instruction_fn fn, void *user) {
  if (!fn)
    return TGS_ERROR_INVALID_ARGUMENT;
  for (const ExecutedForm &f : executedForms()) {
    tgs_instruction out{f.row->mnemonic, f.arch == Arch::gfx950 ? "gfx950" : "gfx942",
                        f.encoding.c_str()};
    fn(&out, user);
  }
  return TGS_OK;
}

} // extern "C"
