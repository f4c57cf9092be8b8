// What the patterns of one kernel share.
#ifndef TEGULA_LIB_CDNATOROCDL_LOWERING_H
#define TEGULA_LIB_CDNATOROCDL_LOWERING_H

#include "Chunks.h"
#include "mlir/Dialect/LLVMIR/ROCDLDialect.h"

namespace tegula::cdna {

/// The ring of LDS stages that a slot runs in.
struct Ring {
  int64_t stages, stride; ///< bytes
};

/// Values that stand at the top of the kernel, and its constants.
struct KernelContext {
  mlir::MLIRContext *context;
  const Target *target;
  mlir::Value lane; ///< i32, 0 … 63
  mlir::Value wave; ///< i32, uniform
  mlir::Value lds;  ///< address of the LDS global; null when the kernel has no LDS
  /// Of each next_slot, noted beforehand: while loops are rewritten, a slot cannot be followed
  /// through them.
  llvm::DenseMap<mlir::Operation *, Ring> rings;
};

/// Ends the program of a wave.
constexpr llvm::StringLiteral kEndProgram = "llvm.amdgcn.endpgm";

/// LLVM's name of a scope; the system's is the empty one.
inline llvm::StringRef syncScope(tile::MemoryScope scope) {
  return scope == tile::MemoryScope::System ? "" : tile::stringifyMemoryScope(scope);
}

/// A pattern of one cdna op.
template <typename Op> class CdnaPattern : public mlir::OpConversionPattern<Op> {
public:
  CdnaPattern(const mlir::TypeConverter &converter, const KernelContext &context,
              mlir::PatternBenefit benefit = 1)
      : mlir::OpConversionPattern<Op>(converter, context.context, benefit), kernel(context) {}

protected:
  const KernelContext &kernel;
};

/// Codes of a float of 8 bits, four a word, as f16, which holds each of their numbers. Of each four
/// the middle two change places.
mlir::Value codesToHalves(mlir::OpBuilder &b, mlir::Location loc, mlir::ValueRange words,
                          mlir::FloatType format);

void populateElementwisePatterns(mlir::RewritePatternSet &patterns,
                                 const mlir::TypeConverter &converter,
                                 const KernelContext &context);
void populateNarrowPatterns(mlir::RewritePatternSet &patterns, const mlir::TypeConverter &converter,
                            const KernelContext &context);
void populateRandomPatterns(mlir::RewritePatternSet &patterns, const mlir::TypeConverter &converter,
                            const KernelContext &context);
void populateLayoutPatterns(mlir::RewritePatternSet &patterns, const mlir::TypeConverter &converter,
                            const KernelContext &context);
void populateConvertPatterns(mlir::RewritePatternSet &patterns,
                             const mlir::TypeConverter &converter, const KernelContext &context);
void populateBufferPatterns(mlir::RewritePatternSet &patterns, const mlir::TypeConverter &converter,
                            const KernelContext &context);
void populateAccessPatterns(mlir::RewritePatternSet &patterns, const mlir::TypeConverter &converter,
                            const KernelContext &context);
void populateIndexedPatterns(mlir::RewritePatternSet &patterns,
                             const mlir::TypeConverter &converter, const KernelContext &context);
void populateAtomicPatterns(mlir::RewritePatternSet &patterns, const mlir::TypeConverter &converter,
                            const KernelContext &context);
void populateLdsPatterns(mlir::RewritePatternSet &patterns, const mlir::TypeConverter &converter,
                         const KernelContext &context);
void populateLdsIndexedPatterns(mlir::RewritePatternSet &patterns,
                                const mlir::TypeConverter &converter, const KernelContext &context);
void populateSyncPatterns(mlir::RewritePatternSet &patterns, const mlir::TypeConverter &converter,
                          const KernelContext &context);
void populateMfmaPatterns(mlir::RewritePatternSet &patterns, const mlir::TypeConverter &converter,
                          const KernelContext &context);
void populateScanPatterns(mlir::RewritePatternSet &patterns, const mlir::TypeConverter &converter,
                          const KernelContext &context);
void populateReducePatterns(mlir::RewritePatternSet &patterns, const mlir::TypeConverter &converter,
                            const KernelContext &context);

} // namespace tegula::cdna

#endif // TEGULA_LIB_CDNATOROCDL_LOWERING_H
