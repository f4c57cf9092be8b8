// One compile: parse, run the stages asked for, emit.
#include "tegula/Pipeline/Compiler.h"

#include "tegula/Object/Object.h"
#include "tegula/Pipeline/Observers.h"
#include "tegula/Pipeline/Pipelines.h"
#include "tegula/Pipeline/Source.h"
#include "tegula/Support/BuildId.h"
#include "tegula/Support/Diagnostics.h"
#include "tegula/Target/Target.h"

#include "dialects/tile/Tile.h"
#include "mlir/Parser/Parser.h"

#include <chrono>

using namespace mlir;
using namespace tegula;

namespace {

std::string targetList() {
  std::string list;
  for (std::string_view name : targetNames())
    list += (list.empty() ? "" : ", ") + std::string(name);
  return list;
}

/// One request on its way through the stages. Every step returns failure after a diagnostic.
class Compile {
public:
  Compile(const CompileRequest &request, CompileReply &reply)
      : request(request), reply(reply), context(registry(), MLIRContext::Threading::DISABLED),
        collector(&context), dumper(request.dumpFolder), stopwatch(request.timePasses) {
    context.printOpOnDiagnostic(false);
  }

  void run() {
    bool ok = succeeded(runStages()) && !collector.hasErrors();
    if (std::error_code problem = dumper.error()) {
      (void)error("the dump: " + request.dumpFolder + ": " + problem.message() +
                  " [compile.dump.c1]");
      ok = false;
    }
    finish(ok);
  }

private:
  static const DialectRegistry &registry() {
    static const DialectRegistry all = [] {
      DialectRegistry r;
      registerDialects(r);
      return r;
    }();
    return all;
  }

  LogicalResult runStages() {
    if (!request.options.empty())
      return error("unknown option '" + request.options.begin()->first.str() +
                   "' [compile.option.c1]");
    std::optional<Stage> stage = parseStage(request.emit);
    if (!stage)
      return error("unknown stage '" + request.emit +
                   "'; stages are tile, cdna, rocdl, llvm, asm, object [compile.emit.c1]");
    if (request.from != "tile" && request.from != "rocdl")
      return error("a compile starts from tile or rocdl, not '" + request.from +
                   "' [compile.from.c1]");
    if (failed(timed("parse", [&] { return parse(); })))
      return failure();
    dump("input.mlir");
    return request.from == "tile" ? fromTile(*stage) : fromRocdl(*stage);
  }

  LogicalResult fromTile(Stage stage) {
    if (failed(selectKernel()) || failed(selectTarget()))
      return failure();
    if (failed(runPart("tile", buildTilePipeline)) || stage == Stage::Tile)
      return finishText(stage == Stage::Tile);
    if (failed(runPart("cdna", buildCdnaPipeline)) || stage == Stage::Cdna)
      return finishText(stage == Stage::Cdna);
    if (failed(runPart("rocdl", buildRocdlPipeline)) || stage == Stage::Rocdl)
      return finishText(stage == Stage::Rocdl);
    return timed("object", [&] { return emitCode(stage); });
  }

  /// The llvm dialect names no target, so the request must.
  LogicalResult fromRocdl(Stage stage) {
    if (stage < Stage::LLVM)
      return error("rocdl text becomes llvm, asm or object, not '" + request.emit +
                   "' [compile.from.c1]");
    target = lookupTarget(request.target);
    if (!target)
      return unknownTarget(module->getLoc(), request.target);
    return timed("object", [&] { return emitCode(stage); });
  }

  LogicalResult error(const std::string &message) {
    return emitError(FileLineColLoc::get(&context, request.filename, 1, 1)) << message;
  }

  LogicalResult parse() {
    if (std::string problem = refuseToParse(request.text); !problem.empty())
      return error(problem);
    module = parseSourceString<ModuleOp>(request.text, ParserConfig(&context), request.filename);
    return success(bool(module));
  }

  LogicalResult selectKernel() {
    auto kernels = llvm::to_vector(module->getOps<tile::KernelOp>());
    if (kernels.size() != 1)
      return error("a module holds exactly one tile.kernel, found " +
                   std::to_string(kernels.size()) + " [compile.kernel.c1]");
    kernel = kernels.front();
    return success();
  }

