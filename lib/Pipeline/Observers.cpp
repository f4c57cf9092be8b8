// Numbered dumps and times of a compile.
#include "tegula/Pipeline/Observers.h"

#include "tegula/Support/File.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/PassInstrumentation.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace tegula;

namespace {

class DumpAfterPasses final : public PassInstrumentation {
public:
  explicit DumpAfterPasses(Dumper &dumper) : dumper(dumper) {}

  void runAfterPass(Pass *pass, Operation *op) override { dump(pass, op, ".mlir"); }
  void runAfterPassFailed(Pass *pass, Operation *op) override { dump(pass, op, ".failed.mlir"); }

private:
  void dump(Pass *pass, Operation *op, StringRef suffix) {
    if (pass->getArgument().empty())
      return; // what runs the passes of a nested op
    auto module = dyn_cast<ModuleOp>(op);
    std::string text;
    llvm::raw_string_ostream(text) << (module ? module : op->getParentOfType<ModuleOp>());
    dumper.write((pass->getArgument() + suffix).str(), std::move(text));
  }
  Dumper &dumper;
};

} // namespace

void Dumper::attach(PassManager &manager) {
  if (isOn())
    manager.addInstrumentation(std::make_unique<DumpAfterPasses>(*this));
}

void Dumper::write(StringRef name, std::string text) {
  if (!isOn() || failure)
    return;
  std::string path = llvm::formatv("{0}/{1,0+3}-{2}", folder, number++, name).str();
  if (text == last)
    return;
  failure = llvm::sys::fs::create_directories(folder, true, llvm::sys::fs::all_all);
  if (!failure)
    failure = writeFile(path, text);
  last = std::move(text);
}

Stopwatch::Stopwatch(bool isOn) {
  manager.setEnabled(isOn);
  root = manager.getRootScope();
}
