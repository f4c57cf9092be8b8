// Programs of the C API: manifests with their code objects, loaded when a variant is first chosen.
#include "Handles.h"
#include "Plan.h"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <mutex>

using namespace tegula::runtime;

namespace {

/// A variant's module on the device. `kernel` is null until it is loaded.
struct Loaded {
  std::optional<std::string> code; ///< from memory; none: read from `file` of the variant
  tgr_module *module = nullptr;
  std::atomic<tgr_kernel *> kernel{nullptr};
  void *records = nullptr; ///< on the device; null: the kernel writes none
  std::mutex recording;    ///< records belong to one launch
};

Status readFile(const std::string &path, std::string &bytes) {
  std::error_code problem;
  uintmax_t size = std::filesystem::file_size(path, problem); // of regular files alone
  if (!problem) {
    bytes.resize(size);
    errno = 0;
    if (!std::ifstream(path, std::ios::binary).read(bytes.data(), std::streamsize(size)))
      problem.assign(errno ? errno : EIO, std::generic_category());
  }
  if (!problem)
    return {};
  return Status::error(TGR_NOT_FOUND, "cannot read '" + path + "': " + problem.message());
}

/// A bundle may be cut short, or written half over another one.
Status checkCode(const CodeStamp &stamp, const std::string &name, const std::string &code) {
  uint32_t found = crc32(code);
  if (code.size() == stamp.bytes && found == stamp.crc32)
    return {};
  char text[160];
  std::snprintf(text, sizeof text,
                " is not the code object of this manifest: %zu bytes with CRC-32 %08x, not %llu "
                "with %08x",
                code.size(), found, static_cast<unsigned long long>(stamp.bytes), stamp.crc32);
  return Status::error(TGR_INVALID_OBJECT, name + text);
}

} // namespace

struct tgr_program {
  tgr_device *device;
  std::string folder; ///< of the code objects, with its slash
  std::vector<Variant> variants;
  std::unique_ptr<Loaded[]> loaded; ///< one a variant
  std::mutex lock;                  ///< guards loading

  /// Unloads what was loaded; the last failure.
  tgr_status close() {
    tgr_status status = TGR_SUCCESS;
    auto keep = [&](tgr_status now) { status = now == TGR_SUCCESS ? status : now; };
    for (size_t i = 0; i < variants.size(); ++i) {
      keep(tgr_module_unload(loaded[i].module));
      keep(tgr_free(device, loaded[i].records));
    }
    return status;
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
    int capturing = 0;
    tgr_status status = tgr_stream_is_capturing(device, stream, &capturing);
    if (status != TGR_SUCCESS || !capturing)
      return status;
    return finish(Status::error(TGR_NOT_WARM, name +
                                                  " is launched for the first time on a stream "
                                                  "that is being captured; launch it once before"));
  }

