#include "Sim/Counters/AccessReport.h"
#include "Sim/Counters/Counting.h"
#include "Sim/Decode/Print.h"
#include "Sim/State/Text.h"
#include <cstring>

namespace tegula::sim {
namespace {
const char *spaceName(const CountedAccess &a) {
  switch (a.where) {
  case CountedAccess::Where::Lds:
    return "lds";
  case CountedAccess::Where::Scalar:
  case CountedAccess::Where::ScalarBuffer:
    return "scalar";
  case CountedAccess::Where::Vector:
    break;
  }
  return a.space == Space::Flat ? "flat" : a.space == Space::Scratch ? "scratch" : "global";
}
const char *useName(const CountedAccess &a) {
  if (a.toLds)
    return "copy";
  return a.use == LdsUse::Write ? "write" : a.use == LdsUse::Atomic ? "atomic" : "read";
}
const char *kindName(Allocation::Kind kind) {
  switch (kind) {
  case Allocation::Kind::Device:
    return "device";
  case Allocation::Kind::Host:
    return "host";
  case Allocation::Kind::Kernarg:
    return "kernarg";
  case Allocation::Kind::Code:
    return "code";
  }
  return "";
}

InstructionRow instructionRow(const Launch &l, size_t index, const AccessCount &count) {
  const Program &p = *l.program;
  const CountedAccess &a = p.counting->accesses[index];
  InstructionRow row;
  row.pc = p.counting->pcs[index];
  row.instruction = print(decode(p.arch, p.text, p.textSize, row.pc));
  row.space = spaceName(a);
  row.use = useName(a);
  row.width = a.bytes;
  row.count = count;
  SourceLine line;
  if (l.object->lines && l.object->lines->lookup(l.object->textAddr + row.pc, line)) {
    row.file = line.file;
    row.line = line.line;
  }
  return row;
}

int64_t pointerTo(const Allocation &a, const void *kernarg, size_t bytes) {
  for (size_t at = 0; at + 8 <= bytes; at += 8) {
    uint64_t value;
    std::memcpy(&value, static_cast<const std::byte *>(kernarg) + at, 8);
    if (a.lo <= value && value < a.hi)
      return int64_t(at);
  }
  return -1;
}

bool touched(const AllocationTraffic &traffic) {
  for (const Traffic &t : traffic)
    if (t.executions)
      return true;
  return false;
}

template <class T> std::string field(const char *name, T value) {
  return ",\"" + std::string(name) + "\":" + std::to_string(value);
}
std::string json(const Traffic &t) {
  std::string lanes;
  for (size_t i = 0; i < kAccessWidths.size(); ++i)
    if (t.lanes[i])
      lanes += (lanes.empty() ? "\"" : ",\"") + std::to_string(kAccessWidths[i]) +
               "\":" + std::to_string(t.lanes[i]);
  return "{\"executions\":" + std::to_string(t.executions) + field("bytes", t.bytes) +
         field("segments_64", t.segments64) + field("segments_128", t.segments128) +
         ",\"lanes\":{" + lanes + "}}";
}
} // namespace

std::string InstructionRow::json() const {
  std::string j = "{\"pc\":" + std::to_string(pc) + ",\"instruction\":" + quoted(instruction) +
                  ",\"space\":\"" + space + "\",\"use\":\"" + use + "\"" + field("width", width) +
                  field("executions", count.executions) + field("lanes", count.lanes) +
                  field("bytes", count.bytes) + field("phases", count.phases) +
                  field("conflicts", count.conflicts) + field("segments_64", count.segments64) +
                  field("segments_128", count.segments128);
  if (!file.empty())
    j += ",\"file\":" + quoted(file) + field("line", line);
  return j + "}";
}

std::string AllocationRow::json() const {
  return "{\"address\":" + std::to_string(address) + field("size", size) + ",\"kind\":\"" + kind +
         "\"" + field("kernarg_offset", kernargOffset) +
         ",\"read\":" + sim::json(traffic[size_t(TrafficKind::Read)]) +
         ",\"written\":" + sim::json(traffic[size_t(TrafficKind::Write)]) +
         ",\"atomic\":" + sim::json(traffic[size_t(TrafficKind::Atomic)]) + "}";
}

AccessReport reportAccesses(const Launch &l, const AccessCounters &counters, const void *kernarg,
                            size_t bytes) {
  AccessReport report;
  for (size_t i = 0; i < counters.instructions.size(); ++i)
    if (counters.instructions[i].executions)
      report.instructions.push_back(instructionRow(l, i, counters.instructions[i]));
  for (size_t i = 0; i < counters.allocations.size(); ++i) {
    const AllocationTraffic &traffic = counters.allocations[i];
    if (!touched(traffic))
      continue;
    AllocationRow row;
    row.kind = "scratch";
    if (i < l.memory->size()) {
      const Allocation &a = (*l.memory)[i];
      row.address = a.lo;
      row.size = a.hi - a.lo;
      row.kind = kindName(a.kind);
      row.kernargOffset = pointerTo(a, kernarg, bytes);
    }
    row.traffic = traffic;
    report.allocations.push_back(std::move(row));
  }
  return report;
}

} // namespace tegula::sim
