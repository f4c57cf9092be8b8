// Nesting of brackets, and the driver of single passes.
#include "tegula/Pipeline/Source.h"

#include "tegula/Pipeline/Pipelines.h"

#include "mlir/Support/FileUtilities.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/ToolOutputFile.h"

using namespace mlir;

/// MLIR's parser recurses once a bracket; text nested deeper than this may overflow its stack.
static constexpr unsigned deepestNesting = 256;

namespace {
/// What of a text decides whether it is parsed, outside of strings and comments.
struct Shape {
  unsigned deepest = 0; ///< brackets that are open at once
  bool hasAffine = false;

  explicit Shape(StringRef text) {
    unsigned depth = 0;
    for (size_t i = 0; i < text.size(); ++i) {
      char c = text[i];
      if (c == '"') {
        while (++i < text.size() && text[i] != '"' && text[i] != '\n')
          i += text[i] == '\\';
      } else if (text.substr(i).starts_with("//")) {
        i = text.find('\n', i);
        if (i == StringRef::npos)
          break;
      } else if (StringRef("([{<").contains(c)) {
        deepest = std::max(deepest, ++depth);
      } else if (StringRef(")]}>").contains(c) && !(c == '>' && i && text[i - 1] == '-')) {
        depth -= depth != 0;
      } else if (c == 'a') {
        StringRef rest = text.substr(i);
        hasAffine |= rest.starts_with("affine_map<") || rest.starts_with("affine_set<");
      }
    }
  }
};
} // namespace

std::string tegula::refuseToParse(StringRef text) {
  Shape shape(text);
  // Their parser recurses once an operator.
  if (shape.hasAffine)
    return "no op here has an affine_map or affine_set [compile.nesting.c2]";
  if (shape.deepest <= deepestNesting)
    return "";
  return "brackets nested " + std::to_string(shape.deepest) + " deep; at most " +
         std::to_string(deepestNesting) + " are read [compile.nesting.c1]";
}

int tegula::runOpt(int argc, char **argv, StringRef name) {
  llvm::InitLLVM init(argc, argv);
  DialectRegistry registry;
  registerDialects(registry);
  auto [input, output] = registerAndParseCLIOptions(argc, argv, name, registry);
  MlirOptMainConfig config = MlirOptMainConfig::createFromCLOptions();
  if (config.shouldShowDialects() || config.shouldListPasses())
    return asMainReturnCode(MlirOptMain(argc, argv, input, output, registry));
  std::string problem;
  std::unique_ptr<llvm::MemoryBuffer> text = openInputFile(input, &problem);
  if (text)
    problem = refuseToParse(text->getBuffer());
  std::unique_ptr<llvm::ToolOutputFile> to;
  if (problem.empty())
    to = openOutputFile(output, &problem);
  if (!problem.empty()) {
    llvm::errs() << input << ": error: " << problem << "\n";
    return 1;
  }
  LogicalResult done = MlirOptMain(to->os(), std::move(text), registry, config);
  if (succeeded(done))
    to->keep();
  return asMainReturnCode(done);
}
