// tegula-reduce: makes a file of tile IR smaller for as long as a script finds it interesting.
// MLIR's own reducer takes ops away under their uses, and crashes on kernels (LLVM 22.1).
#include "Steps.h"

#include "tegula/Pipeline/Pipelines.h"
#include "tegula/Pipeline/Source.h"
#include "tegula/Support/File.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Parser/Parser.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Program.h"

#include <csignal>
#include <optional>
#include <string>

using namespace mlir;
using namespace tegula;

namespace {

constexpr const char *usage = "Usage: tegula-reduce FILE --test PROGRAM [-o FILE]\n"
                              "  PROGRAM is called with a file; it exits with 0 where the file "
                              "still shows the fault\n";

std::string textOf(ModuleOp module) {
  std::string text;
  llvm::raw_string_ostream(text) << module << "\n";
  return text;
}

class Reducer {
public:
  explicit Reducer(std::string test) : test(std::move(test)) {}
  ~Reducer() { llvm::sys::fs::remove(path); }

  /// Nothing, or why no test can be run.
  std::string prepare() {
    if (std::error_code error = llvm::sys::fs::createTemporaryFile("tegula-reduce", "mlir", path))
      return "no temporary file: " + error.message();
    auto found = llvm::sys::findProgramByName(test);
    if (!found || !llvm::sys::fs::can_execute(*found))
      return test + " is not a program";
    test = *found;
    return "";
  }

  bool isInteresting(ModuleOp module) const {
    if (failed(verify(module)) || writeFile(path, textOf(module)))
      return false;
    return llvm::sys::ExecuteAndWait(test, {test, path}, std::nullopt,
                                     {std::nullopt, llvm::StringRef(), llvm::StringRef()}) == 0;
  }

  /// Takes steps until none keeps the fault; the last op first, for it has no uses.
  OwningOpRef<ModuleOp> reduce(OwningOpRef<ModuleOp> module) const {
    for (bool changed = true; changed;) {
      changed = false;
      for (unsigned n = countOps(*module); n-- > 0;)
        for (Step step : reductionSteps())
          if (OwningOpRef<ModuleOp> smaller = take(*module, n, step)) {
            module = std::move(smaller);
            changed = true;
            break;
          }
    }
    return module;
  }

private:
  static unsigned countOps(ModuleOp module) {
    unsigned count = 0;
    module->walk([&](Operation *) { ++count; });
    return count;
  }

  static Operation *opAt(ModuleOp module, unsigned place) {
    Operation *found = nullptr;
    module->walk([&](Operation *op) {
      if (place-- == 0)
        found = op;
      return found ? WalkResult::interrupt() : WalkResult::advance();
    });
    return found;
  }

  /// Uses before definitions, what is inside before what holds it.
  static void eraseDead(ModuleOp module) {
    llvm::SmallVector<Operation *> ops;
    module->walk<WalkOrder::PreOrder>([&](Operation *op) { ops.push_back(op); });
    for (Operation *op : llvm::reverse(ops))
      if (isOpTriviallyDead(op))
        op->erase();
  }

  /// A copy with one step taken at an op, if that is smaller and still interesting.
  OwningOpRef<ModuleOp> take(ModuleOp module, unsigned place, Step step) const {
    OwningOpRef<ModuleOp> copy = module.clone();
    Operation *op = opAt(*copy, place);
    IRRewriter rewriter(module.getContext());
    if (!op || op == copy->getOperation() || !step(op, rewriter))
      return nullptr;
    eraseDead(*copy);
    bool isSmaller = textOf(*copy).size() < textOf(module).size();
    return isSmaller && isInteresting(*copy) ? std::move(copy) : nullptr;
  }

  std::string test;
  llvm::SmallString<128> path;
};

int fail(const llvm::Twine &message) {
  llvm::errs() << "tegula-reduce: " << message << "\n";
  return 1;
}

int run(const std::string &input, const std::string &test, const std::string &output) {
  DialectRegistry registry;
  registerDialects(registry);
  MLIRContext context(registry, MLIRContext::Threading::DISABLED);
  context.printOpOnDiagnostic(false);
  auto buffer = llvm::MemoryBuffer::getFileOrSTDIN(input, /*IsText=*/true);
  if (!buffer)
    return fail(input + ": " + buffer.getError().message());
  llvm::StringRef text = (*buffer)->getBuffer();
  if (std::string problem = refuseToParse(text); !problem.empty())
    return fail(input + ": " + problem);
  OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(text, &context, input);
  if (!module)
    return 1;
  // What a step breaks is no news.
  ScopedDiagnosticHandler quiet(&context, [](Diagnostic &) { return success(); });
  Reducer reducer(test);
  if (std::string problem = reducer.prepare(); !problem.empty())
    return fail(problem);
  if (!reducer.isInteresting(*module))
    return fail(input + " is not interesting: " + test + " doesn't exit with 0");
  module = reducer.reduce(std::move(module));
  if (std::error_code error = writeFile(output, textOf(*module)))
    return fail(output + ": " + error.message());
  return 0;
}

} // namespace

int main(int argc, char **argv) {
  std::signal(SIGXFSZ, SIG_IGN); // a file that would be too large is an error of its write
  std::string input, test, output = "-";
  for (int i = 1; i < argc; ++i) {
    llvm::StringRef arg = argv[i];
    if (arg == "--help" || arg == "-h")
      return llvm::outs() << usage, 0;
    bool takesValue = arg == "--test" || arg == "-o";
    if (takesValue && i + 1 < argc)
      (arg == "-o" ? output : test) = argv[++i];
    else if (!takesValue && input.empty() && (arg == "-" || !arg.starts_with("-")))
      input = arg.str();
    else
      return llvm::errs() << usage, 2;
  }
  if (input.empty() || test.empty())
    return llvm::errs() << usage, 2;
  return run(input, test, output);
}
