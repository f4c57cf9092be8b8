// Where the registers of a tile are in LDS.
#ifndef TEGULA_LIB_CDNATOROCDL_LDSADDRESSES_H
#define TEGULA_LIB_CDNATOROCDL_LDSADDRESSES_H

#include "Address.h"

namespace tegula::cdna {

/// Byte addresses of the registers of one LDS access. Where the buffer is linear in coordinate bits
/// (inner extents are powers of two) a place is one XOR of lane and wave bits, shared by all
/// registers up to a constant that fits the instruction's offset field; a register whose constant
/// touches switched bits has another base.
class LdsAddresses {
public:
  /// Coordinates beyond `shape`, where that is given, are folded back into it: onto the place whose
  /// low bits agree, so that what is read there collides with nothing that the others read.
  LdsAddresses(LdsPlace place, mlir::Value slotOffset, const Layout &layout,
               const KernelContext &kernel, Int &ints, llvm::ArrayRef<int64_t> shape = {});

  /// Pointer to register r. `uniform` leaves the lane out: the hardware adds it.
  mlir::Value pointer(int64_t r, bool uniform = false);
  /// Pointer to the tile's first element.
  mlir::Value first();
  /// Every `width`-th register, those that share a base together: LLVM pairs neighbours.
  llvm::SmallVector<int64_t> byBase(int64_t width) const;
  /// Whether register r lies in a tile of this shape; null when it does in all lanes and waves.
  mlir::Value inside(int64_t r, llvm::ArrayRef<int64_t> shape);
  bool isLinear() const { return type.isLinear(layout, origin); }

private:
  using Place = LdsType::Place;

  int64_t stepOf(unsigned d) const;
  mlir::Value element(mlir::Value pointer, mlir::LLVM::GEPArg offset);
  Place folded(Extents coordinates) const;
  llvm::SmallVector<Place> images(const Bases &vectors) const;
  Place flippedBits(int64_t r, bool uniform = false) const;
  Place constantOf(int64_t r) const;
  std::pair<mlir::Value, int64_t> linearAddress(int64_t r, bool uniform);
  std::pair<mlir::Value, int64_t> generalAddress(int64_t r);
  mlir::Value multipliedOut(mlir::Value group, mlir::Value rowAndByte);

  LdsType type; ///< of the allocation
  llvm::SmallVector<int64_t> origin;
  int64_t start;
  mlir::Value slotOffset;
  const Layout layout;
  const KernelContext &kernel;
  Int &ints;
  Coordinates coordinates;
  llvm::SmallVector<int64_t> kept; ///< bits of each coordinate that are not folded away
  std::map<std::tuple<int64_t, int64_t, bool>, mlir::Value> bases;
};

} // namespace tegula::cdna

#endif // TEGULA_LIB_CDNATOROCDL_LDSADDRESSES_H
