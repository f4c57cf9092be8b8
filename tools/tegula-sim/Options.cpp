#include "Options.h"
#include <cstdio>
#include <cstdlib>
#include <cstring>

const char *const kUsage =
    "usage: tegula-sim run KERNEL.co --kernel NAME --grid X,Y,Z --block X,Y,Z [options] [--args "
    "ARG…]\n"
    "       tegula-sim disassemble KERNEL.co [--target T]\n"
    "       tegula-sim info KERNEL.co [--target T]\n"
    "       tegula-sim coverage [--json] [--tested FILE]\n"
    "  --target gfx950|gfx942  --lds BYTES (dynamic)  --threads N  --no-sanitize  --random SEED  "
    "--limit N  --json  --stats\n"
    "  ARG: i32:5 i64:5 f32:1.5 f64:1.5 in:file.npy out:file.npy buf:BYTES\n"
    "  --stats: instructions, bank conflicts and memory traffic, as tables or (--json) as one JSON "
    "object\n"
    "exit status: 0 clean, 1 failure, 2 bad command line, 3 errors were found\n";

namespace {
bool parseDims(const char *text, tgs_dims &d) {
  d = {1, 1, 1};
  return std::sscanf(text, "%u,%u,%u", &d.x, &d.y, &d.z) >= 1;
}
} // namespace

bool parseOptions(int argc, char **argv, Options &o, std::string &error) {
  if (argc < 3) {
    error = "missing command or file";
    return false;
  }
  o.command = argv[1];
  o.object = argv[2];
  for (int i = 3; i < argc; ++i) {
    std::string flag = argv[i];
    if (flag == "--args") {
      o.arguments.assign(argv + i + 1, argv + argc);
      return true;
    }
    if (flag == "--no-sanitize" || flag == "--json" || flag == "--stats") {
      if (flag == "--no-sanitize")
        o.sanitizers = TGS_SANITIZE_NONE;
      else
        (flag == "--json" ? o.json : o.stats) = true;
      continue;
    }
    if (++i >= argc) {
      error = flag + " needs a value";
      return false;
    }
    const char *value = argv[i];
    bool ok = true;
    if (flag == "--kernel")
      o.kernel = value;
    else if (flag == "--target")
      o.target = value;
    else if (flag == "--grid")
      ok = parseDims(value, o.grid);
    else if (flag == "--block")
      ok = parseDims(value, o.block);
    else if (flag == "--lds")
      o.lds = uint32_t(std::strtoul(value, nullptr, 0));
    else if (flag == "--threads")
      o.threads = uint32_t(std::strtoul(value, nullptr, 0));
    else if (flag == "--limit")
      o.limit = std::strtoull(value, nullptr, 0);
    else if (flag == "--random")
      o.random = true, o.seed = std::strtoull(value, nullptr, 0);
    else
      ok = false;
    if (!ok) {
      error = "bad option " + flag + " " + value;
      return false;
    }
  }
  return true;
}
