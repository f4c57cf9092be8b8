// Reads the build-id notes that linkers put into the running program and into LLVM's libraries.
#include "tegula/Support/BuildId.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Config/llvm-config.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/SHA1.h"

#include <link.h>

namespace {

/// NT_GNU_BUILD_ID of a segment of notes, in hexadecimal; empty when it has none.
std::string findBuildId(const char *notes, size_t size) {
  auto align = [](size_t n) { return (n + 3) & ~size_t(3); };
  while (size >= sizeof(ElfW(Nhdr))) {
    const auto *header = reinterpret_cast<const ElfW(Nhdr) *>(notes);
    size_t nameAt = sizeof(*header), descAt = nameAt + align(header->n_namesz);
    size_t next = descAt + align(header->n_descsz);
    if (next > size)
      break;
    if (header->n_type == NT_GNU_BUILD_ID && llvm::StringRef(notes + nameAt, 3) == "GNU")
      return llvm::toHex(llvm::StringRef(notes + descAt, header->n_descsz), /*LowerCase=*/true);
    notes += next;
    size -= next;
  }
  return "";
}

/// The note of one loaded object.
std::string buildIdOf(const dl_phdr_info &info) {
  std::string id;
  for (unsigned i = 0; i < info.dlpi_phnum && id.empty(); ++i)
    if (const ElfW(Phdr) &header = info.dlpi_phdr[i]; header.p_type == PT_NOTE)
      id = findBuildId(reinterpret_cast<const char *>(info.dlpi_addr + header.p_vaddr),
                       header.p_memsz);
  return id;
}

/// What decides which code comes out: the program, which the loader names first, and the libraries
/// of LLVM.
struct Parts {
  std::string program;
  llvm::SHA1 ids; ///< of the libraries
  std::vector<std::string> libraries;
  bool isFirst = true;

  Parts() { dl_iterate_phdr(visit, this); }

  static int visit(dl_phdr_info *info, size_t, void *result) {
    auto &parts = *static_cast<Parts *>(result);
    llvm::StringRef name = llvm::sys::path::filename(info->dlpi_name);
    if (std::exchange(parts.isFirst, false)) {
      parts.program = buildIdOf(*info);
    } else if (name.starts_with("libLLVM") || name.starts_with("libMLIR") ||
               name.starts_with("liblld")) {
      parts.ids.update(buildIdOf(*info));
      parts.libraries.push_back(info->dlpi_name);
    }
    return 0;
  }
};

} // namespace

std::string tegula::buildId() {
  Parts parts;
  std::string ids = llvm::toHex(parts.ids.final(), /*LowerCase=*/true);
  return parts.program + " llvm-" + LLVM_VERSION_STRING + "-" + ids.substr(0, 16);
}

std::vector<std::string> tegula::llvmLibraries() { return Parts().libraries; }
