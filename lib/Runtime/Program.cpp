// Programs of the C API: manifests with their code objects, loaded when a variant is first chosen.
#include "Handles.h"
#include "Plan.h"

#include <algorithm>
#include <atomic>
#include <fstream>
#include <iterator>
#include <mutex>

using namespace tegula::runtime;

namespace {

/// A variant's module on the device. `kernel` is null until it is loaded.
struct Loaded {
  std::optional<std::string> code; ///< from memory; none: read from `file` of the variant
  tgr_module *module = nullptr;
  std::atomic<tgr_kernel *> kernel{nullptr};
};

Status readFile(const std::string &path, std::string &bytes) {
  std::ifstream stream(path, std::ios::binary);
  if (stream)
    bytes.assign(std::istreambuf_iterator<char>(stream), {});
  return stream ? Status() : Status::error(TGR_NOT_FOUND, "cannot read '" + path + "'");
}

} // namespace

struct tgr_program {
  tgr_device *device;
  std::string folder; ///< of the code objects, with its slash
  std::vector<Variant> variants;
  std::unique_ptr<Loaded[]> loaded; ///< one a variant
  std::mutex lock;                  ///< guards loading

  ~tgr_program() {
    for (size_t i = 0; loaded && i < variants.size(); ++i)
      if (loaded[i].module)
        tgr_module_unload(loaded[i].module);
  }

  /// Null after an error, which tgr_last_error then tells.
  tgr_kernel *kernel(uint32_t index, tgr_stream stream, tgr_status &status) {
    Loaded &entry = loaded[index];
    if (tgr_kernel *ready = entry.kernel.load(std::memory_order_acquire))
      return ready;
    status = mayLoad(variants[index].kernel, stream);
    if (status != TGR_SUCCESS)
      return nullptr;
    std::lock_guard<std::mutex> guard(lock);
    status = load(variants[index], entry);
    return entry.kernel.load(std::memory_order_relaxed);
  }

private:
  /// Loading is not allowed while a graph is recorded.
  tgr_status mayLoad(const std::string &name, tgr_stream stream) {
    uint64_t capture = 0;
    tgr_status status = tgr_stream_capture(device, stream, &capture);
    if (status != TGR_SUCCESS || !capture)
      return status;
    return finish(Status::error(TGR_NOT_WARM, name +
                                                  " is launched for the first time on a stream "
                                                  "that is being captured; launch it once before"));
  }

  tgr_status load(const Variant &variant, Loaded &entry) {
    if (entry.kernel.load(std::memory_order_relaxed))
      return TGR_SUCCESS;
    std::string bytes;
    Status read = entry.code ? Status() : readFile(folder + variant.file, bytes);
    if (!read.ok())
      return finish(std::move(read));
    const std::string &code = entry.code ? *entry.code : bytes;
    tgr_status status = TGR_SUCCESS;
    if (!entry.module)
      status = tgr_module_load(device, code.data(), code.size(), &entry.module);
    tgr_kernel *kernel = nullptr;
    if (status == TGR_SUCCESS)
      status = tgr_module_kernel(entry.module, variant.kernel.c_str(), &kernel);
    entry.kernel.store(kernel, std::memory_order_release);
    return status;
  }
};

namespace {

tgr_status plan(tgr_program &program, const tgr_argument *arguments, uint32_t count,
                tgr_plan &plan) {
  const Device &device = *program.device->driver;
  auto refusal =
      makePlan(program.variants, device.arch(), device.computeUnits(), arguments, count, plan);
  if (!refusal)
    return TGR_SUCCESS;
  tgr_status code = refusal->overlaps ? TGR_OVERLAP : TGR_INVALID_ARGUMENT;
  Status status = Status::error(code, refusal->message());
  return finish(std::move(status), std::move(*refusal));
}

/// Counters in the workspace start at 0 at every launch, whatever an earlier one, or one that was
/// broken off, has left there.
tgr_status prepareWorkspace(tgr_program &program, const tgr_argument *arguments, uint32_t count,
                            const tgr_plan &plan, tgr_stream stream) {
  bool isEmpty = plan.grid.x == 0 || plan.grid.y == 0 || plan.grid.z == 0;
  if (plan.workspace_bytes == 0 || isEmpty)
    return TGR_SUCCESS;
  const tgr_argument *last = count ? &arguments[count - 1] : nullptr;
  if (!last || last->kind != TGR_WORKSPACE || !last->data) {
    Refusal refusal{"workspace", "none",
                    std::to_string(plan.workspace_bytes) + " bytes, as the plan says"};
    Status status = Status::error(TGR_INVALID_ARGUMENT, refusal.message());
    return finish(std::move(status), std::move(refusal));
  }
  return finish(program.device->driver->zero(const_cast<void *>(last->data),
                                             plan.workspace_zero_bytes, stream));
}

tgr_status invalid(const char *text) { return finish(Status::error(TGR_INVALID_ARGUMENT, text)); }

} // namespace

