// Shadow of a workgroup's LDS: who wrote and read each dword last, and in which barrier epoch.
//
// All live waves pass barriers together, so one epoch number stands for a vector clock: an access
// is ordered before mine if it is my own wave's or of an earlier epoch; or if my wave knows of it
// by an atomic. Operations still outstanding at a barrier are re-stamped with the next epoch,
// because a barrier orders only what has completed.
#pragma once

#include "Sim/Sanitize/Knowledge.h"
#include "Sim/State/Wave.h"
#include "Sim/State/ZeroedBytes.h"
#include <array>
#include <string>
#include <unordered_map>

namespace tegula::sim {

struct PendingOp;

struct LdsShadow {
  // A cell is epoch << 6 | re-stamped << 5 | wave; 0 = never. Special write cells fail every check.
  static constexpr uint32_t kInFlight = ~0u, kSplit = ~0u - 1, kSync = ~0u - 2, kManyReaders = 31,
                            kSameWriters = 30, kRestamped = 32;
  struct Split { ///< bytes of one dword written by different waves or only partly
    uint32_t write[4] = {};
  };
  std::vector<uint32_t> write, read; ///< by dword
  /// Of cells in flight: 16 bits of the epoch of issue << 16 | a bit for each wave whose load to
  /// LDS is outstanding. Several may bring the same bytes. Of cells of wave kSameWriters: a bit for
  /// each of those that wrote the same bytes, which nothing orders.
  std::vector<uint32_t> flight;
  std::vector<uint32_t> writer,
      reader; ///< the ops behind the cells (index in the program), for reports
  std::unordered_map<uint32_t, Split> split;
  /// Of cells of wave kSameWriters: the op of each wave, where they have several.
  std::unordered_map<uint32_t, std::array<uint32_t, kMaxWavesPerWorkgroup>> sharers;
  /// Of cells that are kSync: touched by an atomic between these two barriers, where waves can
  /// learn of each other by such. Other accesses to the dword synchronise too, until the next
  /// barrier.
  struct Variable {
    Knowledge::Pointer told;
    uint32_t barriers;
    uint32_t cell; ///< of the last write
  };
  std::unordered_map<uint32_t, Variable> variables;
  /// Where waves can learn of each other: the last read by each, of dwords whose `read` says
  /// kManyReaders.
  struct Reader {
    uint32_t cell, op;
  };
  using Readers = std::array<Reader, kMaxWavesPerWorkgroup>;
  ZeroedBytes readers; ///< a Readers for each dword, once some has several
  Readers &readersOf(uint32_t dword) const {
    return reinterpret_cast<Readers *>(readers.data())[dword];
  }
  bool told = false;      ///< the access under way tells of its wave: what comes now is not told
  bool unwritten = false; ///< the last read met bytes that this workgroup never wrote
  void reset(uint32_t ldsBytes);
};

/// Records and checks an access of `lanes`: bytes [address[l], + bytes) each.
void shadowRead(Wave &, const Op &, const uint32_t *address, uint64_t lanes, unsigned bytes);
/// What is about to be written: lane l puts dword[k · dwordStride + l · laneStride] >> shift at
/// address[l] + 4·k. The default strides are those of register rows.
struct LdsData {
  const uint32_t *address, *dword;
  unsigned shift = 0, dwordStride = kLanes, laneStride = 1;
};
/// Before the bytes are written.
void shadowWrite(Wave &, const Op &, const LdsData &, uint64_t lanes, unsigned bytes);
/// LDS atomics: ordered among themselves, so they only mark the bytes as written; `reads`: what
/// they return tells of those before. Before the operation enters lgkmcnt's ring.
void shadowAtomic(Wave &, const Op &, const uint32_t *address, uint64_t lanes, unsigned bytes,
                  bool reads);
/// A load to LDS was issued: its bytes are in flight until landDma() of each wave that brings them.
/// Before the bytes are written.
void shadowDma(Wave &, const Op &, const LdsData &, uint64_t lanes, unsigned bytes);
/// ", last written by wave 1 at 0x…" of an LDS byte.
std::string lastLdsWriter(const Workgroup &, uint32_t address, const Wave &of);
void landDma(Wave &, const PendingOp &);
void restampLds(Wave &, const PendingOp &);

} // namespace tegula::sim
