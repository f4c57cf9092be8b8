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

/// Three positive numbers, where the kernel requires them.
bool readWorkgroup(const msgpack_object &entry, Kernel &kernel, std::string &error) {
  const msgpack_object *size = member(entry, ".reqd_workgroup_size");
  if (!size)
    return true;
  bool ok = size->type == MSGPACK_OBJECT_ARRAY && size->via.array.size == 3;
  for (uint32_t i = 0; ok && i < 3; ++i) {
    const msgpack_object &axis = size->via.array.ptr[i];
    ok = axis.type == MSGPACK_OBJECT_POSITIVE_INTEGER && axis.via.u64 > 0 &&
         axis.via.u64 <= UINT32_MAX;
    kernel.reqdWorkgroup[i] = ok ? uint32_t(axis.via.u64) : 0;
  }
  if (!ok)
    error = "kernel '" + kernel.name + "': its .reqd_workgroup_size is not three positive numbers";
  return ok;
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
    kernel.args.clear();
    return readWorkgroup(entry, kernel, error) && readArguments(entry, kernel, error);
  }
  return true; // metadata of a kernel that the object does not export
}

/// How many elements an array announces, or a map (two a pair); 0 for what is neither. `header` is
/// the byte and those behind it that hold the count.
uint64_t announced(const std::byte *at, size_t left, size_t &header) {
  auto first = std::to_integer<uint8_t>(*at);
  header = 1;
  if (first >= 0x80 && first < 0xa0)
    return (first & 15u) << (first < 0x90);
  if (first < 0xdc || first > 0xdf)
    return 0;
  size_t bytes = first & 1 ? 4 : 2;
  uint64_t count = 0;
  for (size_t i = 1; i <= bytes && i < left; ++i)
    count = count << 8 | std::to_integer<uint8_t>(at[i]);
  header += bytes;
  return count << (first >= 0xde);
}

/// Bytes of a number, string, extension or empty array or map, its head included.
uint64_t leafBytes(const std::byte *at, size_t left) {
  auto first = std::to_integer<uint8_t>(*at);
  if (first >= 0xa0 && first < 0xc0)
    return 1 + (first & 31u);
  if (first < 0xc4 || first >= 0xe0)
    return 1;
  // From 0xc4 on: bytes of the length, or of the value, and what stands between it and the data.
  struct Form {
    uint8_t length, fixed;
  };
  constexpr Form kForms[] = {{1, 0}, {2, 0}, {4, 0}, {1, 1}, {2, 1}, {4, 1}, {0, 4},
                             {0, 8}, {0, 1}, {0, 2}, {0, 4}, {0, 8}, {0, 1}, {0, 2},
                             {0, 4}, {0, 8}, {0, 2}, {0, 3}, {0, 5}, {0, 9}, {0, 17},
                             {1, 0}, {2, 0}, {4, 0}, {0, 2}, {0, 4}, {0, 2}, {0, 4}};
  Form form = kForms[first - 0xc4];
  uint64_t length = 0;
  for (size_t i = 1; i <= form.length && i < left; ++i)
    length = length << 8 | std::to_integer<uint8_t>(at[i]);
  return 1 + form.length + form.fixed + length;
}

/// Whether as many bytes follow as the arrays and maps announce elements, at the least: the parser
/// allocates what they announce.
bool holdsWhatItAnnounces(const std::byte *data, size_t size) {
  uint64_t owed = 1;
  for (uint64_t at = 0; owed && at < size; --owed) {
    size_t header;
    uint64_t elements = announced(data + at, size - at, header);
    at += elements ? header : leafBytes(data + at, size - at);
    owed += elements;
    if (at > size || owed - 1 > size - at)
      return false;
  }
  return true;
}

bool readMetadata(const std::byte *data, size_t size, CodeObject &object, std::string &error) {
  msgpack_unpacked unpacked;
  msgpack_unpacked_init(&unpacked);
  bool ok = true;
  if (!holdsWhatItAnnounces(data, size) ||
      msgpack_unpack_next(&unpacked, reinterpret_cast<const char *>(data), size, nullptr) !=
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
