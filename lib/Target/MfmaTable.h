// Internal to lib/Target: the rows of the matrix instruction table and what is derived from them.
#ifndef TEGULA_LIB_TARGET_MFMATABLE_H
#define TEGULA_LIB_TARGET_MFMATABLE_H

#include "tegula/Target/Target.h"

namespace tegula {

/// The instructions of one chip. `column` picks its cycle column of the table.
enum class MfmaColumn { Cdna3, Cdna4 };
std::vector<MfmaInst> buildMfmaTable(MfmaColumn column, std::string_view fp8, std::string_view bf8);

/// Fills the three operand layouts and the register counts from shape and types.
void deriveMfmaLayouts(MfmaInst &inst);

} // namespace tegula

#endif // TEGULA_LIB_TARGET_MFMATABLE_H
