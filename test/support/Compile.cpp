// tegula-test-compile: the worker of tegula-compile, which fails as the option `fault` of a request
// says: "fatal" as LLVM's fatal errors do, "stack" by overflowing the stack, "hang" by not ending.
#include "tegula/Pipeline/Compiler.h"
#include "tools/tegula-compile/Modes.h"

#include "llvm/Support/ErrorHandling.h"
#include "llvm/Support/raw_ostream.h"

#include <thread>

using namespace tegula;

#pragma clang diagnostic ignored "-Winfinite-recursion"
static unsigned overflowStack(volatile unsigned *depth) {
  volatile unsigned frame[256] = {*depth};
  *depth += 1;
  return overflowStack(depth) + frame[*depth % 256];
}

static void compileOrFail(const CompileRequest &request, CompileReply &reply) {
  llvm::StringRef fault = request.options.getString("fault").value_or("");
  if (fault == "fatal")
    llvm::report_fatal_error("Cannot select: 0x1234: planted");
  unsigned depth = 0;
  if (fault == "stack")
    overflowStack(&depth);
  while (fault == "hang")
    std::this_thread::sleep_for(std::chrono::seconds(1));
  compile(request, reply);
}

int main(int argc, char **argv) {
  if (argc == 2 && llvm::StringRef(argv[1]) == "--list-targets")
    return llvm::outs() << llvm::json::Value(describeCompiler()) << "\n", 0;
  return runServer(argv, compileOrFail);
}
