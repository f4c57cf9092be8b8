// The cdna dialect: how one workgroup computes a kernel. README.md holds the rationale and the
// table of labels.
#ifndef TEGULA_DIALECTS_CDNA_CDNA_H
#define TEGULA_DIALECTS_CDNA_CDNA_H

#include "dialects/tile/Tile.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/DialectInterface.h"
#include "mlir/IR/TensorEncoding.h"
#include "tegula/Layout/LinearLayout.h"
#include "tegula/Target/Target.h"

namespace tegula::cdna {
class KernelOp;

/// Global memory; LDS. An access belongs to one of them.
struct GlobalMemory : mlir::SideEffects::Resource::Base<GlobalMemory> {
  llvm::StringRef getName() final { return "<cdna.global>"; }
};
struct LdsMemory : mlir::SideEffects::Resource::Base<LdsMemory> {
  llvm::StringRef getName() final { return "<cdna.lds>"; }
};

/// The proof that every LDS access is ordered. The dialect cannot depend on lib/CdnaTransforms, so
/// that library's extension adds it; `cdna.waits_inserted` then runs it.
struct WaitProofInterface : mlir::DialectInterface::Base<WaitProofInterface> {
  WaitProofInterface(mlir::Dialect *dialect) : Base(dialect) {}
  virtual mlir::LogicalResult prove(KernelOp kernel) const = 0;
};
/// Likewise what `cdna.rocdl_only` demands of alias scopes, from lib/CdnaToROCDL.
struct ScopeCheckInterface : mlir::DialectInterface::Base<ScopeCheckInterface> {
  ScopeCheckInterface(mlir::Dialect *dialect) : Base(dialect) {}
  virtual mlir::LogicalResult check(mlir::Operation *kernel) const = 0;
};

/// Effects of an op that nothing may be moved across.
void addOrderingEffects(llvm::SmallVectorImpl<mlir::MemoryEffects::EffectInstance> &effects);
} // namespace tegula::cdna

#include "dialects/cdna/CdnaDialect.h.inc"
#include "dialects/cdna/CdnaEnums.h.inc"

#define GET_ATTRDEF_CLASSES
#include "dialects/cdna/CdnaAttrs.h.inc"
#define GET_TYPEDEF_CLASSES
#include "dialects/cdna/CdnaTypes.h.inc"

#define GET_OP_CLASSES
#include "dialects/cdna/CdnaKernelOps.h.inc"
#define GET_OP_CLASSES
#include "dialects/cdna/CdnaMemoryOps.h.inc"
#define GET_OP_CLASSES
#include "dialects/cdna/CdnaIndexedOps.h.inc"
#define GET_OP_CLASSES
#include "dialects/cdna/CdnaLdsOps.h.inc"
#define GET_OP_CLASSES
#include "dialects/cdna/CdnaSyncOps.h.inc"
#define GET_OP_CLASSES
#include "dialects/cdna/CdnaMathOps.h.inc"
#define GET_OP_CLASSES
#include "dialects/cdna/CdnaLayoutOps.h.inc"

