// Meet and transfer functions of the wait proof.
#include "WaitProofState.h"

#include <algorithm>
#include <tuple>

using namespace tegula::cdna::proof;

// Counts saturate: vmcnt itself ends at 63, so a larger bound proves nothing more and would keep
// the fixpoint from being reached.
static constexpr unsigned kMaxYounger = 64;

bool KeyState::operator==(const KeyState &o) const {
  return std::tie(youngerVm, storePending, published, pinned, initialised, read) ==
         std::tie(o.youngerVm, o.storePending, o.published, o.pinned, o.initialised, o.read);
}

bool KeyState::meet(const KeyState &other) {
  KeyState before = *this;
  if (!youngerVm)
    youngerVm = other.youngerVm;
  else if (other.youngerVm)
    youngerVm = std::min(*youngerVm, *other.youngerVm);
  storePending |= other.storePending;
  published = std::min(published, other.published);
  pinned &= other.pinned;
  initialised &= other.initialised;
  read = std::min(read, other.read);
  return !(*this == before);
}

void BufferState::rotate(int64_t distance) {
  int64_t stages = keys.size();
  int64_t shift = ((distance % stages) + stages) % stages;
  std::rotate(keys.begin(), keys.begin() + shift, keys.end());
}

bool BufferState::untouched() const {
  return llvm::all_of(keys, [](const KeyState &key) { return key == KeyState(); });
}

void BufferState::reframe(mlir::Value other) {
  if (frame == other)
    return;
  frame = other;
  KeyState worst = keys.front();
  for (const KeyState &key : keys)
    worst.meet(key);
  llvm::fill(keys, worst);
}

bool State::meet(const State &other) {
  bool changed = false;
  for (auto [mine, theirs] : llvm::zip_equal(buffers, other.buffers)) {
    if (mine.frame != theirs.frame && mine.untouched() && !theirs.untouched()) {
      mine.frame = theirs.frame;
      changed = true;
    }
    BufferState moved = theirs;
    moved.reframe(mine.frame);
    for (auto [key, otherKey] : llvm::zip_equal(mine.keys, moved.keys))
      changed |= key.meet(otherKey);
  }
  return changed;
}

void State::waitCount(unsigned vm, unsigned lgkm) {
  for (BufferState &buffer : buffers)
    for (KeyState &key : buffer.keys) {
      if (key.youngerVm && *key.youngerVm >= vm)
        key.youngerVm = std::nullopt;
      if (lgkm != 0)
        continue;
      key.storePending = false;
      if (key.read == ReadState::Reading)
        key.read = ReadState::Returned;
    }
  fence();
}

/// Of two waves that are one barrier apart, the one behind knows after its next barrier what the
/// other did before that one's last; the one ahead knows a barrier later what the other did. Both
/// know after two.
void State::barrier() {
  for (BufferState &buffer : buffers)
    for (KeyState &key : buffer.keys) {
      if (key.landed())
        key.published = staggered && key.published == Publication::None ? Publication::Passed
                                                                        : Publication::All;
      if (key.read >= ReadState::Returned)
        key.read =
            staggered && key.read == ReadState::Returned ? ReadState::Passed : ReadState::Released;
    }
  fence();
}

void State::align() {
  for (BufferState &buffer : buffers)
    for (KeyState &key : buffer.keys) {
      if (key.published == Publication::Passed)
        key.published = Publication::All;
      if (key.read == ReadState::Passed)
        key.read = ReadState::Released;
    }
  staggered = false;
  fence();
}

void State::fence() {
  for (BufferState &buffer : buffers)
    for (KeyState &key : buffer.keys)
      key.pinned = true;
}

void State::countVm(unsigned count) {
  for (BufferState &buffer : buffers)
    for (KeyState &key : buffer.keys)
      if (key.youngerVm && key.pinned)
        key.youngerVm = std::min(*key.youngerVm + count, kMaxYounger);
}
