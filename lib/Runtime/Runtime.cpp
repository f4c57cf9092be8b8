// The C API: checks arguments, keeps the calling thread's last error, forwards to a driver.
#include "Handles.h"

#include <cstring>

using tegula::runtime::finish;
using tegula::runtime::guarded;
using tegula::runtime::Refusal;
using tegula::runtime::Status;

namespace {

thread_local std::string lastError;
thread_local Refusal refusal;

tgr_status invalid(const char *text) { return finish(Status::error(TGR_INVALID_ARGUMENT, text)); }

constexpr uint64_t maxWorkItems = 0xffffffffu; // HSA dispatch packets count work-items in 32 bits

Status checkDimensions(tgr_dim3 grid, tgr_dim3 block) {
  uint64_t items = uint64_t(block.x) * block.y * block.z;
  if (items == 0 || items > 1024)
    return Status::error(TGR_INVALID_ARGUMENT,
                         "a workgroup has 1 to 1024 work-items, not " + std::to_string(items));
  const uint64_t sizes[] = {uint64_t(grid.x) * block.x, uint64_t(grid.y) * block.y,
                            uint64_t(grid.z) * block.z};
  for (uint64_t size : sizes)
    if (size > maxWorkItems)
      return Status::error(TGR_INVALID_ARGUMENT, "the grid has more than 2^32 - 1 work-items");
  return {};
}

Status openDriver(const std::string &name, const tgr_sim_options &options,
                  std::unique_ptr<tegula::runtime::Device> &driver) {
  if (name.rfind("sim:", 0) == 0)
    return tegula::runtime::openSim(name.substr(4), options, driver);
  if (name.rfind("hip:", 0) == 0)
    return tegula::runtime::openHip(name.substr(4), driver);
  return Status::error(
      TGR_NO_DEVICE, "no device '" + name +
                         "': names are hip:0, hip:1, …, and sim:ARCH with one of `tegula targets`");
}

} // namespace

tgr_status tegula::runtime::finish(Status status, Refusal why) {
  if (!status.ok()) {
    lastError = std::move(status.text);
    refusal = std::move(why);
  }
  return status.code;
}

const Refusal &tegula::runtime::lastRefusal() { return refusal; }

