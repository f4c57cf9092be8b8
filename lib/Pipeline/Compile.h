// Internal to lib/Pipeline: a compile without the guard.
#ifndef TEGULA_LIB_PIPELINE_COMPILE_H
#define TEGULA_LIB_PIPELINE_COMPILE_H

#include "tegula/Pipeline/Compiler.h"

namespace tegula {

void compile(const CompileRequest &request, CompileReply &reply);

} // namespace tegula

#endif // TEGULA_LIB_PIPELINE_COMPILE_H
