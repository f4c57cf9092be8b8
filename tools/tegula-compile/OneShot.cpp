// One file in, one file out.
#include "Modes.h"

#include "tegula/Pipeline/Compiler.h"
#include "tegula/Support/File.h"

#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

using namespace tegula;

static int fail(const llvm::Twine &message) {
  llvm::errs() << "tegula-compile: " << message << "\n";
  return 1;
}

static std::string withExtension(llvm::StringRef path, llvm::StringRef extension) {
  llvm::SmallString<128> result(path);
  llvm::sys::path::replace_extension(result, extension);
  return result.str().str();
}

static std::string defaultOutput(const OneShotOptions &options) {
  if (options.emit != "object" || options.input == "-")
    return "-";
  return withExtension(options.input, "hsaco");
}

int tegula::runOneShot(const OneShotOptions &options) {
  auto buffer = llvm::MemoryBuffer::getFileOrSTDIN(options.input, /*IsText=*/true);
  if (!buffer)
    return fail(options.input + ": " + buffer.getError().message());
  CompileRequest request;
  request.text = (*buffer)->getBuffer().str();
  // The name alone: what is compiled must not depend on the directory.
  bool isStdin = options.input == "-";
  request.filename = isStdin ? "<stdin>" : llvm::sys::path::filename(options.input).str();
  request.target = options.target;
  request.from = options.from;
  request.emit = options.emit;
  CompileReply reply = compileGuarded(request);
  llvm::errs() << reply.text;
  if (!reply.ok)
    return 1;
  std::string output = options.output.empty() ? defaultOutput(options) : options.output;
  if (std::error_code error = writeFile(output, reply.payload))
    return fail(output + ": " + error.message());
  if (options.emit != "object" || output == "-")
    return 0;
  std::string manifest;
  llvm::raw_string_ostream(manifest)
      << llvm::formatv("{0:2}\n", llvm::json::Value(std::move(reply.manifest)));
  std::string manifestPath = withExtension(output, "json");
  if (std::error_code error = writeFile(manifestPath, manifest))
    return fail(manifestPath + ": " + error.message());
  return 0;
}
