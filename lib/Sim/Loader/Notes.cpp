// The AMDGPU metadata note: a MessagePack map with the argument list of each kernel.
#include "LoaderParts.h"
#include <msgpack.h>

namespace tegula::sim::loading {

namespace {

constexpr uint32_t kNoteMetadata = 32; // NT_AMDGPU_METADATA

const msgpack_object *member(const msgpack_object &map, const char *key) {
  if (map.type != MSGPACK_OBJECT_MAP)
    return nullptr;
  for (uint32_t i = 0; i < map.via.map.size; ++i) {
    const msgpack_object_kv &kv = map.via.map.ptr[i];
    if (kv.key.type == MSGPACK_OBJECT_STR && kv.key.via.str.size == std::strlen(key) &&
        std::memcmp(kv.key.via.str.ptr, key, kv.key.via.str.size) == 0)
      return &kv.val;
  }
  return nullptr;
}

std::string text(const msgpack_object &map, const char *key) {
  const msgpack_object *o = member(map, key);
  return o && o->type == MSGPACK_OBJECT_STR ? std::string(o->via.str.ptr, o->via.str.size) : "";
}

uint32_t number(const msgpack_object &map, const char *key) {
  const msgpack_object *o = member(map, key);
  return o && o->type == MSGPACK_OBJECT_POSITIVE_INTEGER && o->via.u64 <= UINT32_MAX
             ? uint32_t(o->via.u64)
             : 0;
}

bool readArguments(const msgpack_object &entry, Kernel &kernel, std::string &error) {
  const msgpack_object *args = member(entry, ".args");
  if (!args || args->type != MSGPACK_OBJECT_ARRAY)
    return true;
  for (uint32_t i = 0; i < args->via.array.size; ++i) {
    const msgpack_object &a = args->via.array.ptr[i];
    KernelArg arg{text(a, ".name"), text(a, ".value_kind"), number(a, ".offset"),
                  number(a, ".size")};
    if (uint64_t(arg.offset) + arg.size > UINT32_MAX ||
        (kernel.kernargBytes && arg.offset + arg.size > kernel.kernargBytes)) {
      error = "kernel '" + kernel.name + "': argument " + std::to_string(i) +
              " lies outside its argument segment";
      return false;
    }
    kernel.args.push_back(std::move(arg));
  }
  return true;
}

bool readKernel(const msgpack_object &entry, CodeObject &object, std::string &error) {
  std::string symbol = text(entry, ".symbol");
  for (Kernel &kernel : object.kernels) {
    if (symbol != kernel.name + ".kd")
      continue;
    kernel.maxFlatWorkgroup = number(entry, ".max_flat_workgroup_size");
    kernel.sgprCount = number(entry, ".sgpr_count");
    kernel.vgprCount = number(entry, ".vgpr_count");
    kernel.agprCount = number(entry, ".agpr_count");
    kernel.sgprSpills = number(entry, ".sgpr_spill_count");
    kernel.vgprSpills = number(entry, ".vgpr_spill_count");
    const msgpack_object *reqd = member(entry, ".reqd_workgroup_size");
    if (reqd && reqd->type == MSGPACK_OBJECT_ARRAY)
      for (uint32_t i = 0; i < reqd->via.array.size && i < 3; ++i)
        if (reqd->via.array.ptr[i].type == MSGPACK_OBJECT_POSITIVE_INTEGER)
          kernel.reqdWorkgroup[i] = uint32_t(reqd->via.array.ptr[i].via.u64);
    kernel.args.clear();
    return readArguments(entry, kernel, error);
  }
  return true; // metadata of a kernel that the object does not export
}

bool readMetadata(const std::byte *data, size_t size, CodeObject &object, std::string &error) {
  msgpack_unpacked unpacked;
  msgpack_unpacked_init(&unpacked);
  bool ok = true;
  if (msgpack_unpack_next(&unpacked, reinterpret_cast<const char *>(data), size, nullptr) !=
      MSGPACK_UNPACK_SUCCESS) {
    error = "damaged code object: its metadata note is not valid MessagePack";
    ok = false;
  }
  const msgpack_object *kernels = ok ? member(unpacked.data, "amdhsa.kernels") : nullptr;
  if (kernels && kernels->type == MSGPACK_OBJECT_ARRAY)
    for (uint32_t i = 0; ok && i < kernels->via.array.size; ++i)
      ok = readKernel(kernels->via.array.ptr[i], object, error);
  msgpack_unpacked_destroy(&unpacked);
  return ok;
}

constexpr uint64_t align4(uint64_t v) { return (v + 3) & ~uint64_t(3); }

} // namespace

bool readNotes(const ElfView &elf, CodeObject &object, std::string &error) {
  for (const Elf64_Phdr &p : elf.segments) {
    if (p.p_type != PT_NOTE || !elf.holds(p.p_offset, p.p_filesz))
      continue;
    for (uint64_t at = 0; at + sizeof(Elf64_Nhdr) <= p.p_filesz;) {
      Elf64_Nhdr note;
      elf.read(p.p_offset + at, note);
      uint64_t name = at + sizeof note, description = name + align4(note.n_namesz);
      if (description > p.p_filesz || note.n_descsz > p.p_filesz - description) {
        error = "truncated ELF file: a note runs past its segment";
        return false;
      }
      bool ours = note.n_type == kNoteMetadata && note.n_namesz == 7 &&
                  std::memcmp(elf.at(p.p_offset + name), "AMDGPU", 7) == 0;
      if (ours)
        return readMetadata(elf.at(p.p_offset + description), note.n_descsz, object, error);
      at = description + align4(note.n_descsz);
    }
  }
  return true;
}

} // namespace tegula::sim::loading