namespace tegula::cdna {

// Normal forms (CdnaNormalForms.cpp): set on the kernel by the pass that establishes them, enforced
// from then on.
constexpr llvm::StringLiteral kLayoutsAssignedAttr = "cdna.layouts_assigned";
constexpr llvm::StringLiteral kNoTileOpsAttr = "cdna.no_tile_ops";
constexpr llvm::StringLiteral kStagedAttr = "cdna.staged";
constexpr llvm::StringLiteral kPipelinedAttr = "cdna.pipelined";
constexpr llvm::StringLiteral kLdsAssignedAttr = "cdna.lds_assigned";
constexpr llvm::StringLiteral kWaitsInsertedAttr = "cdna.waits_inserted";
constexpr llvm::StringLiteral kScheduledAttr = "cdna.scheduled";
constexpr llvm::StringLiteral kRocdlOnlyAttr = "cdna.rocdl_only";

// Alignment of LDS buffers, in bytes; of those that copies write, by one instruction of 16 a lane.
constexpr int64_t kLdsAlign = 16, kCopyAlign = 16 * Target::waveSize;

// Values of `wait_count` that wait for nothing.
constexpr int64_t kAnyVm = 63, kAnyLgkm = 15;

/// The layout of an encoded tensor type, or null.
LayoutAttr getLayout(mlir::Type type);
/// The layout of an encoded tensor type in the form of lib/Layout.
tegula::Layout layoutOf(mlir::Type type);
/// A tile of this shape and layout, with the elements of `type`.
mlir::RankedTensorType withLayout(mlir::RankedTensorType type, llvm::ArrayRef<int64_t> shape,
                                  const tegula::Layout &layout);
/// The same tile with another layout.
mlir::RankedTensorType withLayout(mlir::RankedTensorType type, const tegula::Layout &layout);
/// Bytes of an element in memory and in LDS (an i1 takes one).
int64_t elementBytes(mlir::Type element);
/// Bits of an element in registers (an i1 counts as 32: it is a lane mask).
int64_t elementBits(mlir::Type element);
using tile::dtypeName;
using tile::ReduceKind;

/// The allocation an LDS value is a part of, with the view's origin in it and the stage's slot
/// (null if one stage).
struct LdsPlace {
  LdsAllocOp alloc;
  LdsType type; ///< of the allocation, in the shape that is accessed
  mlir::Value slot;
  llvm::SmallVector<int64_t> origin;
};
/// Nothing when the value is not made by views of an allocation.
std::optional<LdsPlace> getLdsPlace(mlir::Value lds);

/// The allocation whose ring a slot value runs in: follows next_slot and loop-carried values to the
/// `cdna.slot`. Null when the sources are unknown.
LdsAllocOp getSlotRing(mlir::Value slot);

/// Whether LLVM's scheduler moves nothing across an op: it holds a wait, a barrier or control flow.
bool endsSchedule(mlir::Operation *op);

/// A power of two that divides an offset whatever its operands are.
int64_t knownDivisor(mlir::Value offset);

/// The alias set of a window: its argument's `tile.alias`, 0 when there is none.
int64_t getAliasSet(mlir::Value buffer);

/// For each register of `to` the register of `from` that holds the same element in the same lane
/// and wave. Broadcast (extents 1), reshape (row-major order) and transpose (`perm`) as in
/// `cdna.rename`. Empty when a lane lacks one.
llvm::SmallVector<int64_t> renameRegisters(mlir::RankedTensorType from, mlir::RankedTensorType to,
                                           llvm::ArrayRef<int32_t> perm = {});

/// For each register of `part` the register of `whole` that holds the same element, `origin` being
/// the first one of the part. Empty when a lane lacks one.
llvm::SmallVector<int64_t> partRegisters(mlir::RankedTensorType whole, mlir::RankedTensorType part,
                                         llvm::ArrayRef<int64_t> origin);

/// Whether lanes can scan a tile with this layout along an axis by themselves: no wave holds
/// elements along it that another lacks, and each bit along it is a single bit of the coordinate.
bool isScannable(const tegula::Layout &layout, unsigned axis);

/// 163840 as "163,840".
std::string withCommas(int64_t value);
/// The type of an LDS buffer for a tile, `order` fastest dimension first, without gaps or swizzle.
/// One that is too large for any LDS is an error at `loc` [cdna.kernel.c3]; what a kernel needs in
/// all is cdna-allocate-lds's affair.
mlir::FailureOr<LdsType> makeLdsType(mlir::Location loc, const Target &target,
                                     mlir::RankedTensorType tile, llvm::ArrayRef<int32_t> order,
                                     int64_t stages = 1);
/// An allocation at the top of a kernel, behind those that are there. `swizzle` asks for one.
LdsAllocOp allocateLds(mlir::FunctionOpInterface kernel, mlir::Location loc, LdsType type,
                       bool swizzle = false);

// Declarative assembly.
mlir::ParseResult parseAccess(mlir::OpAsmParser &parser, mlir::DenseI32ArrayAttr &tail,
                              mlir::DenseI32ArrayAttr &scalar);
void printAccess(mlir::OpAsmPrinter &printer, mlir::Operation *op, mlir::DenseI32ArrayAttr tail,
                 mlir::DenseI32ArrayAttr scalar);
mlir::ParseResult parseFetch(mlir::OpAsmParser &parser, LayoutAttr &fetch, mlir::IntegerAttr &width,
                             mlir::DenseI32ArrayAttr &tail, mlir::DenseI32ArrayAttr &scalar);
void printFetch(mlir::OpAsmPrinter &printer, mlir::Operation *op, LayoutAttr fetch,
                mlir::IntegerAttr width, mlir::DenseI32ArrayAttr tail,
                mlir::DenseI32ArrayAttr scalar);
mlir::ParseResult parsePlace(mlir::OpAsmParser &parser,
                             std::optional<mlir::OpAsmParser::UnresolvedOperand> &slot,
                             mlir::DenseI64ArrayAttr &origin, mlir::DenseI64ArrayAttr &shape);
void printPlace(mlir::OpAsmPrinter &printer, mlir::Operation *op, mlir::Value slot,
                mlir::DenseI64ArrayAttr origin, mlir::DenseI64ArrayAttr shape);

} // namespace tegula::cdna

#endif // TEGULA_DIALECTS_CDNA_CDNA_H
