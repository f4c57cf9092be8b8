// Reads register counts, spills and sizes back from the object's metadata note, a MessagePack map.
#include "tegula/Object/Object.h"

#include "llvm/BinaryFormat/MsgPackDocument.h"
#include "llvm/Object/ELF.h"

using namespace mlir;
using namespace tegula;

namespace {

using Elf = llvm::object::ELFFile<llvm::object::ELF64LE>;

/// The metadata note's bytes, empty when there is none.
llvm::Expected<llvm::StringRef> findNote(const Elf &elf) {
  auto segments = elf.program_headers();
  if (!segments)
    return segments.takeError();
  for (const auto &segment : *segments) {
    if (segment.p_type != llvm::ELF::PT_NOTE)
      continue;
    llvm::Error error = llvm::Error::success();
    llvm::StringRef found;
    for (const auto &note : elf.notes(segment, error))
      if (note.getName() == "AMDGPU" && note.getType() == llvm::ELF::NT_AMDGPU_METADATA)
        found = note.getDescAsStringRef(segment.p_align);
    if (error)
      return std::move(error);
    if (!found.empty())
      return found;
  }
  return llvm::StringRef();
}

int64_t number(llvm::msgpack::MapDocNode &map, llvm::StringRef key) {
  auto it = map.find(key);
  if (it == map.end())
    return 0;
  llvm::msgpack::DocNode &node = it->second;
  if (node.getKind() == llvm::msgpack::Type::UInt)
    return static_cast<int64_t>(node.getUInt());
  return node.getKind() == llvm::msgpack::Type::Int ? node.getInt() : 0;
}

Resources fromMap(llvm::msgpack::MapDocNode &map) {
  Resources r;
  r.vgprs = number(map, ".vgpr_count");
  r.agprs = number(map, ".agpr_count");
  r.sgprs = number(map, ".sgpr_count");
  r.vgprSpills = number(map, ".vgpr_spill_count");
  r.sgprSpills = number(map, ".sgpr_spill_count");
  r.scratchBytes = number(map, ".private_segment_fixed_size");
  r.ldsBytes = number(map, ".group_segment_fixed_size");
  r.kernargBytes = number(map, ".kernarg_segment_size");
  return r;
}

/// The map of one kernel in the document, or null.
llvm::msgpack::MapDocNode *findKernelMap(llvm::msgpack::Document &document,
                                         llvm::StringRef kernel) {
  llvm::msgpack::DocNode &root = document.getRoot();
  if (!root.isMap())
    return nullptr;
  auto kernels = root.getMap().find("amdhsa.kernels");
  if (kernels == root.getMap().end() || !kernels->second.isArray())
    return nullptr;
  for (llvm::msgpack::DocNode &entry : kernels->second.getArray()) {
    if (!entry.isMap())
      continue;
    auto name = entry.getMap().find(".name");
    if (name != entry.getMap().end() && name->second.isString() &&
        name->second.getString() == kernel)
      return &entry.getMap();
  }
  return nullptr;
}

} // namespace

FailureOr<Resources> tegula::readResources(llvm::StringRef bytes, llvm::StringRef kernel,
                                           Location loc) {
  auto fail = [&](const llvm::Twine &reason) {
    return emitError(loc) << "reading the code object back: " << reason << " [object.note.c1]";
  };
  auto elf = Elf::create(bytes);
  if (!elf)
    return fail(llvm::toString(elf.takeError()));
  llvm::Expected<llvm::StringRef> note = findNote(*elf);
  if (!note)
    return fail(llvm::toString(note.takeError()));
  llvm::msgpack::Document document;
  if (note->empty() || !document.readFromBlob(*note, /*Multi=*/false))
    return fail("no metadata note");
  llvm::msgpack::MapDocNode *map = findKernelMap(document, kernel);
  if (!map)
    return fail("the note does not know kernel " + kernel);
  return fromMap(*map);
}
