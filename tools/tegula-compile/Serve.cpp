// The worker. A frame is a 4-byte little-endian length, a JSON header of that many bytes, and as
// many raw bytes as the header's `payload_bytes` says.
#include "Modes.h"

#include "tegula/Pipeline/Compiler.h"

#include "llvm/Support/Endian.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

#include <cerrno>
#include <optional>
#include <string>
#include <unistd.h>

using namespace tegula;
namespace json = llvm::json;

namespace {

constexpr uint32_t maxHeader = 1u << 28;

/// Reads exactly `size` bytes; false at the end of the stream. Nothing is read ahead: what follows
/// belongs to whatever process runs next.
bool readExactly(int fd, char *data, size_t size) {
  while (size) {
    ssize_t n = ::read(fd, data, size);
    if (n < 0 && errno == EINTR)
      continue;
    if (n <= 0)
      return false;
    data += n;
    size -= static_cast<size_t>(n);
  }
  return true;
}

bool writeExactly(int fd, llvm::StringRef bytes) {
  while (!bytes.empty()) {
    ssize_t n = ::write(fd, bytes.data(), bytes.size());
    if (n < 0 && errno == EINTR)
      continue;
    if (n <= 0)
      return false;
    bytes = bytes.drop_front(static_cast<size_t>(n));
  }
  return true;
}

std::optional<std::string> readFrame(int fd) {
  char length[4];
  if (!readExactly(fd, length, 4))
    return std::nullopt;
  uint32_t size = llvm::support::endian::read32le(length);
  if (size > maxHeader)
    return std::nullopt;
  std::string header(size, '\0');
  if (!readExactly(fd, header.data(), size))
    return std::nullopt;
  return header;
}

bool writeFrame(int fd, const json::Value &header, llvm::StringRef payload) {
  std::string text;
  llvm::raw_string_ostream(text) << header;
  char length[4];
  llvm::support::endian::write32le(length, static_cast<uint32_t>(text.size()));
  return writeExactly(fd, llvm::StringRef(length, 4)) && writeExactly(fd, text) &&
         writeExactly(fd, payload);
}

std::string field(const json::Object &object, llvm::StringRef name, const char *otherwise) {
  return object.getString(name).value_or(otherwise).str();
}

/// The request of a header, or a reply that says what is wrong with it.
CompileReply answer(const json::Object &header, CompileStep step) {
  if (!header.getString("text")) {
    CompileReply reply;
    reply.fail("a request needs a string 'text'", "compile.request.c1");
    return reply;
  }
  CompileRequest request;
  request.text = field(header, "text", "");
  request.filename = field(header, "filename", "kernel.mlir");
  request.target = field(header, "target", "");
  request.emit = field(header, "emit", "object");
  if (const json::Object *options = header.getObject("options"))
    request.options = *options;
  return compileGuarded(request, step);
}

json::Object replyHeader(CompileReply &reply) {
  json::Object object{{"ok", reply.ok},
                      {"diagnostics", std::move(reply.diagnostics)},
                      {"remarks", std::move(reply.remarks)},
                      {"timings_ms", std::move(reply.timingsMs)}};
  if (!reply.manifest.empty())
    object["manifest"] = std::move(reply.manifest);
  if (reply.internal)
    object["internal"] = true;
  if (!reply.payload.empty())
    object["payload_bytes"] = static_cast<int64_t>(reply.payload.size());
  return object;
}

} // namespace

int tegula::runServer(char **argv, CompileStep step) {
  // Frames get a descriptor of their own: whatever prints to standard output goes to the log.
  int out = ::dup(STDOUT_FILENO);
  if (out < 0 || ::dup2(STDERR_FILENO, STDOUT_FILENO) < 0)
    return 1;
  while (std::optional<std::string> frame = readFrame(STDIN_FILENO)) {
    llvm::Expected<json::Value> parsed = json::parse(*frame);
    const json::Object *header = parsed ? parsed->getAsObject() : nullptr;
    CompileReply reply;
    if (header)
      reply = answer(*header, step);
    else
      reply.fail(parsed ? "a request is a JSON object" : llvm::toString(parsed.takeError()),
                 "compile.request.c1");
    bool fresh = reply.internal;
    json::Object object = replyHeader(reply);
    if (header && header->get("id"))
      object["id"] = *header->get("id");
    if (!writeFrame(out, std::move(object), reply.payload))
      return 1;
    if (fresh) {
      // The crash leaked memory and may have left locks held. The next request meets a new image.
      ::dup2(out, STDOUT_FILENO);
      ::close(out);
      ::execv("/proc/self/exe", argv);
      return 1;
    }
  }
  return 0;
}
