#include "Session.h"
#include "Files.h"
#include <cstdio>
#include <cstdlib>

int fail(const std::string &why) {
  std::fprintf(stderr, "tegula-sim: %s\n", why.c_str());
  return 1;
}

bool parseSchedule(const std::string &text, tgs_schedule &schedule, uint64_t &seed) {
  const std::string random = "random:";
  if (text.compare(0, random.size(), random) == 0) {
    schedule = TGS_SCHEDULE_RANDOM;
    return parseNumber(text.substr(random.size()), seed);
  }
  schedule = text == "adversarial" ? TGS_SCHEDULE_ADVERSARIAL : TGS_SCHEDULE_FIFO;
  return text == "fifo" || text == "adversarial";
}

void DeviceOptions::declare(CommandLine &c) {
  c.option("--target", "gfx942|gfx950", "refuse an object for another target",
           [this](const std::string &v) {
             target = v;
             return v == "gfx942" || v == "gfx950";
           });
  c.flag("--no-sanitize", "report nothing but what stops the launch", noSanitize);
  c.list("--suppress", "KIND[:KERNEL[:0xPC|LINE]]",
         "drop such reports; KIND as they name it or *,\nKERNEL a glob", suppressions);
  c.flag("--late-loads", "registers hold a load's result only from the wait\non that covers it",
         lateLoads);
  c.number("--max-findings", "N", "reports of one kind, the rest is counted [20]", maxFindings,
           UINT32_MAX);
  c.option("--schedule", kSchedules, "order of waves and workgroups [fifo]",
           [this](const std::string &v) { return parseSchedule(v, schedule, seed); });
  c.option("--numerics", "fma-chain|cdna3-fused",
           "how matrix instructions add up floats [fma-chain]", [this](const std::string &v) {
             numerics = v == "cdna3-fused" ? TGS_NUMERICS_CDNA3_FUSED : TGS_NUMERICS_FMA_CHAIN;
             return v == "fma-chain" || numerics != TGS_NUMERICS_FMA_CHAIN;
           });
  c.option("--transcendentals", "exact|1ulp",
           "correctly rounded, or off by what the hardware\nstates [exact]",
           [this](const std::string &v) {
             transcendentalError = v == "1ulp";
             return v == "exact" || transcendentalError;
           });
  c.number("--threads", "N", "host threads [one a CPU]", threads, 1024);
  c.flag("--threads-unordered", "use them also where results depend on the order\nof workgroups",
         unorderedThreads);
  c.number("--limit", "N", "stop a wave that executes more instructions", limit);
  c.option("--seconds", "S", "stop a launch that takes longer on this host",
           [this](const std::string &v) {
             char *end = nullptr;
             seconds = std::strtod(v.c_str(), &end);
             return !v.empty() && !*end && seconds > 0 && seconds < 1e9;
           });
}

bool Session::open(const DeviceOptions &o, std::string &error) {
  object = o.object;
  Bytes elf;
  if (!readFile(o.object, elf, error))
    return false;
  if (elf.empty()) {
    error = o.object + ": is empty";
    return false;
  }
  char message[2048] = "";
  const char *target = nullptr;
  if (tgs_object_target(elf.data(), elf.size(), &target, message, sizeof message) != TGS_OK) {
    error = o.object + ": " + message;
    return false;
  }
  std::string suppressed;
  for (const std::string &s : o.suppressions)
    suppressed += s + "\n";
  tgs_config config{};
  config.suppressions = suppressed.c_str();
  config.late_loads = o.lateLoads;
  config.target = o.target.empty() ? target : o.target.c_str();
  config.sanitizers = o.noSanitize ? TGS_SANITIZE_NONE : TGS_SANITIZE_ALL;
  config.threads = uint32_t(o.threads);
  config.schedule = o.schedule;
  config.seed = o.seed;
  config.instruction_limit = o.limit;
  config.seconds_limit = o.seconds;
  config.max_findings = uint32_t(o.maxFindings);
  config.unordered_threads = o.unorderedThreads;
  config.count_accesses = o.countAccesses;
  config.numerics = o.numerics;
  config.transcendental_error = o.transcendentalError;
  tgs_status opened = tgs_open(&config, &device, message, sizeof message);
  if (opened == TGS_ERROR_INVALID_ARGUMENT)
    throw BadCommandLine(message);
  if (opened != TGS_OK) {
    error = "out of memory";
    return false;
  }
  if (tgs_load(device, elf.data(), elf.size(), &module) != TGS_OK) {
    error = o.object + ": " + tgs_last_error(device);
    return false;
  }
  return true;
}

tgs_kernel *Session::kernel(const std::string &name) const {
  size_t count = tgs_kernel_count(module);
  std::string names;
  for (size_t i = 0; i < count && i < 20; ++i)
    names += std::string(" ") + tgs_kernel_name(module, i);
  if (name.empty() && count != 1)
    throw BadCommandLine(object + ": has " + std::to_string(count) +
                         " kernels; name one with --kernel:" + names);
  tgs_kernel *kernel = nullptr;
  if (tgs_get_kernel(module, name.empty() ? tgs_kernel_name(module, 0) : name.c_str(), &kernel) !=
      TGS_OK)
    throw BadCommandLine(object + ": " + tgs_last_error(device) + ", which has" + names);
  return kernel;
}
