// How many instructions a wave issues for an op, and how wide they are.
#ifndef TEGULA_LIB_CDNATRANSFORMS_INSTRUCTIONCOUNTS_H
#define TEGULA_LIB_CDNATRANSFORMS_INSTRUCTIONCOUNTS_H

#include "dialects/cdna/Cdna.h"

namespace tegula::cdna {

/// Bytes a lane moves in one access of a tile in LDS.
int64_t ldsAccessBytes(mlir::RankedTensorType tile, LdsType lds, bool transpose);
/// Accesses a wave needs for the whole tile.
int64_t ldsAccessCount(mlir::RankedTensorType tile, LdsType lds, bool transpose);
/// The same for a load from global memory.
int64_t globalAccessCount(LoadOp load);
/// The matrix instruction of a product; its verifier found one.
const MfmaInst *instructionOf(MfmaOp product);
/// Matrix instructions a wave needs for it.
int64_t mfmaCount(MfmaOp product);
/// Instructions along k that one element of the accumulator takes in the whole product.
int64_t stepsAlongK(MfmaOp product);
/// 32-bit vector registers a lane needs for a value; 0 for what is no tile.
int64_t registerCount(mlir::Type type);

} // namespace tegula::cdna

#endif // TEGULA_LIB_CDNATRANSFORMS_INSTRUCTIONCOUNTS_H
