#include "Sim/Sanitize/Report.h"
#include "Sim/State/Text.h"
#include <algorithm>
#include <charconv>
#include <fnmatch.h>
#include <system_error>

namespace tegula::sim {

bool parseSuppression(const std::string &text, Suppression &s) {
  size_t kernel = text.find(':'), place = kernel == text.npos ? kernel : text.find(':', kernel + 1);
  s = Suppression();
  s.kind = text.substr(0, kernel);
  bool known = s.kind == "*";
  for (unsigned k = 0; k < kFindingKinds; ++k)
    known |= s.kind == kindName(FindingKind(k));
  if (kernel != text.npos)
    s.kernel = text.substr(kernel + 1, place == text.npos ? place : place - kernel - 1);
  if (place == text.npos)
    return known && !s.kernel.empty();
  const char *first = text.data() + place + 1, *last = text.data() + text.size();
  bool isPc = text.compare(place + 1, 2, "0x") == 0;
  auto [end, error] =
      isPc ? std::from_chars(first + 2, last, s.pc, 16) : std::from_chars(first, last, s.line, 10);
  return known && !s.kernel.empty() && error == std::errc() && end == last && (isPc || s.line);
}

const char *kindName(FindingKind kind) {
  switch (kind) {
  case FindingKind::OutOfBounds:
    return "out-of-bounds";
  case FindingKind::UseBeforeWait:
    return "use-before-wait";
  case FindingKind::WaitStates:
    return "wait-states";
  case FindingKind::LdsRace:
    return "lds-race";
  case FindingKind::LdsOrder:
    return "lds-order";
  case FindingKind::GlobalRace:
    return "global-race";
  case FindingKind::Uninitialised:
    return "uninitialised";
  case FindingKind::LdsOutOfBounds:
    return "lds-out-of-bounds";
  case FindingKind::ScratchOutOfBounds:
    return "scratch-out-of-bounds";
  case FindingKind::Misaligned:
    return "misaligned";
  case FindingKind::Illegal:
    return "illegal";
  case FindingKind::Unsupported:
    return "unsupported";
  case FindingKind::Trap:
    return "trap";
  case FindingKind::InstructionLimit:
    return "instruction-limit";
  case FindingKind::TimeLimit:
    return "time-limit";
  case FindingKind::BarrierDivergence:
    return "barrier-divergence";
  case FindingKind::ExecMasked:
    return "exec-masked";
  case FindingKind::Deadlock:
    return "deadlock";
  case FindingKind::Descriptor:
    return "descriptor";
  case FindingKind::AddressOverflow:
    return "address-overflow";
  case FindingKind::UseAfterFree:
    return "use-after-free";
  case FindingKind::ReadOnly:
    return "read-only";
  case FindingKind::StaleScalar:
    return "stale-scalar";
  }
  return "unknown";
}

std::string kindNames() {
  std::string names;
  for (unsigned k = 0; k < kFindingKinds; ++k)
    names += std::string(" ") + kindName(FindingKind(k));
  return names;
}

namespace {
const char *severityName(Severity s) {
  return s == Severity::Error ? "error" : s == Severity::Warning ? "warning" : "note";
}

std::string lanesText(uint64_t lanes) {
  if (lanes == 0)
    return "";
  unsigned first = unsigned(__builtin_ctzll(lanes)), n = unsigned(__builtin_popcountll(lanes));
  std::string text = ", lane " + std::to_string(first);
  return n == 1 ? text : text + " and " + std::to_string(n - 1) + " more";
}
} // namespace

std::string Finding::text() const {
  std::string t = std::string(severityName(severity)) + ": " + kindName(kind) + ": " + detail +
                  "\n  kernel " + kernel + ", workgroup (" + std::to_string(workgroup.x) + ", " +
                  std::to_string(workgroup.y) + ", " + std::to_string(workgroup.z) + "), wave " +
                  std::to_string(wave) + lanesText(lanes) + "\n  at " + hex(pc) + ": " +
                  instruction;
  if (!file.empty())
    t += "\n  " + file + ":" + std::to_string(line);
  for (const auto &[caller, at] : inlinedAt)
    t += "\n  inlined at " + caller + ":" + std::to_string(at);
  if (hasEarlier) {
    t += "\n  earlier at " + hex(earlierPc) + ": " + earlierInstruction;
    if (!earlierFile.empty())
      t += " (" + earlierFile + ":" + std::to_string(earlierLine) + ")";
  }
  if (count > 1)
    t += "\n  " + std::to_string(count) + " times";
  if (more)
    t += "\n  and " + std::to_string(more) + " more " + kindName(kind) + " at other places";
  return t + "\n  numerics " + numericsName(numerics) + ", schedule " + scheduleName(schedule);
}

std::string Finding::json() const {
  std::string j = "{\"kind\":" + quoted(kindName(kind)) + ",\"severity\":\"" +
                  severityName(severity) + "\",\"kernel\":" + quoted(kernel) + ",\"workgroup\":[" +
                  std::to_string(workgroup.x) + "," + std::to_string(workgroup.y) + "," +
                  std::to_string(workgroup.z) + "],\"wave\":" + std::to_string(wave) +
                  ",\"lanes\":\"" + hex(lanes) + "\",\"pc\":" + std::to_string(pc) +
                  ",\"instruction\":" + quoted(instruction) + ",\"address\":\"" + hex(address) +
                  "\",\"count\":" + std::to_string(count) + ",\"detail\":" + quoted(detail) +
                  ",\"numerics\":\"" + numericsName(numerics) + "\",\"schedule\":\"" +
                  scheduleName(schedule) + "\"";
  if (hasEarlier) {
    j += ",\"earlier_pc\":" + std::to_string(earlierPc) +
         ",\"earlier_instruction\":" + quoted(earlierInstruction);
    if (!earlierFile.empty())
      j += ",\"earlier_file\":" + quoted(earlierFile) +
           ",\"earlier_line\":" + std::to_string(earlierLine);
  }
  if (hasEarlierWave)
    j += ",\"earlier_workgroup\":[" + std::to_string(earlierWorkgroup.x) + "," +
         std::to_string(earlierWorkgroup.y) + "," + std::to_string(earlierWorkgroup.z) +
         "],\"earlier_wave\":" + std::to_string(earlierWave);
  if (more)
    j += ",\"more\":" + std::to_string(more);
  if (!file.empty())
    j += ",\"file\":" + quoted(file) + ",\"line\":" + std::to_string(line);
  if (!allocation.empty())
    j += ",\"allocation\":" + allocation;
  if (!inlinedAt.empty()) {
    const char *between = ",\"inlined_at\":[";
    for (const auto &[caller, at] : inlinedAt) {
      j += between + ("{\"file\":" + quoted(caller)) + ",\"line\":" + std::to_string(at) + "}";
      between = ",";
    }
    j += "]";
  }
  return j + "}";
}

bool FindingSink::hit(FindingKind kind, uint64_t pc, uint64_t earlierPc, uint64_t workgroupIndex,
                      uint32_t wave) {
  std::lock_guard<std::mutex> lock(mutex_);
  Key key{kind, pc, earlierPc};
  auto it = entries_.find(key);
  if (it == entries_.end()) {
    Entry e{};
    e.workgroupIndex = workgroupIndex;
    e.wave = wave;
    e.count = 1;
    entries_.emplace(key, std::move(e));
    return true;
  }
  Entry &e = it->second;
  ++e.count;
  if (std::tie(workgroupIndex, wave) >= std::tie(e.workgroupIndex, e.wave))
    return false;
  e.workgroupIndex = workgroupIndex;
  e.wave = wave;
  return true;
}

void FindingSink::add(Finding &&f) {
  std::lock_guard<std::mutex> lock(mutex_);
  auto it = entries_.find(Key{f.kind, f.pc, f.earlierPc});
  // Another thread may have replaced the identity by an earlier workgroup between hit() and here.
  if (it != entries_.end() && it->second.workgroupIndex == f.workgroupIndex &&
      it->second.wave == f.wave)
    it->second.finding = std::move(f);
}

std::vector<Finding> FindingSink::take() {
  std::lock_guard<std::mutex> lock(mutex_);
  std::vector<Finding> all;
  for (auto &[key, entry] : entries_) {
    if (isSuppressed(entry.finding))
      continue;
    entry.finding.count = entry.count;
    all.push_back(entry.finding);
  }
  entries_.clear();
  std::sort(all.begin(), all.end(), [](const Finding &a, const Finding &b) {
    return std::tie(a.workgroupIndex, a.wave, a.pc, a.kind, a.earlierPc) <
           std::tie(b.workgroupIndex, b.wave, b.pc, b.kind, b.earlierPc);
  });
  std::map<FindingKind, unsigned> seen;
  all.erase(std::remove_if(all.begin(), all.end(),
                           [&](const Finding &f) { return ++seen[f.kind] > maxPerKind_; }),
            all.end());
  for (auto f = all.rbegin(); f != all.rend(); ++f) { // the last of a kind tells of the rest
    unsigned &n = seen[f->kind];
    f->more = n > maxPerKind_ ? n - maxPerKind_ : 0;
    n = 0;
  }
  return all;
}

void FindingSink::stopped(FindingKind kind, uint64_t pc) {
  std::lock_guard<std::mutex> lock(mutex_);
  stops_.insert({kind, pc});
}

bool FindingSink::isSuppressed(const Finding &f) const {
  if (stops_.count({f.kind, f.pc})) // or an aborted launch would have no reason
    return false;
  return std::any_of(suppressions_.begin(), suppressions_.end(), [&](const Suppression &s) {
    return (s.kind == "*" || s.kind == kindName(f.kind)) &&
           fnmatch(s.kernel.c_str(), f.kernel.c_str(), 0) == 0 &&
           (s.pc == ~uint64_t(0) || s.pc == f.pc) && (s.line == 0 || s.line == f.line);
  });
}

uint64_t FindingSink::suppressed() const {
  std::lock_guard<std::mutex> lock(mutex_);
  uint64_t n = 0;
  for (const auto &[key, entry] : entries_)
    n += isSuppressed(entry.finding);
  return n;
}

bool FindingSink::hasErrors() const {
  std::lock_guard<std::mutex> lock(mutex_);
  for (const auto &[key, entry] : entries_)
    if (entry.finding.severity == Severity::Error && !isSuppressed(entry.finding))
      return true;
  return false;
}

} // namespace tegula::sim
