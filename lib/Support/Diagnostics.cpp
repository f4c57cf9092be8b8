// Collects MLIR diagnostics into records.
#include "tegula/Support/Diagnostics.h"

#include "mlir/IR/Location.h"
#include "llvm/ADT/StringExtras.h"

#include <algorithm>

using namespace mlir;
using namespace tegula;

SourcePoint tegula::sourcePoint(Location loc) {
  auto place = loc->findInstanceOf<FileLineColRange>();
  if (!place)
    return {};
  SourcePoint point{place.getFilename().str(), place.getStartLine(), place.getStartColumn()};
  if (place.getEndLine() != place.getStartLine() ||
      place.getEndColumn() != place.getStartColumn()) {
    point.endLine = place.getEndLine();
    point.endColumn = place.getEndColumn();
  }
  return point;
}

// Both shapes occur: the front end nests calls in the callee, MLIR's inliner in the caller.
std::vector<SourcePoint> tegula::callsOf(Location loc) {
  auto call = loc->findInstanceOf<CallSiteLoc>();
  if (!call)
    return {};
  std::vector<SourcePoint> calls = callsOf(call.getCallee());
  calls.push_back(sourcePoint(call.getCaller()));
  for (SourcePoint &outer : callsOf(call.getCaller()))
    calls.push_back(std::move(outer));
  return calls;
}

std::string tegula::splitLabel(std::string &message) {
  if (message.empty() || message.back() != ']')
    return "";
  size_t open = message.rfind('[');
  if (open == std::string::npos)
    return "";
  llvm::StringRef label = llvm::StringRef(message).slice(open + 1, message.size() - 1);
  // Labels are dotted words; "[256, 64]" is part of a message.
  bool isLabel = label.contains('.') && llvm::all_of(label, [](char c) {
                   return llvm::isAlnum(c) || c == '.' || c == '_' || c == '-';
                 });
  if (!isLabel || llvm::isDigit(label.front()))
    return "";
  std::string result = label.str();
  message = llvm::StringRef(message).take_front(open).rtrim().str();
  return result;
}

static const char *severityName(DiagnosticSeverity severity) {
  switch (severity) {
  case DiagnosticSeverity::Error:
    return "error";
  case DiagnosticSeverity::Warning:
    return "warning";
  case DiagnosticSeverity::Remark:
    return "remark";
  case DiagnosticSeverity::Note:
    return "note";
  }
  return "error";
}

static DiagnosticRecord record(Diagnostic &diagnostic) {
  DiagnosticRecord r;
  r.severity = severityName(diagnostic.getSeverity());
  r.message = diagnostic.str();
  r.label = splitLabel(r.message);
  r.at = sourcePoint(diagnostic.getLocation());
  r.calls = callsOf(diagnostic.getLocation());
  for (Diagnostic &note : diagnostic.getNotes())
    r.notes.push_back(record(note));
  return r;
}

DiagnosticCollector::DiagnosticCollector(MLIRContext *context)
    : handler(context, [this](Diagnostic &diagnostic) {
        bool isRemark = diagnostic.getSeverity() == DiagnosticSeverity::Remark;
        (isRemark ? remarks : diagnostics).push_back(record(diagnostic));
        return success();
      }) {}

bool DiagnosticCollector::hasErrors() const {
  return llvm::any_of(diagnostics, [](const DiagnosticRecord &r) { return r.severity == "error"; });
}

static void addPlace(llvm::json::Object &object, const SourcePoint &at) {
  if (at.line) {
    object["file"] = at.file;
    object["line"] = at.line;
    object["column"] = at.column;
  }
  if (at.endLine) {
    object["end_line"] = at.endLine;
    object["end_column"] = at.endColumn;
  }
}

llvm::json::Object DiagnosticRecord::toJson() const {
  llvm::json::Object object{{"severity", severity}, {"message", message}};
  if (!label.empty())
    object["label"] = label;
  addPlace(object, at);
  llvm::json::Array callers;
  for (const SourcePoint &call : calls) {
    llvm::json::Object place;
    addPlace(place, call);
    callers.push_back(std::move(place));
  }
  if (!callers.empty())
    object["calls"] = std::move(callers);
  if (!notes.empty())
    object["notes"] = tegula::toJson(notes);
  return object;
}

llvm::json::Array tegula::toJson(const std::vector<DiagnosticRecord> &records) {
  llvm::json::Array array;
  for (const DiagnosticRecord &r : records)
    array.push_back(r.toJson());
  return array;
}

std::string DiagnosticRecord::toText() const {
  std::string text;
  if (at.line)
    text = at.file + ":" + std::to_string(at.line) + ":" + std::to_string(at.column) + ": ";
  text += severity + ": " + message + (label.empty() ? "" : " [" + label + "]") + "\n";
  for (const DiagnosticRecord &note : notes)
    text += note.toText();
  return text;
}
