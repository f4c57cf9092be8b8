// The list of stages, and what a tool registers to run them.
#ifndef TEGULA_PIPELINE_PIPELINES_H
#define TEGULA_PIPELINE_PIPELINES_H

#include "mlir/IR/DialectRegistry.h"
#include "mlir/Pass/PassManager.h"

#include <optional>

namespace tegula {

/// What a compile ends with. The first three are IR after the passes of that part.
enum class Stage { Tile, Cdna, Rocdl, LLVM, Asm, Object };
std::optional<Stage> parseStage(llvm::StringRef name);

/// Every dialect that occurs between tile IR and LLVM IR, the wait proof included.
void registerDialects(mlir::DialectRegistry &registry);
/// Every pass by name, and the parts of the pipeline as `tegula-tile`, `tegula-cdna`,
/// `tegula-rocdl`.
void registerPasses();

// The three parts, in order. `pm` runs on a module.
void buildTilePipeline(mlir::OpPassManager &pm);
void buildCdnaPipeline(mlir::OpPassManager &pm);
void buildRocdlPipeline(mlir::OpPassManager &pm);

} // namespace tegula

#endif // TEGULA_PIPELINE_PIPELINES_H
