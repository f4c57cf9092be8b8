// What a code object holds: kernels with resources and arguments.
#include "Commands.h"
#include <cstdio>
#include <cstring>
#include <nlohmann/json.hpp>

namespace {
bool isHidden(const tgs_argument &a) { return std::strncmp(a.value_kind, "hidden_", 7) == 0; }

void printText(const char *name, const tgs_kernel_info &k) {
  std::printf("%s\n  vgprs %u, agprs %u, sgprs %u, lds %u, scratch %u, kernarg %u, at most %u "
              "work-items\n",
              name, k.vgprs, k.agprs, k.sgprs, k.lds_bytes, k.scratch_bytes, k.kernarg_size,
              k.max_workgroup_size);
  if (k.required_workgroup.x)
    std::printf("  workgroup %u,%u,%u\n", k.required_workgroup.x, k.required_workgroup.y,
                k.required_workgroup.z);
  unsigned number = 0;
  for (size_t i = 0; i < k.argument_count; ++i) {
    const tgs_argument &a = k.arguments[i];
    if (!isHidden(a))
      std::printf("  %2u: at %3u, %3u bytes, %s%s%s\n", ++number, a.offset, a.size, a.value_kind,
                  *a.name ? " " : "", a.name);
  }
}

/// A name as a file has it, which may be anything.
std::string quoted(const char *text) {
  using Json = nlohmann::json;
  return Json(text).dump(-1, ' ', false, Json::error_handler_t::replace);
}

void printJson(const char *name, const tgs_kernel_info &k) {
  std::printf("{\"name\": %s, \"vgprs\": %u, \"agprs\": %u, \"sgprs\": %u, \"lds\": %u, "
              "\"scratch\": %u, \"kernarg\": %u, \"max_workgroup\": %u, \"workgroup\": [%u, %u, "
              "%u], \"args\": [",
              quoted(name).c_str(), k.vgprs, k.agprs, k.sgprs, k.lds_bytes, k.scratch_bytes,
              k.kernarg_size, k.max_workgroup_size, k.required_workgroup.x, k.required_workgroup.y,
              k.required_workgroup.z);
  const char *between = "";
  for (size_t i = 0; i < k.argument_count; ++i) {
    const tgs_argument &a = k.arguments[i];
    if (isHidden(a))
      continue;
    std::printf("%s{\"name\": %s, \"kind\": %s, \"offset\": %u, \"size\": %u}", between,
                quoted(a.name).c_str(), quoted(a.value_kind).c_str(), a.offset, a.size);
    between = ", ";
  }
  std::printf("]}");
}
} // namespace

int list(const std::vector<std::string> &words) {
  CommandLine line("list KERNEL.co [--json]",
                   "Lists the kernels of a code object: registers, LDS and scratch bytes, "
                   "arguments.");
  DeviceOptions device;
  bool json = false;
  line.positional("KERNEL.co", device.object);
  line.flag("--json", "as a JSON object", json);
  CommandLine::Result parsed = line.parse(words);
  if (parsed != CommandLine::Result::Ok)
    return parsed == CommandLine::Result::Help ? 0 : 2;
  std::string error;
  Session s;
  if (!s.open(device, error))
    return fail(error);
  tgs_device_info info;
  tgs_get_device_info(s.device, &info);
  std::printf(json ? "{\"target\": \"%s\", \"kernels\": [" : "target %s\n", info.target);
  for (size_t i = 0; i < tgs_kernel_count(s.module); ++i) {
    const char *name = tgs_kernel_name(s.module, i);
    tgs_kernel *kernel = nullptr;
    tgs_kernel_info k;
    tgs_get_kernel(s.module, name, &kernel);
    tgs_kernel_get_info(kernel, &k);
    if (json && i)
      std::printf(",\n ");
    (json ? printJson : printText)(name, k);
  }
  if (json)
    std::printf("]}\n");
  return 0;
}
