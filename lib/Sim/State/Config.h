// What a device is opened with, and what it reports. Plain values: no globals, no environment.
#pragma once

#include "Sim/Decode/Isa.h"
#include <array>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace tegula::sim {

enum class Schedule : uint8_t { Fifo, Random, Adversarial };
constexpr const char *scheduleName(Schedule s) {
  return s == Schedule::Random ? "random" : s == Schedule::Adversarial ? "adversarial" : "fifo";
}
/// How matrix instructions add up floats: one fused multiply-add after the other with k ascending,
/// or groups of products aligned and added as integers, as published for CDNA3.
enum class Numerics : uint8_t { FmaChain, Cdna3Fused };
constexpr const char *numericsName(Numerics n) {
  return n == Numerics::Cdna3Fused ? "cdna3-fused" : "fma-chain";
}

/// Findings that are dropped (and counted): of this kind, kernels, and place.
struct Suppression {
  std::string kind, kernel = "*"; ///< "*" is any kind; kernels by glob
  uint64_t pc = ~uint64_t(0);
  unsigned line = 0;
};
/// "kind", "kind:kernel-glob", "kind:kernel-glob:0xPC" or "…:LINE". False: it is none.
bool parseSuppression(const std::string &, Suppression &);

struct Config {
  Arch arch = Arch::gfx950;
  // Sanitizers; what each reports is told with TGS_SANITIZE_… in the C API.
  bool checkWaits = false, checkLdsRaces = false, checkUninitialised = false,
       checkWaitStates = false, checkGlobalRaces = false, checkContracts = false;
  unsigned threads = 1;
  Schedule schedule = Schedule::Fifo;
  uint64_t seed = 0;
  uint64_t instructionLimit = uint64_t(1) << 40; ///< of one wave
  double secondsLimit = 0;                       ///< of a launch; 0 = none
  bool unorderedThreads = false; ///< several threads also where results depend on their order
  unsigned maxFindings = 20;     ///< for each kind in one launch; the rest is counted
  bool countAccesses = false;
  bool lateLoads = false; ///< registers hold a load's result from the wait on that covers it
  std::vector<Suppression> suppressions;
  Numerics numerics = Numerics::FmaChain;
  /// Transcendentals are off by the error that the hardware states: −1, 0 or +1 ulp, by the bits of
  /// the result.
  bool transcendentalError = false;
  bool sanitized() const {
    return checkWaits || checkLdsRaces || checkUninitialised || checkWaitStates ||
           checkGlobalRaces || checkContracts || lateLoads;
  }
};

/// Sizes of the hardware. The clock and the memory are those of the product (MI300X, MI355X) and
/// limit nothing.
struct DeviceLimits {
  uint32_t ldsBytes, ldsGranule, computeUnits, clockMhz;
  uint64_t memoryBytes;
};
constexpr DeviceLimits limitsOf(Arch arch) {
  constexpr uint64_t gib = uint64_t(1) << 30;
  return arch == Arch::gfx950 ? DeviceLimits{163840, 1280, 256, 2400, 288 * gib}
                              : DeviceLimits{65536, 512, 304, 2100, 192 * gib};
}
constexpr unsigned kMaxWavesPerWorkgroup = 16;
constexpr unsigned kXcds = 8, kSimdsPerCu = 4, kWavesPerSimd = 8, kRowsPerSimd = 512,
                   kRowGranule = 8;

enum class Severity : uint8_t { Note, Warning, Error };

enum class FindingKind : uint8_t {
  OutOfBounds,
  UseBeforeWait,
  WaitStates,
  LdsRace,
  LdsOrder,
  GlobalRace,
  Uninitialised,
  LdsOutOfBounds,
  ScratchOutOfBounds,
  Misaligned,
  Illegal,
  Unsupported,
  Trap,
  InstructionLimit,
  TimeLimit,
  BarrierDivergence,
  ExecMasked,
  Deadlock,
  Descriptor,
  AddressOverflow,
  UseAfterFree,
  ReadOnly,
  StaleScalar
};
constexpr unsigned kFindingKinds = unsigned(FindingKind::StaleScalar) + 1;
const char *kindName(FindingKind);

struct Dims {
  uint32_t x = 1, y = 1, z = 1;
  uint64_t count() const { return uint64_t(x) * y * z; }
};

struct Finding {
  FindingKind kind = FindingKind::Illegal;
  Severity severity = Severity::Error;
  std::string kernel;
  Dims workgroup{0, 0, 0};
  uint64_t workgroupIndex = 0; ///< linear; first key of the report order
  uint32_t wave = 0;
  uint64_t lanes = 0;
  uint64_t pc = 0;
  uint64_t earlierPc = 0; ///< the other access of a race or pending load; part of the identity
  bool hasEarlier = false;
  bool hasEarlierWave = false; ///< who made the other access
  uint32_t earlierWave = 0;
  Dims earlierWorkgroup{0, 0, 0};
  std::string instruction, file;
  unsigned line = 0;
  std::vector<std::pair<std::string, unsigned>> inlinedAt; ///< file and line of the calls around it
  std::string earlierInstruction, earlierFile;
  unsigned earlierLine = 0;
  uint64_t address = 0;
  std::string allocation; ///< JSON: what lies at the address or next to it; may be empty
  uint64_t count = 1;
  uint64_t more = 0;  ///< findings of the kind that were dropped (Config::maxFindings)
  std::string detail; ///< the kind's own sentence
  Numerics numerics = Numerics::FmaChain;
  Schedule schedule = Schedule::Fifo;
  std::string text() const;
  std::string json() const;
};

/// Executed wave-instructions by class.
enum class StatClass : uint8_t { Valu, Salu, Mfma, Lds, Vmem, Smem, Other };
constexpr unsigned kStatClasses = 7;
/// Executed ops of every class write to memory or not; that a wave wrote nothing tells the
/// scheduler that it may be waiting.
constexpr unsigned kWritesSlot = kStatClasses;
using Counts = std::array<uint64_t, kStatClasses + 1>; ///< by StatClass, then the writes
inline uint64_t instructionsOf(const Counts &counts) {
  uint64_t n = 0;
  for (unsigned c = 0; c < kStatClasses; ++c)
    n += counts[c];
  return n;
}
struct Stats {
  Counts counts{};
  uint64_t workgroups = 0, waves = 0;
  uint64_t suppressed = 0; ///< findings
  unsigned threads = 0;    ///< host threads that ran the launch
  std::string orderedBy;   ///< why one thread ran it although more were allowed; empty if none
  std::string uncompared;  ///< why workgroups were not all compared for races; empty if they were
  double seconds = 0;
  uint64_t total() const { return instructionsOf(counts); }
  void add(const Stats &other) {
    for (unsigned c = 0; c < counts.size(); ++c)
      counts[c] += other.counts[c];
    workgroups += other.workgroups;
    waves += other.waves;
  }
};

} // namespace tegula::sim
