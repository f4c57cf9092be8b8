// tegula-compile: tile IR to AMD code objects, once or as a worker.
#include "Modes.h"

#include "tegula/Pipeline/Compiler.h"
#include "tegula/Support/BuildId.h"

#include "llvm/ADT/StringRef.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/raw_ostream.h"

#include <csignal>
#include <sys/resource.h>

using namespace tegula;

static const char usage[] =
    R"(Usage: tegula-compile FILE [options]     compile one file ("-": standard input)
       tegula-compile --header MANIFEST   print the C header of a manifest
       tegula-compile --serve             answer framed requests on standard input
       tegula-compile --list-targets      print the build id and the target tables as JSON
       tegula-compile --version           print the build id

  --emit STAGE         bundle (default): code objects, manifest and C header, in a folder;
                       tile, cdna, rocdl, llvm, asm: text; object: the code object alone
  --target NAME        chip; default: the one that the kernel names. Several make one bundle
  --from STAGE         what FILE is: tile (default), or rocdl, which needs --target
  -o PATH              folder of a bundle (default: this one), or output file (standard output)
  --dump FOLDER        also write the module after each pass, LLVM IR and assembly, numbered, into
                       FOLDER/TARGET (FOLDER without --target)
  --time-passes        print the time of each pass to standard error
  --remarks            print what the compiler remarks to standard error: swizzles, conversions,
                       what was expanded and why
  --memory-limit MB    address space that this process may use
)";

static int misused(const llvm::Twine &message) {
  fail(message);
  llvm::errs() << usage;
  return 2;
}

/// Address space in MB that any compile takes: what this process has, and a stack.
static uint64_t leastMegabytes() {
  uint64_t pages = 0;
  if (auto status = llvm::MemoryBuffer::getFileAsStream("/proc/self/statm"))
    (*status)->getBuffer().split(' ').first.getAsInteger(10, pages);
  return (pages * llvm::sys::Process::getPageSizeEstimate() + compileStackBytes) >> 20;
}

/// Nothing, or what is wrong with the limit.
static std::string limitMemory(llvm::StringRef megabytes) {
  uint64_t amount, least = leastMegabytes();
  if (megabytes.getAsInteger(10, amount) || amount > (uint64_t(1) << 40))
    return "--memory-limit needs a number of MB, not '" + megabytes.str() + "'";
  if (amount <= least)
    return "--memory-limit " + megabytes.str() + ": the compiler itself takes " +
           std::to_string(least) + " MB of address space, before it compiles anything";
  rlimit limit{amount << 20, amount << 20};
  return setrlimit(RLIMIT_AS, &limit) == 0 ? "" : "--memory-limit is beyond the present limit";
}

namespace {
/// The command line, read.
struct Arguments {
  OneShotOptions compile;
  std::string header, memory;
  bool serve = false, help = false, version = false, listTargets = false;

  /// Nothing, or what is wrong.
  std::string read(int argc, char **argv) {
    for (int i = 1; i < argc; ++i) {
      llvm::StringRef arg = argv[i];
      if (bool *flag = flagOf(arg)) {
        *flag = true;
      } else if (std::string *text = textOf(arg)) {
        if (++i == argc)
          return (arg + " needs a value").str();
        *text = argv[i];
        if (arg == "--target" && !llvm::is_contained(compile.targets, *text))
          compile.targets.push_back(*text);
      } else if (arg.starts_with("-") && arg != "-") {
        return ("unknown option " + arg).str();
      } else if (!compile.input.empty()) {
        return "more than one input file";
      } else {
        compile.input = arg.str();
      }
    }
    return "";
  }

private:
  bool *flagOf(llvm::StringRef arg) {
    return llvm::StringSwitch<bool *>(arg)
        .Case("--serve", &serve)
        .Cases({"--help", "-h"}, &help)
        .Case("--version", &version)
        .Case("--list-targets", &listTargets)
        .Case("--time-passes", &compile.timePasses)
        .Case("--remarks", &compile.remarks)
        .Default(nullptr);
  }
  std::string *textOf(llvm::StringRef arg) {
    return llvm::StringSwitch<std::string *>(arg)
        .Case("--target", &target)
        .Case("--from", &compile.from)
        .Case("--emit", &compile.emit)
        .Case("-o", &compile.output)
        .Case("--header", &header)
        .Case("--dump", &compile.dumpFolder)
        .Case("--memory-limit", &memory)
        .Default(nullptr);
  }
  std::string target; ///< the last one read
};
} // namespace

int main(int argc, char **argv) {
  std::signal(SIGXFSZ, SIG_IGN); // a file that would be too large is an error of its write
  Arguments arguments;
  if (std::string problem = arguments.read(argc, argv); !problem.empty())
    return misused(problem);
  if (arguments.help)
    return llvm::outs() << usage, 0;
  if (arguments.version)
    return llvm::outs() << buildId() << "\n", 0;
  if (arguments.listTargets)
    return llvm::outs() << llvm::json::Value(describeCompiler()) << "\n", 0;
  if (!arguments.memory.empty())
    if (std::string problem = limitMemory(arguments.memory); !problem.empty())
      return misused(problem);
  bool hasInput = !arguments.compile.input.empty();
  if (arguments.serve)
    return hasInput ? misused("--serve takes no file") : runServer(argv, compile);
  if (!arguments.header.empty())
    return hasInput ? misused("--header takes no other file")
                    : runHeader(arguments.header, arguments.compile.output);
  return hasInput ? runOneShot(arguments.compile) : misused("no input file");
}
