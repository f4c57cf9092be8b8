// The tile dialect: what a workgroup computes on tiles. README.md holds the rationale and the table
// of labels.
#ifndef TEGULA_DIALECTS_TILE_TILE_H
#define TEGULA_DIALECTS_TILE_TILE_H

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Interfaces/ViewLikeInterface.h"
#include <optional>
#include <string>

namespace tegula::tile {

/// What records of assertions and prints are written to; no view of the kernel.
struct RecordResource : mlir::SideEffects::Resource::Base<RecordResource> {
  llvm::StringRef getName() final { return "records"; }
};

} // namespace tegula::tile

#include "dialects/tile/TileDialect.h.inc"
#include "dialects/tile/TileEnums.h.inc"

#define GET_TYPEDEF_CLASSES
#include "dialects/tile/TileTypes.h.inc"
#define GET_ATTRDEF_CLASSES
#include "dialects/tile/TileAttrs.h.inc"
#include "dialects/tile/TileInterfaces.h.inc"

#define GET_OP_CLASSES
#include "dialects/tile/TileKernelOps.h.inc"
#define GET_OP_CLASSES
#include "dialects/tile/TileIndexedOps.h.inc"
#define GET_OP_CLASSES
#include "dialects/tile/TileMathOps.h.inc"
#define GET_OP_CLASSES
#include "dialects/tile/TileRecordOps.h.inc"
#define GET_OP_CLASSES
#include "dialects/tile/TileScanOps.h.inc"
#define GET_OP_CLASSES
#include "dialects/tile/TileShapeOps.h.inc"
#define GET_OP_CLASSES
#include "dialects/tile/TileViewOps.h.inc"

namespace tegula::tile {

// Names of the attributes on kernels and their arguments.
constexpr llvm::StringLiteral kArgNameAttr = "tile.name";
constexpr llvm::StringLiteral kArgAliasAttr = "tile.alias";
/// A view that may span 2^31 bytes and more: offsets in it are taken in 64 bits also within a loop.
constexpr llvm::StringLiteral kArgLargeAttr = "tile.large";
/// A hidden argument, part of the launch's workspace: a record (the view without its first
/// dimension) for every so many workgroups of the grid.
constexpr llvm::StringLiteral kArgWorkspaceAttr = "tile.workspace";
/// Such an argument is all zeros at launch.
constexpr llvm::StringLiteral kArgZeroedAttr = "tile.zeroed";
/// A hidden argument: i64 words to which assertions and prints write what they tell the host. The
/// first word counts the words after kRecordHeader that are taken
/// (TileTransforms/LowerRecords.cpp).
constexpr llvm::StringLiteral kArgRecordsAttr = "tile.records";
constexpr int64_t kRecordHeader = 16, kRecordWords = int64_t(1) << 17;
/// Of a kernel: its assertions are checked.
constexpr llvm::StringLiteral kAssertsAttr = "tile.asserts";
/// Of a kernel: its results depend on the order in which atomic updates arrive; the manifest says
/// so.
constexpr llvm::StringLiteral kOrderDependentAttr = "tile.order_dependent";
/// Of a kernel: what its records mean, one dictionary for each number that a record begins with.
constexpr llvm::StringLiteral kRecordSitesAttr = "tile.record_sites";
// Normal forms (TileNormalForms.cpp): set by a pass, enforced by the verifier from then on.
constexpr llvm::StringLiteral kLegalForTargetAttr = "tile.legal_for_target";
constexpr llvm::StringLiteral kTailsSplitAttr = "tile.tails_split";

/// Scalar types a kernel may hold: i1 i8 i16 i32 i64, f64 f32 f16 bf16, the four f8 flavours, e8m0.
bool isElementType(mlir::Type type);
/// A float of 8 bits or fewer: arith and math may not touch it.
bool isNarrowFloat(mlir::Type type);
/// The name that lib/Target and the manifest have for an element type: "bf16", "f8e4m3fn", "i32";
/// "" for types without one.
std::string dtypeName(mlir::Type element);
/// What leaves the other operand of a reduction as it is.
mlir::TypedAttr neutralElement(ReduceKind kind, mlir::Type element);
/// The name of a kernel's argument, in words when it has none.
std::string argumentName(mlir::FunctionOpInterface kernel, unsigned i);
/// Whether `order` holds each number below `rank` once.
template <typename Int> bool isPermutation(llvm::ArrayRef<Int> order, size_t rank) {
  llvm::SmallVector<Int> sorted(order);
  llvm::sort(sorted);
  return llvm::equal(sorted, llvm::seq<Int>(0, rank));
}
/// "4x64xf32" or "f32".
std::string shapeText(mlir::Type type);
/// "[256, 64]".
std::string listText(llvm::ArrayRef<int64_t> values);

/// Holes "{}" and "{u}" of the format of an assertion or a print; nothing when it is malformed.
std::optional<unsigned> countHoles(llvm::StringRef format);

/// An attribute of the kernel argument a view was made from; null when there is none.
mlir::Attribute getArgAttr(mlir::Value view, llvm::StringRef name);
/// The alias set of the kernel argument a view was made from; nothing when the view is not derived
/// from one.
std::optional<int64_t> getAliasSet(mlir::Value view);
/// The view that an op writes (stores, scatters, atomic updates); null when it writes none.
mlir::Value writtenView(mlir::Operation *op);
/// The value a chain of slice/index/expand/permute_view starts from.
mlir::Value getBaseView(mlir::Value view);

/// Reads and writes `pad(0.0) : !view, index types -> result`, the index types of a gather only.
mlir::ParseResult parsePadded(mlir::OpAsmParser &parser, mlir::TypedAttr &pad, mlir::Type &view,
                              llvm::SmallVectorImpl<mlir::Type> *indices, mlir::Type &result);
void printPadded(mlir::OpAsmPrinter &printer, mlir::TypedAttr pad, mlir::Type view,
                 mlir::TypeRange indices, mlir::Type result);

// Declarative assembly: `axis = 1` without a type.
mlir::ParseResult parsePlainInt(mlir::OpAsmParser &parser, mlir::IntegerAttr &value);
void printPlainInt(mlir::OpAsmPrinter &printer, mlir::Operation *op, mlir::IntegerAttr value);

} // namespace tegula::tile

#endif // TEGULA_DIALECTS_TILE_TILE_H
