#include "LaunchOptions.h"
#include <cstring>
#include <map>
#include <nlohmann/json.hpp>

using Json = nlohmann::json;

namespace {
bool parseDims(const std::string &text, tgs_dims &d) {
  uint32_t *axes[] = {&d.x, &d.y, &d.z};
  d = {1, 1, 1};
  size_t at = 0;
  for (uint32_t *axis : axes) {
    size_t comma = text.find(',', at);
    uint64_t n = 0;
    if (!parseNumber(text.substr(at, comma - at), n) || n > UINT32_MAX)
      return false;
    *axis = uint32_t(n);
    if (comma == std::string::npos)
      return true;
    at = comma + 1;
  }
  return false;
}

struct Malformed {
  std::string text;
};
uint64_t number(const Json &json, const char *key, uint64_t most) {
  const Json &v = json[key];
  if (!v.is_number_integer() || v.get<int64_t>() < 0 || v.get<uint64_t>() > most)
    throw Malformed{std::string("'") + key + "' is not a number of 0 to " + std::to_string(most)};
  return v.get<uint64_t>();
}
tgs_dims dims(const Json &json, const char *key) {
  Json v = json[key].is_array() ? json[key] : Json::array({json[key]});
  tgs_dims d{1, 1, 1};
  uint32_t *axes[] = {&d.x, &d.y, &d.z};
  for (size_t i = 0; i < v.size(); ++i) {
    if (i == 3 || !v[i].is_number_unsigned() || v[i].get<uint64_t>() > UINT32_MAX)
      throw Malformed{std::string("'") + key + "' is not one to three numbers"};
    *axes[i] = v[i].get<uint32_t>();
  }
  return d;
}
std::string text(const Json &v, const char *key) {
  if (!v.is_string())
    throw Malformed{std::string("'") + key + "' is not text"};
  return v.get<std::string>();
}
} // namespace

void LaunchOptions::declare(CommandLine &c) {
  c.text("--kernel", "NAME", "which kernel; not needed if there is one", kernel);
  c.option("--grid", "X[,Y[,Z]]", "workgroups [1]",
           [this](const std::string &v) { return gridGiven_ = parseDims(v, grid); });
  c.option("--block", "X[,Y[,Z]]",
           "work-items of a workgroup [what the kernel was\ncompiled for, else 64]",
           [this](const std::string &v) {
             return parseDims(v, block) && block.x && block.y && block.z;
           });
  c.option("--lds", "BYTES", "dynamic LDS [0]", [this](const std::string &v) {
    return ldsGiven_ = parseSize(v, lds) && lds <= UINT32_MAX;
  });
  c.text("--sidecar", "FILE.json",
         "kernel, grid, block, lds and args from a file;\nTriton's metadata and a variant of a "
         "manifest "
         "of\nTegula's have some of these",
         sidecar);
  c.rest("--args", "ARG…", "the kernel's arguments, in order; last option", words);
}

namespace {
/// Words that nobody reads are mistakes, except in the metadata that compilers write.
void refuseUnknown(const Json &json) {
  for (const char *metadata : {"num_warps", "kernarg_size"})
    if (json.contains(metadata))
      return;
  for (const auto &[key, value] : json.items()) {
    bool known = false;
    for (const char *k : {"kernel", "name", "grid", "block", "lds", "shared", "args"})
      known |= key == k;
    if (!known)
      throw Malformed{"unknown key '" + key + "'"};
  }
}
} // namespace

/// Keys: kernel or name; grid; block, or num_warps (of 64); lds, or shared (Triton); args (words
/// as behind --args, files relative to the sidecar).
bool LaunchOptions::readSidecar(std::string &error) {
  if (sidecar.empty())
    return true;
  Bytes bytes;
  if (!readFile(sidecar, bytes, error))
    return false;
  const auto *begin = reinterpret_cast<const char *>(bytes.data());
  Json json = Json::parse(begin, begin + bytes.size(), nullptr, false);
  try {
    if (!json.is_object())
      throw Malformed{"not a JSON object"};
    refuseUnknown(json);
    for (const char *key : {"kernel", "name"})
      if (kernel.empty() && json.contains(key))
        kernel = text(json[key], key);
    // A grid of expressions, as in Tegula's manifests, is the caller's to evaluate.
    if (!gridGiven_ && json.contains("grid") && !json.contains("kernarg_size"))
      grid = dims(json, "grid");
    if (block.x == 0 && json.contains("block")) {
      block = dims(json, "block");
      if (!block.x || !block.y || !block.z)
        throw Malformed{"'block' has an extent of 0"};
    } else if (block.x == 0 && json.contains("num_warps")) {
      block = {uint32_t(64 * number(json, "num_warps", 16)), 1, 1};
    }
    for (const char *key : {"lds", "shared"})
      if (!ldsGiven_ && json.contains(key))
        lds = number(json, key, UINT32_MAX);
    if (words.empty() && json.contains("args")) {
      if (!json["args"].is_array())
        throw Malformed{"'args' is not a list"};
      for (const Json &word : json["args"])
        words.push_back(text(word, "args"));
      size_t slash = sidecar.rfind('/');
      folder = slash == std::string::npos ? "" : sidecar.substr(0, slash);
    }
  } catch (const Malformed &m) {
    error = sidecar + ": " + m.text;
    return false;
  }
  return true;
}