extern "C" {

tgr_status tgr_program_open(tgr_device *device, const char *path, tgr_program **program) {
  if (!device || !path || !program)
    return invalid("tgr_program_open needs a device, a path and a place for the program");
  auto opened = std::make_unique<tgr_program>();
  opened->device = device;
  std::string name = path, manifest;
  opened->folder = name.substr(0, name.find_last_of('/') + 1);
  Status status = readFile(name, manifest);
  if (status.ok())
    status = readManifest(manifest, opened->variants);
  if (!status.ok())
    return finish(Status::error(status.code, name + ": " + status.text));
  opened->loaded = std::make_unique<Loaded[]>(opened->variants.size());
  *program = opened.release();
  return TGR_SUCCESS;
}

tgr_status tgr_program_create(tgr_device *device, const char *record, const void *code,
                              size_t code_bytes, tgr_program **program) {
  if (!device || !record || !code || !program)
    return invalid("tgr_program_create needs a device, a record, a code object and a place for "
                   "the program");
  auto created = std::make_unique<tgr_program>();
  created->device = device;
  Status status = readVariant(record, created->variants.emplace_back());
  if (!status.ok())
    return finish(std::move(status));
  created->loaded = std::make_unique<Loaded[]>(1);
  created->loaded[0].code.emplace(static_cast<const char *>(code), code_bytes);
  *program = created.release();
  return TGR_SUCCESS;
}

tgr_status tgr_program_close(tgr_program *program) {
  delete program;
  return TGR_SUCCESS;
}

tgr_status tgr_program_plan(tgr_program *program, const tgr_argument *arguments, uint32_t count,
                            tgr_plan *result) {
  if (!program || !result || (count && !arguments))
    return invalid("tgr_program_plan needs a program, its arguments and a place for the plan");
  return plan(*program, arguments, count, *result);
}

tgr_status tgr_program_launch(tgr_program *program, const tgr_argument *arguments, uint32_t count,
                              tgr_stream stream) {
  if (!program || (count && !arguments))
    return invalid("tgr_program_launch needs a program and its arguments");
  tgr_plan launch;
  tgr_status status = plan(*program, arguments, count, launch);
  if (status != TGR_SUCCESS)
    return status;
  tgr_kernel *kernel = program->kernel(launch.variant, stream, status);
  if (!kernel)
    return status;
  status = prepareWorkspace(*program, arguments, count, launch, stream);
  if (status != TGR_SUCCESS)
    return status;
  return tgr_launch(kernel, launch.grid, launch.block, 0, launch.kernarg, launch.kernarg_bytes,
                    stream);
}

int tgr_program_uses_workspace(const tgr_program *program) {
  return program && std::any_of(program->variants.begin(), program->variants.end(),
                                [](const Variant &v) { return !v.workspace.empty(); });
}

void tgr_refusal(const char **argument, const char **found, const char **expected) {
  const Refusal &refusal = lastRefusal();
  *argument = refusal.argument.c_str();
  *found = refusal.found.c_str();
  *expected = refusal.expected.c_str();
}

int tgr_rows_repeat(uint32_t rank, const int64_t *shape, const int64_t *strides) {
  return shape && strides && rowsRepeat(rank, shape, strides);
}

} // extern "C"
