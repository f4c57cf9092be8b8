// tegula-sim debug: a launch that is stopped, looked at and continued by commands.
#include "Commands.h"
#include "DebugShell.h"
#include <cstdio>
#include <iostream>
#include <unistd.h>

namespace {
const char *const kHelp =
    "Launches a kernel under a debugger: it stops before its first instruction and takes commands "
    "from\n-x, from --script, or from stdin. exit status: as of run, and 1 if a command fails\n\n"
    "  break PLACE          stop there; PLACE is 0x48, kernel.cl:23 or 23, with wg W, wave N\n"
    "  watch WHERE [BYTES] [r|w|rw]  stop after such an access; WHERE is an address, lds OFFSET, "
    "or "
    "#1+64\n"
    "                       (the memory of the first argument, and 64 bytes on)\n"
    "  catch, nocatch       stop at reports, or don't\n"
    "  info, delete N       breakpoints\n"
    "  run                  until something stops it (also c, continue)\n"
    "  until PLACE          run to a place once\n"
    "  step [N]             until the wave has executed N instructions (also s)\n"
    "  waves, wave W N      resident waves; look at wave N of workgroup W\n"
    "  where, list [N]      the next instruction; N around it\n"
    "  print NAME…          registers: s4 s4:7 v5 a0 exec vcc scc m0 mode; lanes of vectors\n"
    "  registers            those of the wave that aren't zero, vectors by their first active "
    "lane\n"
    "  lds OFFSET [N]       N dwords of LDS (also f32, i32, f16, u8 …: lds 0 16 f32)\n"
    "  scratch LANE OFFSET [N]\n"
    "  memory WHERE [N] [TYPE]\n"
    "  trace FILE [json] [W [N]]  from here on, a line for each instruction of these waves; - is "
    "stdout\n"
    "  heat BYTES, heatmap [json]  count accesses by buckets from here on; print them\n"
    "  quit";
}

int debug(const std::vector<std::string> &words) {
  CommandLine line("debug KERNEL.co [options] [--args ARG…]", kHelp);
  DeviceOptions device;
  LaunchOptions launch;
  std::vector<std::string> commands;
  std::string script;
  line.positional("KERNEL.co", device.object);
  line.list("-x", "COMMAND", "execute a command; may be repeated, then the\ndebugger ends",
            commands);
  line.text("--script", "FILE", "commands from a file, one a line", script);
  launch.declare(line);
  device.declare(line);
  CommandLine::Result parsed = line.parse(words);
  if (parsed != CommandLine::Result::Ok)
    return parsed == CommandLine::Result::Help ? 0 : 2;
  std::string error;
  Bytes text;
  if (!script.empty()) {
    if (!readFile(script, text, error))
      return fail(error);
    std::string all(reinterpret_cast<const char *>(text.data()), text.size());
    for (size_t at = 0, end; at < all.size(); at = end + 1) {
      end = std::min(all.find('\n', at), all.size());
      commands.push_back(all.substr(at, end - at));
    }
  }
  Session s;
  PreparedLaunch p;
  if (!launch.readSidecar(error) || !s.open(device, error) || !p.prepare(s, launch, error))
    return fail(error);
  DebugShell shell(s, p);
  if (!shell.start())
    return fail(tgs_last_error(s.device));
  bool interactive = commands.empty() && isatty(0), commandless = commands.empty();
  if (!commands.empty()) {
    for (const std::string &command : commands)
      if (shell.wantsMore() && !shell.execute(command))
        return 1;
  } else {
    for (std::string command; shell.wantsMore();) {
      if (interactive)
        std::fputs("(tegula) ", stdout), std::fflush(stdout);
      if (!std::getline(std::cin, command))
        break;
      commandless = false;
      if (!shell.execute(command) && !interactive)
        return 1;
    }
  }
  int status = shell.finish();
  if (commandless && !shell.hasRun())
    return fail("no command came and nothing ran");
  return status;
}
