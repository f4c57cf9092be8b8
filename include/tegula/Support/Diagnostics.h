// Diagnostics as data: what a compile said, ready for a JSON reply or a terminal.
#ifndef TEGULA_SUPPORT_DIAGNOSTICS_H
#define TEGULA_SUPPORT_DIAGNOSTICS_H

#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/MLIRContext.h"
#include "llvm/Support/JSON.h"

#include <string>
#include <vector>

namespace tegula {

/// A place in a source file; line 0 when there is none. Columns count from 1, `end…` is 0 unless
/// the location is a range.
struct SourcePoint {
  std::string file;
  unsigned line = 0, column = 0, endLine = 0, endColumn = 0;
};

struct DiagnosticRecord {
  std::string severity; ///< "error", "warning", "remark" or "note"
  std::string label;    ///< "tile.mma.c2": what stood in brackets at the end of the message
  std::string message;  ///< without the label
  SourcePoint at;
  std::vector<SourcePoint> calls; ///< that `at` was inlined through, from the inside out
  std::vector<DiagnosticRecord> notes;

  llvm::json::Object toJson() const;
  /// `file:line:column: severity: message [label]`, notes on further lines.
  std::string toText() const;
};

/// The innermost place a location names: sees through names, fusions and call sites.
SourcePoint sourcePoint(mlir::Location loc);
/// The calls that a location was inlined through, from the inside out.
std::vector<SourcePoint> callsOf(mlir::Location loc);
/// Cuts "[label]" off the end of a message.
std::string splitLabel(std::string &message);

/// Collects everything that is reported while it lives, in order.
class DiagnosticCollector {
public:
  explicit DiagnosticCollector(mlir::MLIRContext *context);

  /// Errors and warnings; then remarks.
  std::vector<DiagnosticRecord> diagnostics, remarks;
  bool hasErrors() const;

private:
  mlir::ScopedDiagnosticHandler handler;
};

llvm::json::Array toJson(const std::vector<DiagnosticRecord> &records);

} // namespace tegula

#endif // TEGULA_SUPPORT_DIAGNOSTICS_H
