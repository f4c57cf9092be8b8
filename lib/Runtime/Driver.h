// What a driver ("hip", "sim") does for the C API. Nothing throws: every call returns a Status.
#ifndef TEGULA_LIB_RUNTIME_DRIVER_H
#define TEGULA_LIB_RUNTIME_DRIVER_H

#include "tegula/runtime.h"

#include <memory>
#include <string>
#include <utility>

namespace tegula::runtime {

/// A status with its one line of text. Success carries none.
struct Status {
  tgr_status code = TGR_SUCCESS;
  std::string text;

  bool ok() const { return code == TGR_SUCCESS; }
  static Status error(tgr_status code, std::string text) { return {code, std::move(text)}; }
};

/// Handles of the driver underneath; opaque here.
using NativeModule = void *;
using NativeKernel = void *;

/// One opened device.
class Device {
public:
  virtual ~Device() = default;

  virtual const std::string &arch() const = 0;
  virtual uint32_t computeUnits() const = 0;
  virtual bool usesHostMemory() const = 0;

  virtual Status allocate(size_t bytes, void **pointer) = 0;
  virtual Status release(void *pointer) = 0;
  virtual Status copyToDevice(void *to, const void *from, size_t bytes) = 0;
  virtual Status copyToHost(void *to, const void *from, size_t bytes) = 0;
  /// In the order of the stream.
  virtual Status zero(void *pointer, size_t bytes, tgr_stream stream) = 0;
  virtual Status registerMemory(void *pointer, size_t bytes, bool writable) = 0;
  virtual Status unregisterMemory(void *pointer) = 0;
  /// What findings call it, where a driver has any.
  virtual Status nameMemory(void *, const char *) { return {}; }

  virtual Status load(const void *bytes, size_t size, NativeModule *module) = 0;
  virtual Status unload(NativeModule module) = 0;
  virtual Status findKernel(NativeModule module, const char *name, NativeKernel *kernel) = 0;
  virtual Status launch(NativeKernel kernel, tgr_dim3 grid, tgr_dim3 block, uint32_t dynamicLds,
                        const void *kernarg, size_t kernargBytes, tgr_stream stream) = 0;
  /// Stops the launch that runs, where a driver can; from any thread, signal handlers included.
  virtual void interrupt() {}
  virtual Status synchronize(tgr_stream stream) = 0;
  virtual Status isCapturing(tgr_stream stream, bool *capturing) = 0;

  virtual Status findings(size_t *count, const char **text) = 0;
  virtual Status clearFindings() = 0;
  virtual Status readCounters(tgr_counters *counters) = 0;
  virtual Status resetCounters() = 0;
  virtual Status accessReport(const char **json) = 0;
};

/// `ordinal` is the text after "hip:".
Status openHip(const std::string &ordinal, std::unique_ptr<Device> &device);
/// `arch` is the text after "sim:".
Status openSim(const std::string &arch, const tgr_sim_options &options,
               std::unique_ptr<Device> &device);

/// A shared library opened privately; null with the loader's own words in `error` when it isn't
/// there.
class Library {
public:
  static std::shared_ptr<Library> open(const std::string &path, std::string &error);
  ~Library();
  void *symbol(const char *name) const;

private:
  explicit Library(void *handle) : handle(handle) {}
  void *handle;
};

} // namespace tegula::runtime

#endif // TEGULA_LIB_RUNTIME_DRIVER_H
