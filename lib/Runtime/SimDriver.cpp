// The driver of simulated devices: libtegula-sim, loaded from beside this library.
#include "Driver.h"
#include "tegula/sim.h"

#include <dlfcn.h>
#include <mutex>

namespace tegula::runtime {
namespace {

/// The entry points used here, each with the type that sim.h declares.
struct SimApi {
  std::shared_ptr<Library> library;
  decltype(&tgs_open) open = nullptr;
  decltype(&tgs_close) close = nullptr;
  decltype(&tgs_last_error) lastError = nullptr;
  decltype(&tgs_malloc) allocate = nullptr;
  decltype(&tgs_free) release = nullptr;
  decltype(&tgs_register) registerMemory = nullptr;
  decltype(&tgs_unregister) unregisterMemory = nullptr;
  decltype(&tgs_name_memory) nameMemory = nullptr;
  decltype(&tgs_load) load = nullptr;
  decltype(&tgs_unload) unload = nullptr;
  decltype(&tgs_get_kernel) getKernel = nullptr;
  decltype(&tgs_launch) launch = nullptr;
  decltype(&tgs_interrupt) interrupt = nullptr;
  decltype(&tgs_findings) findings = nullptr;
  decltype(&tgs_clear_findings) clearFindings = nullptr;
  decltype(&tgs_get_device_info) getDeviceInfo = nullptr;
  decltype(&tgs_get_stats) getStats = nullptr;
  decltype(&tgs_accesses) accesses = nullptr;
  decltype(&tgs_memory_traffic) memoryTraffic = nullptr;
};

/// libtegula-sim.so in the directory that this library was loaded from.
std::string libraryBeside() {
  Dl_info info;
  if (!dladdr(reinterpret_cast<void *>(&libraryBeside), &info) || !info.dli_fname)
    return "libtegula-sim.so";
  std::string path = info.dli_fname;
  size_t slash = path.rfind('/');
  return (slash == std::string::npos ? "" : path.substr(0, slash + 1)) + "libtegula-sim.so";
}

Status loadApi(SimApi &api) {
  std::string reason;
  api.library = Library::open(libraryBeside(), reason);
  if (!api.library)
    return Status::error(TGR_NO_DEVICE, "the simulated device's library is missing: " + reason);
  const char *missing = nullptr;
  auto bind = [&](const char *name, auto &function) {
    function = reinterpret_cast<std::decay_t<decltype(function)>>(api.library->symbol(name));
    if (!function)
      missing = name;
  };
  bind("tgs_open", api.open);
  bind("tgs_close", api.close);
  bind("tgs_last_error", api.lastError);
  bind("tgs_get_device_info", api.getDeviceInfo);
  bind("tgs_malloc", api.allocate);
  bind("tgs_free", api.release);
  bind("tgs_register", api.registerMemory);
  bind("tgs_unregister", api.unregisterMemory);
  bind("tgs_name_memory", api.nameMemory);
  bind("tgs_load", api.load);
  bind("tgs_unload", api.unload);
  bind("tgs_get_kernel", api.getKernel);
  bind("tgs_launch", api.launch);
  bind("tgs_interrupt", api.interrupt);
  bind("tgs_findings", api.findings);
  bind("tgs_clear_findings", api.clearFindings);
  bind("tgs_get_stats", api.getStats);
  bind("tgs_accesses", api.accesses);
  bind("tgs_memory_traffic", api.memoryTraffic);
  return missing ? Status::error(TGR_NO_DEVICE, std::string("libtegula-sim has no ") + missing)
                 : Status();
}

tgr_status codeOf(tgs_status status) {
  switch (status) {
  case TGS_OK:
    return TGR_SUCCESS;
  case TGS_ERROR_INVALID_ARGUMENT:
    return TGR_INVALID_ARGUMENT;
  case TGS_ERROR_OUT_OF_MEMORY:
    return TGR_OUT_OF_MEMORY;
  case TGS_ERROR_INVALID_OBJECT:
  case TGS_ERROR_OTHER_TARGET:
    return TGR_INVALID_OBJECT;
  case TGS_ERROR_NOT_FOUND:
    return TGR_NOT_FOUND;
  case TGS_ERROR_FINDINGS:
    return TGR_FINDINGS;
  case TGS_ERROR_RESOURCES:
  case TGS_ERROR_ABORTED:
    return TGR_LAUNCH_FAILED;
  }
  return TGR_DRIVER_ERROR;
}

class SimDevice final : public Device {
public:
  SimDevice(SimApi api, tgs_device *device, std::string arch)
      : api(std::move(api)), device(device), architecture(std::move(arch)) {
    this->api.getDeviceInfo(device, &info);
  }
  ~SimDevice() override { api.close(device); }

  const std::string &arch() const override { return architecture; }
  uint32_t computeUnits() const override { return info.compute_units; }
  bool usesHostMemory() const override { return true; }
  void interrupt() override { api.interrupt(device); }

  Status allocate(size_t bytes, void **pointer) override {
    std::lock_guard<std::mutex> guard(lock);
    return check(api.allocate(device, bytes, pointer));
  }
  Status release(void *pointer) override {
    std::lock_guard<std::mutex> guard(lock);
    return check(api.release(device, pointer));
  }
  // Device memory is host memory.
  Status copyToDevice(void *to, const void *from, size_t bytes) override {
    __builtin_memcpy(to, from, bytes);
    return {};
  }
  Status copyToHost(void *to, const void *from, size_t bytes) override {
    return copyToDevice(to, from, bytes);
  }
  Status zero(void *pointer, size_t bytes, tgr_stream) override {
    __builtin_memset(pointer, 0, bytes);
    return {};
  }
  Status registerMemory(void *pointer, size_t bytes, bool writable) override {
    std::lock_guard<std::mutex> guard(lock);
    return check(api.registerMemory(device, pointer, bytes,
                                    writable ? TGS_READ | TGS_WRITE : unsigned(TGS_READ)));
  }
  Status unregisterMemory(void *pointer) override {
    std::lock_guard<std::mutex> guard(lock);
    return check(api.unregisterMemory(device, pointer));
  }
  Status nameMemory(void *pointer, const char *name) override {
    std::lock_guard<std::mutex> guard(lock);
    return check(api.nameMemory(device, pointer, name));
  }

