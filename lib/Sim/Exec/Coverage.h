// Which instructions the device executes, for people and for tests.
#pragma once

#include "Sim/Decode/Isa.h"
#include <string>
#include <vector>

namespace tegula::sim {

struct ExecutedForm {
  const IsaRow *row;
  Arch arch;
  std::string encoding; ///< encodingName(), with _SDWA or _DPP appended for those forms
};
/// Every form that has a handler, ordered by mnemonic, target and encoding.
std::vector<ExecutedForm> executedForms();

} // namespace tegula::sim