extern "C" {

const char *tgr_last_error(void) { return lastError.c_str(); }

const char *tgr_status_name(tgr_status status) {
  switch (status) {
  case TGR_SUCCESS:
    return "success";
  case TGR_INVALID_ARGUMENT:
    return "invalid argument";
  case TGR_NO_DEVICE:
    return "no such device";
  case TGR_INVALID_OBJECT:
    return "invalid code object";
  case TGR_NOT_FOUND:
    return "not found";
  case TGR_OUT_OF_MEMORY:
    return "out of memory";
  case TGR_LAUNCH_FAILED:
    return "launch failed";
  case TGR_DRIVER_ERROR:
    return "driver error";
  case TGR_FINDINGS:
    return "sanitizer findings";
  case TGR_NOT_WARM:
    return "not warm";
  case TGR_ASSERTION:
    return "assertion failed";
  }
  return "unknown status";
}

tgr_status tgr_device_open(const char *name, const tgr_sim_options *options, tgr_device **device) {
  if (!name || !device)
    return invalid("tgr_device_open needs a name and a place for the device");
  return guarded([&] {
    auto opened = std::make_unique<tgr_device>();
    Status status = openDriver(name, options ? *options : tgr_sim_options(), opened->driver);
    if (status.ok())
      *device = opened.release();
    return status;
  });
}

tgr_status tgr_device_close(tgr_device *device) {
  delete device;
  return TGR_SUCCESS;
}

const char *tgr_device_arch(const tgr_device *device) {
  return device ? device->driver->arch().c_str() : "";
}

uint32_t tgr_device_compute_units(const tgr_device *device) {
  return device ? device->driver->computeUnits() : 0;
}

void tgr_device_interrupt(tgr_device *device) {
  if (device)
    device->driver->interrupt();
}

int tgr_device_uses_host_memory(const tgr_device *device) {
  return device && device->driver->usesHostMemory();
}

tgr_status tgr_malloc(tgr_device *device, size_t bytes, void **pointer) {
  if (!device || !pointer)
    return invalid("tgr_malloc needs a device and a place for the pointer");
  return guarded([&] { return device->driver->allocate(bytes, pointer); });
}

tgr_status tgr_free(tgr_device *device, void *pointer) {
  if (!device)
    return invalid("tgr_free needs a device");
  return pointer ? guarded([&] { return device->driver->release(pointer); }) : TGR_SUCCESS;
}

tgr_status tgr_copy_to_device(tgr_device *device, void *to, const void *from, size_t bytes) {
  if (!device || (bytes && (!to || !from)))
    return invalid("tgr_copy_to_device needs a device and two pointers");
  return bytes ? guarded([&] { return device->driver->copyToDevice(to, from, bytes); })
               : TGR_SUCCESS;
}

tgr_status tgr_copy_to_host(tgr_device *device, void *to, const void *from, size_t bytes) {
  if (!device || (bytes && (!to || !from)))
    return invalid("tgr_copy_to_host needs a device and two pointers");
  return bytes ? guarded([&] { return device->driver->copyToHost(to, from, bytes); }) : TGR_SUCCESS;
}

tgr_status tgr_register(tgr_device *device, void *pointer, size_t bytes, int writable) {
  if (!device || !pointer || !bytes)
    return invalid("tgr_register needs a device, a pointer and a size");
  return guarded([&] { return device->driver->registerMemory(pointer, bytes, writable != 0); });
}

tgr_status tgr_unregister(tgr_device *device, void *pointer) {
  if (!device || !pointer)
    return invalid("tgr_unregister needs a device and a pointer");
  return guarded([&] { return device->driver->unregisterMemory(pointer); });
}

tgr_status tgr_name_memory(tgr_device *device, void *pointer, const char *name) {
  if (!device || !pointer || !name)
    return invalid("tgr_name_memory needs a device, a pointer and a name");
  return guarded([&] { return device->driver->nameMemory(pointer, name); });
}

tgr_status tgr_module_load(tgr_device *device, const void *bytes, size_t size,
                           tgr_module **module) {
  if (!device || !bytes || !module)
    return invalid("tgr_module_load needs a device, the bytes and a place for the module");
  return guarded([&] {
    auto loaded = std::make_unique<tgr_module>();
    loaded->device = device;
    Status status = device->driver->load(bytes, size, &loaded->native);
    if (status.ok())
      *module = loaded.release();
    return status;
  });
}

tgr_status tgr_module_unload(tgr_module *module) {
  if (!module)
    return TGR_SUCCESS;
  std::unique_ptr<tgr_module> gone(module);
  return guarded([&] { return gone->device->driver->unload(gone->native); });
}

tgr_status tgr_module_kernel(tgr_module *module, const char *name, tgr_kernel **kernel) {
  if (!module || !name || !kernel)
    return invalid("tgr_module_kernel needs a module, a name and a place for the kernel");
  return guarded([&] {
    auto found = std::make_unique<tgr_kernel>();
    found->device = module->device;
    Status status = module->device->driver->findKernel(module->native, name, &found->native);
    if (!status.ok())
      return status;
    std::lock_guard<std::mutex> guard(module->lock);
    module->kernels.push_back(std::move(found));
    *kernel = module->kernels.back().get();
    return status;
  });
}

tgr_status tgr_launch(tgr_kernel *kernel, tgr_dim3 grid, tgr_dim3 block, uint32_t dynamicLds,
                      const void *kernarg, size_t kernargBytes, tgr_stream stream) {
  if (!kernel || (kernargBytes && !kernarg))
    return invalid("tgr_launch needs a kernel and its arguments");
  if (tgr_status status = guarded([&] { return checkDimensions(grid, block); }))
    return status;
  if (grid.x == 0 || grid.y == 0 || grid.z == 0)
    return TGR_SUCCESS;
  return guarded([&] {
    return kernel->device->driver->launch(kernel->native, grid, block, dynamicLds, kernarg,
                                          kernargBytes, stream);
  });
}

tgr_status tgr_set_print(tgr_device *device, tgr_print print, void *user) {
  if (!device)
    return invalid("tgr_set_print needs a device");
  device->print = print;
  device->printUser = user;
  return TGR_SUCCESS;
}

tgr_status tgr_synchronize(tgr_device *device, tgr_stream stream) {
  if (!device)
    return invalid("tgr_synchronize needs a device");
  return guarded([&] { return device->driver->synchronize(stream); });
}

tgr_status tgr_stream_is_capturing(tgr_device *device, tgr_stream stream, int *capturing) {
  if (!device || !capturing)
    return invalid("tgr_stream_is_capturing needs a device and a place for the answer");
  bool is = false;
  tgr_status status = guarded([&] { return device->driver->isCapturing(stream, &is); });
  *capturing = is;
  return status;
}

tgr_status tgr_findings(tgr_device *device, size_t *count, const char **text) {
  if (!device || !count || !text)
    return invalid("tgr_findings needs a device and two places for the answer");
  return guarded([&] { return device->driver->findings(count, text); });
}

tgr_status tgr_clear_findings(tgr_device *device) {
  return device ? guarded([&] { return device->driver->clearFindings(); })
                : invalid("tgr_clear_findings needs a device");
}

tgr_status tgr_read_counters(tgr_device *device, tgr_counters *counters) {
  if (!device || !counters)
    return invalid("tgr_read_counters needs a device and a place for the counters");
  std::memset(counters, 0, sizeof *counters);
  return guarded([&] { return device->driver->readCounters(counters); });
}

tgr_status tgr_reset_counters(tgr_device *device) {
  return device ? guarded([&] { return device->driver->resetCounters(); })
                : invalid("tgr_reset_counters needs a device");
}

tgr_status tgr_access_report(tgr_device *device, const char **json) {
  if (!device || !json)
    return invalid("tgr_access_report needs a device and a place for the report");
  *json = "{\"instructions\":[],\"memory\":[]}";
  return guarded([&] { return device->driver->accessReport(json); });
}

} // extern "C"
