// tegula-compile: tile IR to AMD code objects, once or as a worker.
#include "Modes.h"

#include "tegula/Pipeline/Compiler.h"
#include "tegula/Support/BuildId.h"

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/raw_ostream.h"

#include <sys/resource.h>

using namespace tegula;

static const char usage[] =
    R"(Usage: tegula-compile FILE [options]     compile one file ("-": standard input)
       tegula-compile --serve             answer framed requests on standard input
       tegula-compile --list-targets      print the target tables as JSON
       tegula-compile --version           print the build id

  --target NAME        chip; default: the one that the kernel names
  --from STAGE         what FILE is: tile (default), or rocdl, which needs --target
  --emit STAGE         tile, cdna, rocdl, llvm, asm or object (default)
  -o FILE              output; default: FILE with .hsaco, standard output for text stages.
                       The manifest of a code object stands beside it as .json
  --memory-limit MB    address space that this process may use
)";

static int fail(const llvm::Twine &message) {
  llvm::errs() << "tegula-compile: " << message << "\n" << usage;
  return 2;
}

static bool limitMemory(llvm::StringRef megabytes) {
  uint64_t amount;
  if (megabytes.getAsInteger(10, amount) || amount == 0 || amount > (uint64_t(1) << 40))
    return false;
  rlimit limit{amount << 20, amount << 20};
  return setrlimit(RLIMIT_AS, &limit) == 0;
}

int main(int argc, char **argv) {
  OneShotOptions options;
  bool serve = false;
  for (int i = 1; i < argc; ++i) {
    llvm::StringRef arg = argv[i];
    auto value = [&](std::string &into) {
      if (i + 1 == argc)
        return false;
      into = argv[++i];
      return true;
    };
    std::string megabytes;
    if (arg == "--serve")
      serve = true;
    else if (arg == "--help" || arg == "-h")
      return llvm::outs() << usage, 0;
    else if (arg == "--version")
      return llvm::outs() << buildId() << "\n", 0;
    else if (arg == "--list-targets")
      return llvm::outs() << llvm::json::Value(describeTargets()) << "\n", 0;
    else if (arg == "--target" || arg == "--from" || arg == "--emit" || arg == "-o") {
      std::string &into = arg == "--target" ? options.target
                          : arg == "--from" ? options.from
                          : arg == "--emit" ? options.emit
                                            : options.output;
      if (!value(into))
        return fail(arg + " needs a value");
    } else if (arg == "--memory-limit") {
      if (!value(megabytes) || !limitMemory(megabytes))
        return fail("--memory-limit needs a number of MB within the present limit");
    } else if (arg.starts_with("-") && arg != "-")
      return fail("unknown option " + arg);
    else if (!options.input.empty())
      return fail("more than one input file");
    else
      options.input = arg.str();
  }
  if (serve)
    return options.input.empty() ? runServer(argv) : fail("--serve takes no file");
  return options.input.empty() ? fail("no input file") : runOneShot(options);
}
