// What looks on while a launch runs, instruction by instruction: debuggers, traces, heat maps. A
// launch without one has no test for it but one a slice.
#pragma once

#include "Sim/Exec/Resident.h"

namespace tegula::sim {

class Observer {
public:
  virtual ~Observer() = default;
  /// The residents of the one thread that runs the launch; null when it has ended.
  virtual void attach(const std::vector<std::unique_ptr<Resident>> *) = 0;
  /// Before an instruction; Wave::pc is its op. False abandons the launch.
  virtual bool before(Wave &, const Op &) = 0;
  /// After it. `next` is null when the wave has given up the thread (Wave::stop says why).
  virtual void after(Wave &, const Op &, const Op *next) = 0;
  /// The first finding of its kind at that place.
  virtual void found(const Finding &) = 0;
};

} // namespace tegula::sim
