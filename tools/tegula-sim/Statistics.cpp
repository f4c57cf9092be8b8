// What a launch executed and touched, as tables or as one JSON object.
#include "Commands.h"
#include <cstdio>
#include <vector>

namespace {
using Number = unsigned long long;

struct Class {
  const char *name;
  uint64_t count;
};
std::vector<Class> classes(const tgs_stats &t) {
  return {{"total", t.total}, {"valu", t.valu}, {"salu", t.salu}, {"mfma", t.mfma},
          {"lds", t.lds},     {"vmem", t.vmem}, {"smem", t.smem}, {"other", t.other}};
}

void printJson(Session &s, const PreparedLaunch &p, const tgs_stats &t) {
  std::printf("{\"instructions\":{");
  for (const Class &c : classes(t))
    std::printf("\"%s\":%llu,", c.name, Number(c.count));
  std::printf("\"workgroups\":%llu,\"waves\":%llu,\"seconds\":%.6f},\"numerics\":\"%s\","
              "\"grid\":[%u,%u,%u],\"block\":[%u,%u,%u],\"dynamic_lds\":%u,\"accesses\":[",
              Number(t.workgroups), Number(t.waves), t.seconds, t.numerics, p.grid.x, p.grid.y,
              p.grid.z, p.block.x, p.block.y, p.block.z, p.lds);
  const char *separator = "";
  tgs_accesses(
      s.device,
      [](const tgs_access *a, void *user) {
        auto &between = *static_cast<const char **>(user);
        std::printf("%s%s", between, a->json);
        between = ",";
      },
      &separator);
  std::printf("],\"memory\":[");
  separator = "";
  tgs_memory_traffic(
      s.device,
      [](const tgs_memory *m, void *user) {
        auto &between = *static_cast<const char **>(user);
        std::printf("%s%s", between, m->json);
        between = ",";
      },
      &separator);
  std::printf("]}\n");
}

void printAccess(const tgs_access *a, void *) {
  std::printf("%#8llx %-7s %-6s %5u %12llu %12llu %9llu %9llu %9llu %9llu  %s\n", Number(a->pc),
              a->space, a->use, a->width, Number(a->executions), Number(a->bytes),
              Number(a->phases), Number(a->conflicts), Number(a->segments_64),
              Number(a->segments_128), a->instruction);
}
void printMemory(const tgs_memory *m, void *) {
  char argument[32] = "-";
  if (m->kernarg_offset >= 0)
    std::snprintf(argument, sizeof argument, "+%lld", (long long)m->kernarg_offset);
  std::printf("%-8s %8s %12llu %12llu %12llu %12llu\n", m->kind, argument, Number(m->size),
              Number(m->read.bytes), Number(m->written.bytes), Number(m->atomic.bytes));
}

void printTables(Session &s, const PreparedLaunch &p, const tgs_stats &t) {
  std::printf("grid %u,%u,%u, block %u,%u,%u, dynamic LDS %u\n", p.grid.x, p.grid.y, p.grid.z,
              p.block.x, p.block.y, p.block.z, p.lds);
  std::printf("%llu workgroups, %llu waves, %.6f s, numerics %s; wave-instructions:",
              Number(t.workgroups), Number(t.waves), t.seconds, t.numerics);
  for (const Class &c : classes(t))
    std::printf(" %s %llu", c.name, Number(c.count));
  std::printf("\n\n%8s %-7s %-6s %5s %12s %12s %9s %9s %9s %9s  %s\n", "pc", "space", "use",
              "width", "executions", "bytes", "phases", "conflicts", "seg. 64", "seg. 128",
              "instruction");
  tgs_accesses(s.device, printAccess, nullptr);
  std::printf("\n%-8s %8s %12s %12s %12s %12s\n", "memory", "argument", "bytes", "read", "written",
              "atomic");
  tgs_memory_traffic(s.device, printMemory, nullptr);
}
} // namespace

void printStatistics(Session &s, const PreparedLaunch &p, bool json) {
  tgs_stats t{};
  tgs_get_stats(s.device, &t);
  (json ? printJson : printTables)(s, p, t);
}
