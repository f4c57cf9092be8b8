// The lattice of the wait proof: what is known about each piece of LDS at one program point.
#ifndef TEGULA_LIB_CDNATRANSFORMS_WAITPROOFSTATE_H
#define TEGULA_LIB_CDNATRANSFORMS_WAITPROOFSTATE_H

#include "mlir/IR/Value.h"
#include "llvm/ADT/SmallVector.h"
#include <optional>

namespace tegula::cdna::proof {

/// Reads of a key since its last release, worst first. `Passed`: one of the two barriers that it
/// takes while waves are staggered is behind them.
enum class ReadState : uint8_t { Reading, Returned, Passed, Released };

/// How far the completed writes of a key are known to the other waves, worst first.
enum class Publication : uint8_t { None, Passed, All };

/// One stage of one LDS buffer. Default: never touched, which demands nothing and initialises
/// nothing.
struct KeyState {
  /// A direct copy is in flight; the value is a lower bound of the younger vector memory
  /// operations.
  std::optional<unsigned> youngerVm;
  /// An LDS store is in flight. Only `lgkm = 0` completes it: scalar loads share that counter and
  /// return out of order, and LLVM places those of the kernel arguments wherever it likes.
  bool storePending = false;
  Publication published = Publication::All;
  /// A fence keeps the compiler from moving later operations before the copy, so they may be
  /// counted.
  bool pinned = true;
  /// Some write precedes on every path.
  bool initialised = false;
  ReadState read = ReadState::Released;

  bool landed() const { return !youngerVm && !storePending; }
  /// Takes the worse of both in each component; true when this state changed.
  bool meet(const KeyState &other);
  bool operator==(const KeyState &other) const;
};

/// All stages of one buffer. Stage numbers are relative to `frame`, a slot value whose position in
/// the ring is unknown but fixed at this point (null: the absolute stage).
struct BufferState {
  mlir::Value frame;
  llvm::SmallVector<KeyState, 2> keys;

  /// Renames stage c to c - distance: what the frame moved on by.
  void rotate(int64_t distance);
  /// Counts stages from `other`, whose distance from the old frame is unknown: every stage is then
  /// the worst of all.
  void reframe(mlir::Value other);
  bool untouched() const;
};

/// The state of a program point: one entry a buffer, in order of allocation.
struct State {
  llvm::SmallVector<BufferState, 4> buffers;
  bool staggered = false; ///< between cdna.stagger and cdna.align

  /// Meets entry by entry. A buffer nobody touched takes the other's frame; stages counted from
  /// another frame are else taken for the worst of them.
  /// Returns whether something changed.
  bool meet(const State &other);

  void waitCount(unsigned vm, unsigned lgkm);
  void barrier();
  /// The waves ahead have met the last barrier of those behind.
  void align();
  void fence();
  /// `count` more vector memory operations that surely execute in this order.
  void countVm(unsigned count);
};

} // namespace tegula::cdna::proof

#endif // TEGULA_LIB_CDNATRANSFORMS_WAITPROOFSTATE_H
