// One file in: text of a stage or a code object out, or a bundle for ahead-of-time use.
#include "Modes.h"

#include "tegula/Object/Header.h"
#include "tegula/Pipeline/Compiler.h"
#include "tegula/Support/File.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

using namespace tegula;
namespace json = llvm::json;

namespace {

/// A file of a bundle, in memory until every one is there.
struct File {
  std::string name, bytes;
};

std::string print(json::Value value) {
  std::string text;
  llvm::raw_string_ostream(text) << llvm::formatv("{0:2}\n", value);
  return text;
}

CompileReply compile(const OneShotOptions &options, llvm::StringRef text, const std::string &target,
                     const std::string &emit) {
  CompileRequest request;
  request.text = text.str();
  // The name alone: what is compiled must not depend on the directory.
  bool isStdin = options.input == "-";
  request.filename = isStdin ? "<stdin>" : llvm::sys::path::filename(options.input).str();
  request.target = target;
  request.from = options.from;
  request.emit = emit;
  request.timePasses = options.timePasses;
  request.tellRemarks = options.remarks;
  if (!options.dumpFolder.empty())
    request.dumpFolder = options.dumpFolder + (target.empty() ? "" : "/" + target);
  CompileReply reply = compileGuarded(request);
  llvm::errs() << reply.text;
  return reply;
}

int writeOne(const OneShotOptions &options, llvm::StringRef text) {
  if (options.targets.size() > 1)
    return fail("--emit " + options.emit + " takes one --target");
  std::string target = options.targets.empty() ? "" : options.targets[0];
  CompileReply reply = compile(options, text, target, options.emit);
  if (!reply.ok)
    return 1;
  std::string output = options.output.empty() ? "-" : options.output;
  if (std::error_code error = writeFile(output, reply.payload))
    return fail(output + ": " + error.message());
  return 0;
}

/// Whether a kernel's name is that of a visible file in a folder.
bool isFileName(llvm::StringRef kernel) {
  return !kernel.empty() && !kernel.starts_with(".") && !kernel.contains('/');
}

/// Compiles for every target; the code objects, and their records in `variants`.
bool compileVariants(const OneShotOptions &options, llvm::StringRef text, json::Array &variants,
                     std::vector<File> &files) {
  std::vector<std::string> targets = options.targets;
  if (targets.empty())
    targets.push_back("");
  for (const std::string &target : targets) {
    CompileReply reply = compile(options, text, target, "object");
    if (!reply.ok)
      return false;
    json::Object &record = reply.manifest;
    llvm::StringRef kernel = *record.getString("kernel");
    if (!isFileName(kernel))
      return fail("files of a bundle have the kernel's name, and '" + kernel + "' names none"),
             false;
    std::string name = (kernel + "." + *record.getString("target") + ".hsaco").str();
    record["file"] = name;
    files.push_back({name, std::move(reply.payload)});
    variants.push_back(std::move(record));
  }
  return true;
}

int writeBundle(const OneShotOptions &options, llvm::StringRef text) {
  std::vector<File> files;
  json::Array variants;
  if (!compileVariants(options, text, variants, files))
    return 1;
  std::string kernel = variants[0].getAsObject()->getString("kernel")->str();
  json::Object manifest{{"version", 1}, {"kernel", kernel}, {"variants", std::move(variants)}};
  llvm::Expected<std::string> header = makeHeader(manifest);
  if (!header)
    return fail(llvm::toString(header.takeError()));
  files.push_back({kernel + ".h", std::move(*header)});
  files.push_back({kernel + ".json", print(std::move(manifest))}); // last: it names the others
  std::string folder = options.output.empty() ? "." : options.output;
  if (std::error_code error =
          llvm::sys::fs::create_directories(folder, true, llvm::sys::fs::all_all))
    return fail(folder + ": " + error.message());
  for (const File &file : files)
    if (std::error_code error = writeFile(folder + "/" + file.name, file.bytes))
      return fail(folder + "/" + file.name + ": " + error.message());
  return 0;
}

} // namespace

int tegula::fail(const llvm::Twine &message) {
  llvm::errs() << "tegula-compile: " << message << "\n";
  return 1;
}

int tegula::runOneShot(const OneShotOptions &options) {
  auto buffer = llvm::MemoryBuffer::getFileOrSTDIN(options.input, /*IsText=*/true);
  if (!buffer)
    return fail(options.input + ": " + buffer.getError().message());
  llvm::StringRef text = (*buffer)->getBuffer();
  return options.emit == "bundle" ? writeBundle(options, text) : writeOne(options, text);
}

int tegula::runHeader(const std::string &manifest, const std::string &output) {
  auto buffer = llvm::MemoryBuffer::getFileOrSTDIN(manifest, /*IsText=*/true);
  if (!buffer)
    return fail(manifest + ": " + buffer.getError().message());
  llvm::Expected<json::Value> parsed = json::parse((*buffer)->getBuffer());
  if (!parsed)
    return fail(manifest + ": " + llvm::toString(parsed.takeError()));
  const json::Object *object = parsed->getAsObject();
  llvm::Expected<std::string> header = makeHeader(object ? *object : json::Object());
  if (!header)
    return fail(manifest + ": " + llvm::toString(header.takeError()));
  std::string path = output.empty() ? "-" : output;
  std::error_code error = writeFile(path, *header);
  return error ? fail(path + ": " + error.message()) : 0;
}
