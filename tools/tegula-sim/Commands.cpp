// The commands of tegula-sim.
#include "Commands.h"
#include "Arguments.h"
#include <cstdio>
#include <cstring>

namespace {
int printFindings(Session &s, const Options &o) {
  struct Context {
    bool json;
    int errors;
  } context{o.json, 0};
  tgs_findings(
      s.device,
      [](const tgs_finding *f, void *user) {
        auto &c = *static_cast<Context *>(user);
        std::fprintf(stderr, "%s\n", c.json ? f->json : f->text);
        c.errors += f->severity == TGS_ERROR;
      },
      &context);
  return context.errors;
}
} // namespace

int fail(const std::string &why) {
  std::fprintf(stderr, "tegula-sim: %s\n", why.c_str());
  return 1;
}

int run(Session &s, const Options &o) {
  tgs_kernel *kernel = nullptr;
  if (tgs_get_kernel(s.module, o.kernel.c_str(), &kernel) != TGS_OK)
    return fail(tgs_last_error(s.device));
  std::vector<Argument> arguments(o.arguments.size());
  std::string error;
  for (size_t i = 0; i < arguments.size(); ++i) {
    Argument &a = arguments[i];
    if (!parseArgument(o.arguments[i], a, error))
      return fail(error);
    if (a.kind != Argument::Kind::Value && tgs_malloc(s.device, a.bytes, &a.memory) != TGS_OK)
      return fail(tgs_last_error(s.device));
    if (a.memory)
      std::memcpy(a.memory, a.array.data.data(), a.array.data.size());
  }
  std::vector<std::byte> kernarg = packArguments(arguments);
  tgs_status status = tgs_launch(kernel, &o.grid, &o.block, o.lds, kernarg.data(), kernarg.size());
  int errors = printFindings(s, o);
  for (Argument &a : arguments)
    if (a.kind == Argument::Kind::Output) {
      std::memcpy(a.array.data.data(), a.memory, a.array.data.size());
      if (!writeNpy(a.path, a.array, error))
        return fail(error);
    }
  if (o.stats)
    printStatistics(s, o.json);
  if (errors)
    return 3;
  return status == TGS_OK ? 0 : fail(tgs_last_error(s.device));
}

int info(Session &s) {
  for (size_t i = 0; i < tgs_kernel_count(s.module); ++i) {
    tgs_kernel *kernel = nullptr;
    tgs_kernel_info k;
    tgs_get_kernel(s.module, tgs_kernel_name(s.module, i), &kernel);
    tgs_kernel_get_info(kernel, &k);
    std::printf("%s: kernarg %u, lds %u, scratch %u, vgprs %u, agprs %u, sgprs %u\n",
                tgs_kernel_name(s.module, i), k.kernarg_size, k.lds_bytes, k.scratch_bytes, k.vgprs,
                k.agprs, k.sgprs);
    for (size_t a = 0; a < k.argument_count; ++a)
      std::printf("  +%u %u %s %s\n", k.arguments[a].offset, k.arguments[a].size,
                  k.arguments[a].value_kind, k.arguments[a].name);
  }
  return 0;
}
