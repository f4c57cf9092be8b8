// Reads the build-id note that the linker put into the running program.
#include "tegula/Support/BuildId.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Config/llvm-config.h"

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

/// The first object that the loader names is the program itself.
int visit(dl_phdr_info *info, size_t, void *result) {
  for (unsigned i = 0; i < info->dlpi_phnum; ++i) {
    const ElfW(Phdr) &header = info->dlpi_phdr[i];
    auto &id = *static_cast<std::string *>(result);
    if (header.p_type == PT_NOTE && id.empty())
      id = findBuildId(reinterpret_cast<const char *>(info->dlpi_addr + header.p_vaddr),
                       header.p_memsz);
  }
  return 1;
}

} // namespace

std::string tegula::buildId() {
  std::string id;
  dl_iterate_phdr(visit, &id);
  return id + " llvm-" + LLVM_VERSION_STRING;
}
