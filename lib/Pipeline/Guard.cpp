// Surviving LLVM: fatal errors and crashes of a compile become a reply. Stack overflow, hangs and
// exhausted memory can end or block the process; the client of the worker deals with those.
#include "tegula/Pipeline/Compiler.h"

#include "llvm/Support/CrashRecoveryContext.h"
#include "llvm/Support/ErrorHandling.h"

#include <mutex>

using namespace tegula;

namespace {

constexpr unsigned stackBytes = 64u << 20; // deep but legal nests of regions recurse far
constexpr int fatalExit = 70;

thread_local std::string *fatalMessage = nullptr;

/// First line, cut where LLVM starts to print addresses: those differ from run to run.
std::string stableMessage(const char *reason) {
  llvm::StringRef line = llvm::StringRef(reason).split('\n').first;
  return line.take_front(line.find(": 0x")).str();
}

void onFatalError(void *, const char *reason, bool) {
  if (fatalMessage)
    *fatalMessage = stableMessage(reason);
  if (auto *recovery = llvm::CrashRecoveryContext::GetCurrent())
    recovery->HandleExit(fatalExit); // does not return
}

void installHandlers() {
  static std::once_flag once;
  std::call_once(once, [] {
    llvm::install_fatal_error_handler(onFatalError);
    llvm::install_bad_alloc_error_handler(onFatalError);
    llvm::CrashRecoveryContext::Enable();
  });
}

} // namespace

CompileReply tegula::compileGuarded(const CompileRequest &request, CompileStep step) {
  installHandlers();
  CompileReply reply;
  std::string fatal;
  // On the heap, and leaked after a crash: whatever the thread was writing then may be half done.
  auto *work = new CompileReply;
  llvm::CrashRecoveryContext recovery;
  bool survived = recovery.RunSafelyOnThread(
      [&] {
        fatalMessage = &fatal;
        step(request, *work);
      },
      stackBytes);
  if (survived) {
    reply = std::move(*work);
    delete work;
    return reply;
  }
  reply.internal = true;
  reply.fail(fatal.empty() ? "LLVM crashed (status " + std::to_string(recovery.RetCode) + ")"
                           : "LLVM gave up: " + fatal,
             "compile.internal.c1");
  return reply;
}