  LogicalResult unknownTarget(Location loc, const std::string &name) {
    return emitError(loc) << "unknown target '" << name << "'; targets are " << targetList()
                          << " [compile.target.c1]";
  }

  /// The request and the kernel may both name the target; they must agree.
  LogicalResult selectTarget() {
    std::string name = request.target;
    if (tile::TargetAttr attr = kernel.getTargetAttr()) {
      if (!name.empty() && attr.getName() != name)
        return kernel.emitError("the kernel is for ")
               << attr.getName() << ", the request asks for " << name << " [compile.target.c2]";
      name = attr.getName().str();
    }
    target = lookupTarget(name);
    if (!target)
      return unknownTarget(kernel.getLoc(), name);
    kernel.setTargetAttr(tile::TargetAttr::get(&context, name));
    return success();
  }

  void dump(StringRef name) {
    if (!dumper.isOn())
      return;
    std::string text;
    llvm::raw_string_ostream(text) << *module;
    dumper.write(name, std::move(text));
  }

  LogicalResult runPart(const char *name, void (*build)(OpPassManager &)) {
    return timed(name, [&]() -> LogicalResult {
      PassManager pm(&context);
      build(pm);
      dumper.attach(pm);
      pm.enableTiming(*step);
      // A pass may report an error and go on to find more; the part has failed all the same.
      return failure(failed(pm.run(*module)) || collector.hasErrors());
    });
  }

  /// Prints the module when its part succeeded and was the last one asked for.
  LogicalResult finishText(bool isLast) {
    if (collector.hasErrors() || !isLast)
      return failure();
    llvm::raw_string_ostream os(reply.payload);
    module->print(os);
    return success();
  }

  /// The text of code generation, which a code object alone wouldn't show.
  void dumpCode() {
    if (!dumper.isOn())
      return;
    if (FailureOr<std::string> text = emitLLVMIR(*module, *target); succeeded(text))
      dumper.write("code.ll", std::move(*text));
    if (FailureOr<std::string> text = emitAssembly(*module, *target); succeeded(text))
      dumper.write("code.s", std::move(*text));
  }

  LogicalResult emitCode(Stage stage) {
    dumpCode();
    if (stage == Stage::Object) {
      FailureOr<CodeObject> object = emitCodeObject(*module, *target, buildId());
      if (failed(object))
        return failure();
      reply.payload = std::move(object->elf);
      reply.manifest = std::move(object->manifest);
      return success();
    }
    FailureOr<std::string> text =
        stage == Stage::LLVM ? emitLLVMIR(*module, *target) : emitAssembly(*module, *target);
    if (succeeded(text))
      reply.payload = std::move(*text);
    return text;
  }

  LogicalResult timed(const char *name, llvm::function_ref<LogicalResult()> run) {
    TimingScope scope = stopwatch.step(name);
    step = &scope;
    auto start = std::chrono::steady_clock::now();
    LogicalResult result = run();
    std::chrono::duration<double, std::milli> took = std::chrono::steady_clock::now() - start;
    reply.timingsMs[name] = took.count();
    return result;
  }

  void finish(bool ok) {
    reply.ok = ok;
    if (!ok) {
      reply.payload.clear();
      reply.manifest.clear();
      if (!collector.hasErrors())
        (void)error("the compiler failed without saying why [compile.internal.c1]");
    }
    reply.diagnostics = toJson(collector.diagnostics);
    reply.remarks = toJson(collector.remarks);
    for (const DiagnosticRecord &record : collector.diagnostics)
      reply.text += record.toText();
    for (const DiagnosticRecord &record : collector.remarks)
      reply.text += request.tellRemarks ? record.toText() : "";
  }

  const CompileRequest &request;
  CompileReply &reply;
  MLIRContext context;
  DiagnosticCollector collector;
  Dumper dumper;
  Stopwatch stopwatch;
  TimingScope *step = nullptr; ///< the one that runs
  OwningOpRef<ModuleOp> module;
  tile::KernelOp kernel;
  const Target *target = nullptr;
};

} // namespace

void tegula::compile(const CompileRequest &request, CompileReply &reply) {
  Compile(request, reply).run();
}

void CompileReply::fail(const std::string &message, const std::string &label) {
  DiagnosticRecord record{"error", label, message, {}, {}, {}};
  ok = false;
  payload.clear();
  manifest.clear();
  diagnostics.push_back(record.toJson());
  text += record.toText();
}
