// Compiling as one call, for the worker and the command line: text in, bytes and diagnostics out.
#ifndef TEGULA_PIPELINE_COMPILER_H
#define TEGULA_PIPELINE_COMPILER_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/JSON.h"

#include <string>

namespace tegula {

struct CompileRequest {
  std::string text;
  std::string filename = "kernel.mlir";
  std::string target;        ///< empty: the one the kernel names
  std::string from = "tile"; ///< what the text is: tile IR, or what `emit` rocdl gave
  std::string emit = "object";
  llvm::json::Object options; ///< none is known so far
  std::string dumpFolder;     ///< where the module goes after each pass; empty: nowhere
  bool timePasses = false;    ///< print the time of each pass to standard error
  bool tellRemarks = false;   ///< the reply's text has them too
};

struct CompileReply {
  bool ok = false;
  bool internal = false;       ///< LLVM failed in a way that says nothing about the input
  std::string payload;         ///< code object, or text of the stage
  llvm::json::Object manifest; ///< of a code object
  llvm::json::Array diagnostics, remarks;
  llvm::json::Object timingsMs;
  std::string text; ///< diagnostics, and remarks where asked for, for a terminal

  void fail(const std::string &message, const std::string &label);
};

/// Compiles one kernel. A fatal error of LLVM ends the process.
void compile(const CompileRequest &request, CompileReply &reply);

/// Of the thread that compiles: deep but legal nests of regions recurse far.
constexpr unsigned compileStackBytes = 64u << 20;
using CompileStep = void (*)(const CompileRequest &request, CompileReply &reply);
/// Runs `step` so that a fatal error of LLVM becomes a reply with `internal` set; after that the
/// process has leaked memory and may hold locks, so it should be replaced.
CompileReply compileGuarded(const CompileRequest &request, CompileStep step = compile);

/// The build id and the tables of lib/Target, as JSON.
llvm::json::Object describeCompiler();

} // namespace tegula

#endif // TEGULA_PIPELINE_COMPILER_H
