// What a person may ask to see of a compile: the module after each pass, and the time of each.
#ifndef TEGULA_PIPELINE_OBSERVERS_H
#define TEGULA_PIPELINE_OBSERVERS_H

#include "mlir/Pass/PassManager.h"
#include "mlir/Support/Timing.h"

#include <string>

namespace tegula {

/// Writes numbered files into a folder: the module as it came, after each pass, the LLVM IR, the
/// assembly. Passes that changed nothing leave no file; the numbers still count them.
class Dumper {
public:
  /// An empty folder writes nothing.
  explicit Dumper(std::string folder) : folder(std::move(folder)) {}

  bool isOn() const { return !folder.empty(); }
  void attach(mlir::PassManager &manager);
  /// Writes `NNN-name`; what is equal to the file before is left out.
  void write(llvm::StringRef name, std::string text);
  /// What went wrong first, or nothing.
  std::error_code error() const { return failure; }

private:
  std::string folder, last;
  unsigned number = 0;
  std::error_code failure;
};

/// Times of all passes and of the steps around them, printed when it ends.
class Stopwatch {
public:
  explicit Stopwatch(bool isOn);
  /// Starts a step; it ends with the scope.
  mlir::TimingScope step(llvm::StringRef name) { return root.nest(name); }

private:
  mlir::DefaultTimingManager manager;
  mlir::TimingScope root;
};

} // namespace tegula

#endif // TEGULA_PIPELINE_OBSERVERS_H