  tgr_status load(const Variant &variant, Loaded &entry) {
    if (entry.kernel.load(std::memory_order_relaxed))
      return TGR_SUCCESS;
    std::string bytes, path = folder + variant.file;
    Status read = entry.code ? Status() : readFile(path, bytes);
    const std::string &code = entry.code ? *entry.code : bytes;
    if (read.ok() && variant.code)
      read = checkCode(*variant.code, entry.code ? variant.kernel : "'" + path + "'", code);
    if (!read.ok())
      return finish(std::move(read));
    tgr_status status = TGR_SUCCESS;
    if (!entry.module)
      status = tgr_module_load(device, code.data(), code.size(), &entry.module);
    if (status == TGR_SUCCESS && variant.records && !entry.records)
      status = finish(device->driver->allocate(variant.records->bytes(), &entry.records));
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
  Status status = Status::error(TGR_INVALID_ARGUMENT, refusal->message());
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

//===--- Records ---===//

thread_local Failure lastFailure;
thread_local std::vector<tgr_place> lastPlaces;

void print(const tgr_device &device, const std::string &text) {
  if (text.empty())
    return;
  if (device.print)
    return device.print(device.printUser, text.c_str());
  std::fwrite(text.data(), 1, text.size(), stdout);
  std::fflush(stdout);
}

/// The words that launches have written, which are zeros again afterwards: a launch that is broken
/// off must not leave older ones behind.
Status collect(Device &driver, const RecordTable &table, void *buffer, tgr_stream stream,
               std::vector<int64_t> &words, uint64_t &taken) {
  Status status = driver.synchronize(stream);
  if (status.ok())
    status = driver.copyToHost(&taken, buffer, sizeof taken);
  if (!status.ok() || taken == 0)
    return status;
  auto *first = static_cast<int64_t *>(buffer) + table.header;
  words.resize(size_t(std::min<uint64_t>(taken, table.words)));
  status = driver.copyToHost(words.data(), first, words.size() * sizeof(int64_t));
  if (status.ok())
    status = driver.zero(buffer, (table.header + words.size()) * sizeof(int64_t), stream);
  return status;
}

tgr_status readRecords(tgr_program &program, uint32_t index, tgr_stream stream) {
  const Variant &variant = program.variants[index];
  std::vector<int64_t> words;
  uint64_t taken = 0;
  Status status = collect(*program.device->driver, *variant.records, program.loaded[index].records,
                          stream, words, taken);
  if (!status.ok())
    return finish(std::move(status));
  Report report = tegula::runtime::readRecords(*variant.records, variant.kernel, words, taken);
  print(*program.device, report.printed);
  if (!report.failure)
    return TGR_SUCCESS;
  lastFailure = std::move(*report.failure);
  return finish(Status::error(TGR_ASSERTION, lastFailure.text()));
}

/// A launch that writes records, and what they say. An assertion that failed is why whatever else
/// has gone wrong.
tgr_status launchRecording(tgr_program &program, tgr_kernel *kernel, tgr_plan &plan,
                           tgr_stream stream) {
  Loaded &entry = program.loaded[plan.variant];
  const RecordTable &table = *program.variants[plan.variant].records;
  std::lock_guard<std::mutex> guard(entry.recording);
  std::memcpy(plan.kernarg + table.offset, &entry.records, sizeof entry.records);
  Device &driver = *program.device->driver;
  tgr_status status = finish(driver.zero(entry.records, table.header * sizeof(int64_t), stream));
  if (status != TGR_SUCCESS)
    return status;
  status = tgr_launch(kernel, plan.grid, plan.block, 0, plan.kernarg, plan.kernarg_bytes, stream);
  bool capturing = false;
  Status asked = driver.isCapturing(stream, &capturing);
  if (!asked.ok() && status == TGR_SUCCESS)
    return finish(std::move(asked));
  if (!asked.ok() || capturing)
    return status;
  tgr_status said = readRecords(program, plan.variant, stream);
  return said == TGR_ASSERTION || status == TGR_SUCCESS ? said : status;
}

tgr_status readAllRecords(tgr_program &program, tgr_stream stream) {
  for (uint32_t i = 0; i < program.variants.size(); ++i) {
    Loaded &entry = program.loaded[i];
    if (!entry.kernel.load(std::memory_order_acquire) || !entry.records)
      continue;
    std::lock_guard<std::mutex> guard(entry.recording);
    if (tgr_status status = readRecords(program, i, stream))
      return status;
  }
  return TGR_SUCCESS;
}

tgr_status launch(tgr_program &program, const tgr_argument *arguments, uint32_t count,
                  tgr_stream stream) {
  tgr_plan plan;
  tgr_status status = ::plan(program, arguments, count, plan);
  if (status != TGR_SUCCESS)
    return status;
  tgr_kernel *kernel = program.kernel(plan.variant, stream, status);
  if (!kernel)
    return status;
  status = prepareWorkspace(program, arguments, count, plan, stream);
  if (status != TGR_SUCCESS)
    return status;
  if (program.variants[plan.variant].records)
    return launchRecording(program, kernel, plan, stream);
  return tgr_launch(kernel, plan.grid, plan.block, 0, plan.kernarg, plan.kernarg_bytes, stream);
}

tgr_status invalid(const char *text) { return finish(Status::error(TGR_INVALID_ARGUMENT, text)); }

} // namespace

extern "C" {

tgr_status tgr_program_open(tgr_device *device, const char *path, tgr_program **program) {
  if (!device || !path || !program)
    return invalid("tgr_program_open needs a device, a path and a place for the program");
  return guarded([&] {
    auto opened = std::make_unique<tgr_program>();
    opened->device = device;
    std::string name = path, manifest;
    opened->folder = name.substr(0, name.find_last_of('/') + 1);
    Status status = readFile(name, manifest);
    if (!status.ok())
      return status;
    status = readManifest(manifest, opened->variants);
    if (!status.ok())
      return Status::error(status.code, name + ": " + status.text);
    opened->loaded = std::make_unique<Loaded[]>(opened->variants.size());
    *program = opened.release();
    return status;
  });
}

tgr_status tgr_program_create(tgr_device *device, const char *record, const void *code,
                              size_t code_bytes, tgr_program **program) {
  if (!device || !record || !code || !program)
    return invalid("tgr_program_create needs a device, a record, a code object and a place for "
                   "the program");
  return guarded([&] {
    auto created = std::make_unique<tgr_program>();
    created->device = device;
    Status status = readVariant(record, created->variants.emplace_back());
    if (!status.ok())
      return status;
    created->loaded = std::make_unique<Loaded[]>(1);
    created->loaded[0].code.emplace(static_cast<const char *>(code), code_bytes);
    *program = created.release();
    return status;
  });
}

tgr_status tgr_program_close(tgr_program *program) {
  std::unique_ptr<tgr_program> gone(program);
  return gone ? guarded([&] { return gone->close(); }) : TGR_SUCCESS;
}

tgr_status tgr_program_plan(tgr_program *program, const tgr_argument *arguments, uint32_t count,
                            tgr_plan *result) {
  if (!program || !result || (count && !arguments))
    return invalid("tgr_program_plan needs a program, its arguments and a place for the plan");
  return guarded([&] { return plan(*program, arguments, count, *result); });
}

tgr_status tgr_program_launch(tgr_program *program, const tgr_argument *arguments, uint32_t count,
                              tgr_stream stream) {
  if (!program || (count && !arguments))
    return invalid("tgr_program_launch needs a program and its arguments");
  return guarded([&] { return launch(*program, arguments, count, stream); });
}

tgr_status tgr_program_read_records(tgr_program *program, tgr_stream stream) {
  if (!program)
    return invalid("tgr_program_read_records needs a program");
  return guarded([&] { return readAllRecords(*program, stream); });
}

void tgr_failed(tgr_failure *failure) {
  *failure = {};
  failure->kernel = lastFailure.kernel.c_str();
  failure->message = lastFailure.message.c_str();
  failure->is_bounds = lastFailure.isBounds;
  failure->workgroups = lastFailure.workgroups;
  std::copy(std::begin(lastFailure.workgroup), std::end(lastFailure.workgroup), failure->workgroup);
  failure->rank = uint32_t(lastFailure.element.size());
  std::copy(lastFailure.element.begin(), lastFailure.element.end(), failure->element);
  lastPlaces.clear();
  for (const Place &place : lastFailure.places)
    lastPlaces.push_back(
        {place.file.c_str(), place.line, place.column, place.endLine, place.endColumn});
  failure->place_count = uint32_t(lastPlaces.size());
  failure->places = lastPlaces.data();
}

tgr_status tgr_format_record(const char *site, const int64_t *values, size_t count,
                             const char **text) {
  if (!site || !text || (count && !values))
    return invalid("tgr_format_record needs a site, its values and a place for the text");
  thread_local std::string result;
  return guarded([&] {
    Site read;
    Status status = readSite(site, read);
    if (status.ok() && valueWords(read) != count)
      return Status::error(TGR_INVALID_ARGUMENT,
                           "tgr_format_record needs as many words as the fields have");
    if (status.ok())
      result = formatValues(read, values);
    *text = result.c_str();
    return status;
  });
}

const char *tgr_program_argument(const tgr_program *program, uint32_t index) {
  if (!program || program->variants.empty())
    return nullptr;
  const std::vector<Parameter> &parameters = program->variants.front().parameters;
  return index < parameters.size() ? parameters[index].name.c_str() : nullptr;
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
