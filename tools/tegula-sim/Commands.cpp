#include "Commands.h"
#include <cstdio>
#include <cstring>

int printFindings(Session &s, bool json) {
  struct Context {
    bool json;
    int errors;
  } context{json, 0};
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

namespace {
/// The most frequent reason of accesses outside LDS.
void printLdsHint(Session &s, const PreparedLaunch &p) {
  bool outside = false;
  tgs_findings(
      s.device,
      [](const tgs_finding *f, void *user) {
        *static_cast<bool *>(user) |= std::strcmp(f->kind, "lds-out-of-bounds") == 0;
      },
      &outside);
  if (outside && p.lds == 0)
    std::fputs("note: the launch has no dynamic LDS (--lds BYTES, or \"lds\" in the sidecar)\n",
               stderr);
}

/// What the launch did that nobody asked for.
void printNotes(const PreparedLaunch &p) {
  if (!p.grid.x || !p.grid.y || !p.grid.z)
    std::fputs("note: the grid is empty, nothing ran\n", stderr);
  else if (p.blockIsGuess)
    std::fprintf(
        stderr, "note: workgroups of %u work-items: neither --block nor the kernel says how many\n",
        p.block.x);
}
} // namespace

int run(const std::vector<std::string> &words) {
  CommandLine line(
      "run KERNEL.co [options] [--args ARG…]",
      std::string("Launches a kernel, reports what is wrong with it on stderr, and "
                  "writes its outputs back.\n") +
          kArgumentHelp +
          "\nexit status: 0 clean, 1 failure, 2 bad command line, 3 errors were found");
  DeviceOptions device;
  LaunchOptions launch;
  bool json = false;
  line.positional("KERNEL.co", device.object);
  launch.declare(line);
  device.declare(line);
  line.flag("--json", "reports and statistics as JSON", json);
  line.flag("--stats", "instructions, bank conflicts and memory traffic\non stdout",
            device.countAccesses);
  CommandLine::Result parsed = line.parse(words);
  if (parsed != CommandLine::Result::Ok)
    return parsed == CommandLine::Result::Help ? 0 : 2;
  std::string error;
  Session s;
  PreparedLaunch p;
  if (!launch.readSidecar(error) || !s.open(device, error) || !p.prepare(s, launch, error))
    return fail(error);
  tgs_status status =
      tgs_launch(p.kernel, &p.grid, &p.block, p.lds, p.segment.data(), p.segment.size());
  int errors = printFindings(s, json);
  tgs_stats stats{};
  if (tgs_get_stats(s.device, &stats) == TGS_OK && stats.suppressed)
    std::fprintf(stderr, "%llu suppressed\n", (unsigned long long)stats.suppressed);
  if (stats.uncompared && *stats.uncompared)
    std::fprintf(stderr, "note: %s\n", stats.uncompared);
  bool ended = status == TGS_OK || status == TGS_ERROR_FINDINGS, written = true;
  if (ended)
    written = p.writeOutputs(error); // a launch that was stopped leaves the files alone
  if (ended && !json)
    printNotes(p);
  if (!json)
    printLdsHint(s, p);
  if (device.countAccesses)
    printStatistics(s, p, json);
  if (!written)
    fail(error);
  if (errors)
    return 3;
  return !written ? 1 : status == TGS_OK ? 0 : fail(tgs_last_error(s.device));
}

int disassemble(const std::vector<std::string> &words) {
  CommandLine line("disassemble KERNEL.co",
                   "Prints every instruction of the code object, as the simulator decodes it.");
  DeviceOptions device;
  line.positional("KERNEL.co", device.object);
  CommandLine::Result parsed = line.parse(words);
  if (parsed != CommandLine::Result::Ok)
    return parsed == CommandLine::Result::Help ? 0 : 2;
  std::string error;
  Session s;
  if (!s.open(device, error))
    return fail(error);
  tgs_disassemble(
      s.module, [](const char *t, size_t n, void *) { std::fwrite(t, 1, n, stdout); }, nullptr);
  return 0;
}
