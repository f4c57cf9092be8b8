// Surviving LLVM: fatal errors, crashes and exhausted memory of a compile become a reply, or where
// nothing can be answered any more a message and an exit status. Stack overflow and hangs end or
// block the process; the client of the worker deals with those.
#include "tegula/Pipeline/Compiler.h"

#include "llvm/Support/CrashRecoveryContext.h"
#include "llvm/Support/ErrorHandling.h"

#include <mutex>
#include <new>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

using namespace tegula;

namespace {

constexpr int fatalExit = 70;

/// How a compile ended that did not return.
struct Fate {
  std::string message; ///< LLVM's own, if it gave one
  bool outOfMemory = false;
};
thread_local Fate *fate = nullptr; ///< of the compile on this thread

/// First line, cut where LLVM starts to print addresses: those differ from run to run.
std::string stableMessage(const char *reason) {
  llvm::StringRef line = llvm::StringRef(reason).split('\n').first;
  return line.take_front(line.find(": 0x")).str();
}

/// For what happens outside of a compile, or inside of one that can't be left.
[[noreturn]] void endProcess(const char *reason) {
  for (const char *part : {"tegula-compile: ", reason, "\n"})
    (void)!::write(STDERR_FILENO, part, std::strlen(part));
  ::_exit(1);
}

void onFatalError(void *, const char *reason, bool) {
  auto *recovery = llvm::CrashRecoveryContext::GetCurrent();
  if (!recovery || !fate)
    endProcess(reason);
  fate->message = stableMessage(reason);
  recovery->HandleExit(fatalExit); // does not return
}

/// Whether there is no memory left. MLIR does not look at what malloc gives it for the interfaces
/// of ops, so a crash may be how that shows.
bool isExhausted() {
  constexpr size_t bytes = 1 << 20; // more than malloc asks for at a time
  void *probe = ::mmap(nullptr, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  return probe == MAP_FAILED || ::munmap(probe, bytes) != 0;
}

/// Memory for one message when there is none left.
char memoryText[160];

/// In a compile it is left; whoever has no memory to tell of that ends the process.
void onExhausted() {
  auto *recovery = llvm::CrashRecoveryContext::GetCurrent();
  if (!recovery || !fate || std::exchange(fate->outOfMemory, true))
    endProcess(memoryText);
  recovery->HandleExit(fatalExit);
}

void describeLimit() {
  rlimit limit{};
  bool isLimited = getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY;
  if (isLimited)
    std::snprintf(memoryText, sizeof memoryText,
                  "out of memory: the compiler may use %llu MB (--memory-limit)",
                  static_cast<unsigned long long>(limit.rlim_cur >> 20));
  else
    std::snprintf(memoryText, sizeof memoryText, "out of memory");
}

void installHandlers() {
  static std::once_flag once;
  std::call_once(once, [] {
    llvm::install_fatal_error_handler(onFatalError);
    llvm::install_bad_alloc_error_handler([](void *, const char *, bool) { onExhausted(); });
    std::set_new_handler(onExhausted);
    llvm::CrashRecoveryContext::Enable();
  });
  describeLimit(); // the client of a worker sets it when the process runs
}

} // namespace

CompileReply tegula::compileGuarded(const CompileRequest &request, CompileStep step) {
  installHandlers();
  CompileReply reply;
  Fate end;
  // On the heap, and leaked after a crash: whatever the thread was writing then may be half done.
  auto *work = new CompileReply;
  llvm::CrashRecoveryContext thread, recovery;
  bool survived = false;
  thread.RunSafelyOnThread(
      [&] {
        fate = &end;
        survived = recovery.RunSafely([&] { step(request, *work); });
        end.outOfMemory |= !survived && isExhausted(); // with the stack, which counts
      },
      compileStackBytes);
  if (survived) {
    reply = std::move(*work);
    delete work;
    return reply;
  }
  reply.internal = true;
  if (end.outOfMemory)
    reply.fail(memoryText, "compile.memory.c1");
  else
    reply.fail(end.message.empty()
                   ? "LLVM crashed (status " + std::to_string(recovery.RetCode) + ")"
                   : "LLVM gave up: " + end.message,
               "compile.internal.c1");
  return reply;
}
