// What waves executed, one line an instruction: as text, or as one JSON object a line.
#pragma once

#include "Sim/Exec/MemTrace.h"
#include <functional>
#include <string>

namespace tegula::sim {

using TraceSink = std::function<void(const std::string &line)>;

class Trace {
public:
  Trace(bool json, TraceSink sink) : json_(json), sink_(std::move(sink)) {}
  /// The instruction has run; `memory` is what it touched. Of vector results the first active lane
  /// is shown.
  void add(const Wave &, const Instruction &, const MemTrace &memory);

private:
  bool json_;
  TraceSink sink_;
};

} // namespace tegula::sim
