// Chunks: the vectors that stand for the part of a tile that one lane holds.
//
// A chunk is 128 bits of registers (4 of f32, 8 of bf16; a lane mask i1 counts as 32), fewer when
// the base tile has fewer registers, and 16 of f32 for the accumulator of a 32x32 matrix
// instruction. Chunk c of size s holds registers c*s … c*s + s - 1 of the layout. A chunk of one
// element is a plain scalar.
#ifndef TEGULA_LIB_CDNATOROCDL_CHUNKS_H
#define TEGULA_LIB_CDNATOROCDL_CHUNKS_H

#include "dialects/cdna/Cdna.h"
#include "mlir/Transforms/DialectConversion.h"

namespace tegula::cdna {

/// The type an element has in registers: f8 and smaller are bytes, for the LLVM dialect lacks them.
mlir::Type registerType(mlir::Type element);
/// Elements of a chunk.
int64_t chunkSize(LayoutAttr layout, mlir::Type element);
/// `element` when count is 1, else a vector.
mlir::Type chunkType(mlir::Type element, int64_t count);
/// Elements of a value made by chunkType.
int64_t chunkCount(mlir::Type type);

/// Registers first … first + count - 1 of a tile given by its chunks.
mlir::Value extractRange(mlir::OpBuilder &b, mlir::Location loc, mlir::ValueRange chunks,
                         int64_t first, int64_t count);
/// Pieces of equal size, one behind the other, in one value.
mlir::Value concat(mlir::OpBuilder &b, mlir::Location loc, mlir::ValueRange pieces);
/// The same registers in chunks of another size.
llvm::SmallVector<mlir::Value> rechunk(mlir::OpBuilder &b, mlir::Location loc,
                                       mlir::ValueRange chunks, int64_t size);
/// Every register by itself.
llvm::SmallVector<mlir::Value> toRegisters(mlir::OpBuilder &b, mlir::Location loc,
                                           mlir::ValueRange chunks);
/// The chunks of a tile of type `type` from all its registers.
llvm::SmallVector<mlir::Value> toChunks(mlir::OpBuilder &b, mlir::Location loc,
                                        mlir::ValueRange registers, mlir::RankedTensorType type);

/// The chunks of `type` whose register r is register `sources[r]` of the tile `chunks`. Chunks that
/// are whole chunks of the source are handed on, so that a renaming of larger pieces leaves no ops.
llvm::SmallVector<mlir::Value> gatherRegisters(mlir::OpBuilder &b, mlir::Location loc,
                                               mlir::ValueRange chunks,
                                               llvm::ArrayRef<int64_t> sources,
                                               mlir::RankedTensorType type);

/// A constant of a chunk's type with `value` in every element.
mlir::Value splatConstant(mlir::OpBuilder &b, mlir::Location loc, mlir::Type type,
                          mlir::TypedAttr value);

/// The integer type that a memory instruction moves.
mlir::Type memoryType(mlir::OpBuilder &b, int64_t bytes);
/// Memory's bytes as `count` elements of a tile, and back. A lane mask is a byte there.
mlir::Value fromMemory(mlir::OpBuilder &b, mlir::Location loc, mlir::Value raw, mlir::Type element,
                       int64_t count);
mlir::Value toMemory(mlir::OpBuilder &b, mlir::Location loc, mlir::Value piece, mlir::Type element,
                     int64_t count);

/// Puts the values that stand for it, chunks for instance, in the place of an op's one result.
inline void replaceWithValues(mlir::ConversionPatternRewriter &rewriter, mlir::Operation *op,
                              mlir::ValueRange values) {
  rewriter.replaceOpWithMultiple(op, llvm::ArrayRef<mlir::ValueRange>(values));
}

/// Tiles to chunks, slots to byte offsets (i32), windows to descriptor + dynamic strides in bytes +
/// dynamic extents left; LDS buffers and tokens to nothing.
class ValueConverter : public mlir::TypeConverter {
public:
  ValueConverter();
};

} // namespace tegula::cdna

#endif // TEGULA_LIB_CDNATOROCDL_CHUNKS_H