namespace {
/// Memory for an array, between guard pages; what the kernel only reads stays where it is.
bool place(Session &s, Argument &a, size_t number, std::string &error) {
  tgs_device_info device;
  tgs_get_device_info(s.device, &device);
  if (a.bytes > device.memory_bytes)
    throw BadCommandLine("argument '" + a.text + "' has " + std::to_string(a.bytes) +
                         " bytes, the memory of a " + device.target + " " +
                         std::to_string(device.memory_bytes));
  Bytes &data = a.array.data;
  void *memory = data.data();
  bool readOnly = !a.place.path.empty() && !a.isOutput && !data.empty();
  tgs_status status = readOnly ? tgs_register(s.device, memory, data.size(), TGS_READ)
                               : tgs_malloc(s.device, size_t(a.bytes), &memory);
  std::string name = "argument " + std::to_string(number) + " (" + a.text + ")";
  if (status == TGS_OK)
    status = tgs_name_memory(s.device, memory, name.c_str());
  if (status == TGS_OK && a.isUndefined)
    status = tgs_mark_defined(s.device, memory, size_t(a.bytes), 0);
  if (status != TGS_OK) {
    error = "argument '" + a.text + "': " + tgs_last_error(s.device);
    return false;
  }
  if (!readOnly && !data.empty())
    std::memcpy(memory, data.data(), data.size());
  a.value.resize(sizeof memory);
  std::memcpy(a.value.data(), &memory, sizeof memory);
  return true;
}

/// A later output would silently win.
void refuseTwice(const std::vector<Argument> &all) {
  std::map<std::pair<std::string, std::string>, size_t> written;
  for (size_t i = 0; i < all.size(); ++i) {
    if (!all[i].isOutput)
      continue;
    auto [first, isNew] =
        written.emplace(std::make_pair(writtenFile(all[i].place.path), all[i].place.member), i);
    if (!isNew)
      throw BadCommandLine(
          "arguments " + std::to_string(first->second + 1) + " and " + std::to_string(i + 1) +
          " both write '" + all[i].place.path +
          "'; for the same memory twice the second is same:" + std::to_string(first->second + 1));
  }
}

tgs_dims defaultBlock(const tgs_kernel_info &info) {
  return info.required_workgroup.x ? info.required_workgroup : tgs_dims{64, 1, 1};
}
} // namespace

bool PreparedLaunch::prepare(Session &s, const LaunchOptions &o, std::string &error) {
  kernel = s.kernel(o.kernel);
  tgs_kernel_info info;
  tgs_kernel_get_info(kernel, &info);
  grid = o.grid;
  block = o.block.x ? o.block : defaultBlock(info);
  blockIsGuess = !o.block.x && !info.required_workgroup.x;
  lds = uint32_t(o.lds);
  for (const std::string &word : o.words) {
    Argument a;
    size_t number = arguments.size() + 1;
    if (!parseArgument(word, o.folder, a, error) ||
        (a.isOutput && !canWrite(a.place.path, error)) ||
        (a.isMemory && !place(s, a, number, error)))
      return false;
    if (a.same && (a.same >= number || !arguments[size_t(a.same) - 1].isMemory))
      throw BadCommandLine("argument '" + word + "' names no memory of an earlier argument");
    if (a.same)
      a.value = arguments[size_t(a.same) - 1].value;
    arguments.push_back(std::move(a));
  }
  refuseTwice(arguments);
  segment = packArguments(info, arguments);
  return true;
}

bool PreparedLaunch::writeOutputs(std::string &error) {
  ArrayWriter writer;
  for (Argument &a : arguments) {
    if (!a.isOutput)
      continue;
    void *memory = nullptr;
    std::memcpy(&memory, a.value.data(), sizeof memory);
    a.array.data.resize(size_t(a.bytes));
    if (a.bytes)
      std::memcpy(a.array.data.data(), memory, size_t(a.bytes));
    writer.add(a.place, a.array);
  }
  return writer.write(error);
}
