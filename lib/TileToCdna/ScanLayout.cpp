// Layouts for scans: along the axis a lane holds neighbours, for its own registers are combined
// without moves; what is left goes over the lanes.
#include "ScanLayout.h"

#include "llvm/ADT/bit.h"

#include <algorithm>

using namespace mlir;

namespace tegula::cdna {

namespace {

class ScanLayoutBuilder {
public:
  ScanLayoutBuilder(ArrayRef<int64_t> shape, unsigned axis)
      : shape(shape.begin(), shape.end()), axis(axis), base(shape.size(), 1) {}

  Layout build(unsigned waves) {
    unsigned waveBits = llvm::countr_zero(waves), odd = waves >> waveBits;
    dealOthers(layout.wave, waveBits);
    dealOthers(layout.lane, kLaneBits);
    // What lanes are left for the axis, and how many neighbours each then holds.
    unsigned free = kLaneBits - layout.lane.size();
    int64_t each = (shape[axis] + (int64_t(1) << free) - 1) >> free;
    while (2 * base[axis] <= std::min<int64_t>(each, kMostNeighbours))
      add(layout.reg, axis);
    while (layout.lane.size() < kLaneBits && base[axis] < shape[axis])
      add(layout.lane, axis);
    layout.wave.resize(waveBits, Basis(shape.size(), 0));
    layout.lane.resize(kLaneBits, Basis(shape.size(), 0));
    finish(odd);
    return canonicalize(layout);
  }

private:
  static constexpr unsigned kLaneBits = 6;
  static constexpr int64_t kMostNeighbours = 16;

  void add(Bases &bases, unsigned d) {
    Basis vector(shape.size(), 0);
    vector[d] = static_cast<int32_t>(base[d]);
    bases.push_back(std::move(vector));
    base[d] *= 2;
  }

  /// Bits over the dimensions beside the axis, the last one first.
  void dealOthers(Bases &bases, unsigned bits) {
    for (unsigned d = shape.size(); d-- > 0;)
      while (d != axis && bases.size() < bits && base[d] < shape[d])
        add(bases, d);
  }

  /// Repeats of the base; an odd number of waves along a dimension that has some left, or else they
  /// are copies.
  void finish(unsigned odd) {
    layout.repeat.assign(shape.size(), 1);
    int along = kCopies;
    for (unsigned d = 0; d < shape.size(); ++d)
      if (d != axis && base[d] < shape[d])
        along = static_cast<int>(d);
    layout.waveRepeats = {{along, odd}};
    for (unsigned d = 0; d < shape.size(); ++d) {
      int64_t covered = base[d] * layout.waveRepeat(d);
      layout.repeat[d] = (shape[d] + covered - 1) / covered;
    }
  }

  Extents shape;
  unsigned axis;
  Extents base;
  Layout layout;
};

} // namespace

Layout scanLayout(RankedTensorType type, unsigned axis, unsigned waves) {
  return ScanLayoutBuilder(type.getShape(), axis).build(waves);
}

} // namespace tegula::cdna