  Status load(const void *bytes, size_t size, NativeModule *module) override {
    std::lock_guard<std::mutex> guard(lock);
    return check(api.load(device, bytes, size, reinterpret_cast<tgs_module **>(module)));
  }
  Status unload(NativeModule module) override {
    std::lock_guard<std::mutex> guard(lock);
    api.unload(static_cast<tgs_module *>(module));
    return {};
  }
  Status findKernel(NativeModule module, const char *name, NativeKernel *kernel) override {
    std::lock_guard<std::mutex> guard(lock);
    return check(api.getKernel(static_cast<tgs_module *>(module), name,
                               reinterpret_cast<tgs_kernel **>(kernel)));
  }

  Status launch(NativeKernel kernel, tgr_dim3 grid, tgr_dim3 block, uint32_t dynamicLds,
                const void *kernarg, size_t kernargBytes, tgr_stream stream) override {
    if (stream)
      return Status::error(TGR_INVALID_ARGUMENT, "a simulated device has one stream, NULL");
    std::lock_guard<std::mutex> guard(lock);
    tgs_dims groups = {grid.x, grid.y, grid.z}, items = {block.x, block.y, block.z};
    Status status = check(api.launch(static_cast<tgs_kernel *>(kernel), &groups, &items, dynamicLds,
                                     kernarg, kernargBytes));
    count();
    return status;
  }
  Status synchronize(tgr_stream) override { return {}; } // launches return when they have ended
  Status isCapturing(tgr_stream, bool *capturing) override {
    *capturing = false; // there are no graphs
    return {};
  }

  Status findings(size_t *count, const char **text) override {
    std::lock_guard<std::mutex> guard(lock);
    report.clear();
    findingCount = 0;
    Status status = check(api.findings(
        device,
        [](const tgs_finding *finding, void *self) {
          auto *sim = static_cast<SimDevice *>(self);
          sim->report += finding->text;
          sim->report += '\n';
          ++sim->findingCount;
        },
        this));
    *count = findingCount;
    *text = report.c_str();
    return status;
  }
  Status clearFindings() override {
    std::lock_guard<std::mutex> guard(lock);
    return check(api.clearFindings(device));
  }
  Status readCounters(tgr_counters *result) override {
    std::lock_guard<std::mutex> guard(lock);
    *result = counters;
    return {};
  }
  Status resetCounters() override {
    std::lock_guard<std::mutex> guard(lock);
    counters = {};
    return {};
  }
  Status accessReport(const char **json) override {
    std::lock_guard<std::mutex> guard(lock);
    std::string instructions, memory;
    auto append = [](const auto *row, void *list) {
      auto &text = *static_cast<std::string *>(list);
      text += (text.empty() ? "" : ",") + std::string(row->json);
    };
    Status status = check(api.accesses(device, append, &instructions));
    if (status.ok())
      status = check(api.memoryTraffic(device, append, &memory));
    report = "{\"instructions\":[" + instructions + "],\"memory\":[" + memory + "]}";
    *json = report.c_str();
    return status;
  }

private:
  Status check(tgs_status status) const {
    return status == TGS_OK ? Status() : Status::error(codeOf(status), api.lastError(device));
  }

  void count() {
    tgs_stats last = {};
    if (api.getStats(device, &last) != TGS_OK)
      return;
    ++counters.launches;
    counters.workgroups += last.workgroups;
    counters.waves += last.waves;
    counters.valu += last.valu;
    counters.salu += last.salu;
    counters.mfma += last.mfma;
    counters.lds += last.lds;
    counters.vmem += last.vmem;
    counters.smem += last.smem;
    counters.other += last.other;
    counters.total += last.total;
  }

  SimApi api;
  tgs_device *device;
  std::string architecture;
  tgs_device_info info = {};
  std::mutex lock; // calls on one simulated device must not overlap
  tgr_counters counters = {};
  std::string report;
  size_t findingCount = 0;
};

} // namespace

Status openSim(const std::string &arch, const tgr_sim_options &options,
               std::unique_ptr<Device> &device) {
  SimApi api;
  Status status = loadApi(api);
  if (!status.ok())
    return status;
  tgs_config config = {};
  config.target = arch.c_str();
  config.sanitizers = options.no_sanitizers ? TGS_SANITIZE_NONE : TGS_SANITIZE_ALL;
  config.threads = options.threads;
  config.schedule = options.random_seed ? TGS_SCHEDULE_RANDOM : TGS_SCHEDULE_FIFO;
  config.seed = options.random_seed;
  config.instruction_limit = options.max_wave_instructions;
  config.count_accesses = options.count_accesses != 0;
  char message[512] = "";
  tgs_device *opened = nullptr;
  if (tgs_status code = api.open(&config, &opened, message, sizeof message))
    return Status::error(code == TGS_ERROR_INVALID_ARGUMENT ? TGR_NO_DEVICE : codeOf(code),
                         "no device 'sim:" + arch + "': " + message);
  device = std::make_unique<SimDevice>(std::move(api), opened, arch);
  return {};
}

} // namespace tegula::runtime
