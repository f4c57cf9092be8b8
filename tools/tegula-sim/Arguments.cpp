#include "Arguments.h"
#include "CommandLine.h"
#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstdlib>
#include <cstring>

const char *const kArgumentHelp =
    "ARG is one of\n"
    "  i32:-5 u64:0x10 f32:1.5    a scalar: i8 i16 i32 i64 u8 u16 u32 u64 f16 bf16 f32 f64\n"
    "  bytes:0a0b0c0d             a struct by value, in hexadecimal\n"
    "  in:x.npy  in:x.npz:name    an array that the kernel only reads\n"
    "  out:y.npy  out:y.npz:name  one that is written back when the launch has ended\n"
    "  out:y.npy:f32:64x128       a new one, zeros before\n"
    "  buf:4K  undef:4K           memory, zeros before; undef: that counts as never written\n"
    "  same:1                     the memory of argument 1 again, for a kernel that works in "
    "place\n"
    "  null                       a null pointer";

namespace {
struct Type {
  const char *name, *dtype;
  unsigned bytes;
  char kind; ///< i, u, f; b for bfloat16
};
constexpr Type kTypes[] = {{"i8", "|i1", 1, 'i'},  {"i16", "<i2", 2, 'i'}, {"i32", "<i4", 4, 'i'},
                           {"i64", "<i8", 8, 'i'}, {"u8", "|u1", 1, 'u'},  {"u16", "<u2", 2, 'u'},
                           {"u32", "<u4", 4, 'u'}, {"u64", "<u8", 8, 'u'}, {"f16", "<f2", 2, 'f'},
                           {"f32", "<f4", 4, 'f'}, {"f64", "<f8", 8, 'f'}, {"bf16", "<V2", 2, 'b'}};
const Type *typeOf(const std::string &name) {
  for (const Type &t : kTypes)
    if (name == t.name)
      return &t;
  return nullptr;
}

template <class T> Bytes bytesOf(T v, size_t size = sizeof(T)) {
  Bytes b(size);
  std::memcpy(b.data(), &v, size);
  return b;
}

bool integer(const std::string &text, const Type &t, Bytes &value) {
  bool negative = !text.empty() && text[0] == '-';
  uint64_t n = 0, most = t.bytes == 8 ? UINT64_MAX : (uint64_t(1) << t.bytes * 8) - 1;
  if (!parseNumber(text.substr(negative), n))
    return false;
  if (negative ? t.kind == 'u' || n > most / 2 + 1 : n > most)
    return false;
  value = bytesOf(negative ? 0 - n : n, t.bytes);
  return true;
}

/// Nearest, ties to even; NaN stays one.
uint16_t bfloat(float v) {
  uint32_t bits;
  std::memcpy(&bits, &v, 4);
  if (std::isnan(v))
    return uint16_t(bits >> 16 | 0x40);
  return uint16_t((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

bool floating(const std::string &text, const Type &t, Bytes &value) {
  char *end = nullptr;
  double d = std::strtod(text.c_str(), &end);
  if (text.empty() || *end)
    return false;
  float f = std::strtof(text.c_str(), nullptr); // not by way of double: one rounding
  if (t.kind == 'b')
    value = bytesOf(bfloat(f));
  else if (t.bytes == 2)
    value = bytesOf(_Float16(d));
  else
    value = t.bytes == 4 ? bytesOf(f) : bytesOf(d);
  return true;
}

bool hexBytes(const std::string &text, Bytes &value) {
  if (text.empty() || text.size() % 2 ||
      text.find_first_not_of("0123456789abcdefABCDEF") != std::string::npos)
    return false;
  for (size_t i = 0; i < text.size(); i += 2)
    value.push_back(std::byte(std::stoi(text.substr(i, 2), nullptr, 16)));
  return true;
}

[[noreturn]] void refuse(const std::string &argument, const std::string &why) {
  throw BadCommandLine("argument '" + argument + "' " + why);
}
std::string typeNames() {
  std::string names;
  for (const Type &t : kTypes)
    names += std::string(names.empty() ? "" : " ") + t.name;
  return names;
}
constexpr size_t kMostAlign = 16; // of a kernel argument
constexpr uint64_t kMostBytes = uint64_t(1) << 46;

/// Where "f32:64x128" begins behind the place of an output; npos if it has none. Behind a name
/// that is no .npy and no .npz only a type's name tells.
size_t newPart(const std::string &text) {
  size_t array = text.rfind(".npy:"), archive = text.rfind(".npz:");
  if (archive != std::string::npos) {
    size_t colon = text.find(':', archive + 5);
    return colon == std::string::npos ? colon : colon + 1;
  }
  if (array != std::string::npos)
    return array + 5;
  size_t second = text.rfind(':');
  size_t first =
      second == std::string::npos || second == 0 ? std::string::npos : text.rfind(':', second - 1);
  bool known = first != std::string::npos && typeOf(text.substr(first + 1, second - first - 1));
  return known ? first + 1 : std::string::npos;
}

/// An array of zeros from "f32:64x128"; its data stays empty.
void newArray(const std::string &spec, Argument &a) {
  size_t colon = spec.find(':');
  std::string name = spec.substr(0, colon);
  const Type *type = typeOf(name);
  if (!type)
    refuse(a.text, "names no type: '" + name + "' is none of " + typeNames());
  std::string extents = colon == std::string::npos ? "x" : spec.substr(colon + 1) + "x";
  std::vector<uint64_t> shape;
  a.bytes = type->bytes;
  for (size_t at = 0; at < extents.size();) {
    size_t x = extents.find('x', at);
    uint64_t extent = 0;
    if (!parseSize(extents.substr(at, x - at), extent))
      refuse(a.text,
             "has no shape such as 64x128: '" + extents.substr(at, x - at) + "' is no extent");
    if (extent && a.bytes > kMostBytes / extent)
      refuse(a.text, "has more than 2^46 bytes");
    a.bytes *= extent;
    shape.push_back(extent);
    at = x + 1;
  }
  a.array.header = headerOf(type->dtype, shape);
}

bool arrayArgument(std::string rest, const std::string &folder, Argument &a, std::string &error) {
  size_t spec = a.isOutput ? newPart(rest) : std::string::npos;
  std::string described = spec == std::string::npos ? "" : rest.substr(spec);
  if (spec != std::string::npos)
    rest.resize(spec - 1);
  if (!folder.empty() && rest[0] != '/')
    rest = folder + "/" + rest;
  a.place = placeOf(rest);
  a.isMemory = true;
  if (spec != std::string::npos) {
    newArray(described, a);
    return true;
  }
  bool ok = readArray(a.place, a.array, error);
  a.bytes = a.array.data.size();
  return ok;
}

/// buf:4K and undef:4K.
bool bufferArgument(const std::string &rest, Argument &a) {
  a.isMemory = true;
  return parseSize(rest, a.bytes) && a.bytes <= kMostBytes;
}
} // namespace

bool parseArgument(const std::string &text, const std::string &folder, Argument &a,
                   std::string &error) {
  a = Argument();
  a.text = text;
  if (text == "null") {
    a.value = bytesOf(uint64_t(0));
    return true;
  }
  size_t colon = text.find(':');
  std::string kind = text.substr(0, colon),
              rest = colon == std::string::npos ? "" : text.substr(colon + 1);
  if (!rest.empty() && (kind == "in" || kind == "out")) {
    a.isOutput = kind == "out";
    return arrayArgument(rest, folder, a, error);
  }
  bool ok = false;
  if (kind == "buf" || kind == "undef") {
    a.isUndefined = kind == "undef";
    ok = bufferArgument(rest, a);
  } else if (kind == "same") {
    ok = parseNumber(rest, a.same) && a.same;
  } else if (kind == "bytes") {
    ok = hexBytes(rest, a.value);
  } else if (const Type *t = typeOf(kind)) {
    ok = (t->kind == 'i' || t->kind == 'u' ? integer : floating)(rest, *t, a.value);
  } else {
    refuse(text, "is of no known kind: write a scalar as f32:2.5 or i32:7, an array as in:x.npy "
                 "or out:y.npy");
  }
  if (!ok)
    refuse(text, "has no value of that kind");
  return true;
}

Bytes packArguments(const tgs_kernel_info &info, const std::vector<Argument> &arguments) {
  Bytes segment;
  std::vector<const tgs_argument *> known;
  for (size_t i = 0; i < info.argument_count; ++i)
    if (std::strncmp(info.arguments[i].value_kind, "hidden_", 7) != 0)
      known.push_back(&info.arguments[i]);
  bool isDescribed = info.argument_count != 0;
  if (isDescribed && known.size() != arguments.size())
    throw BadCommandLine("the kernel has " + std::to_string(known.size()) + " arguments, not " +
                         std::to_string(arguments.size()) + ": `tegula-sim list` shows them");
  for (size_t i = 0; i < arguments.size(); ++i) {
    const Bytes &v = arguments[i].value;
    size_t align = std::min(v.size() & -v.size(), kMostAlign);
    size_t offset = isDescribed ? known[i]->offset : (segment.size() + align - 1) / align * align;
    if (isDescribed && known[i]->size != v.size())
      throw BadCommandLine("argument " + std::to_string(i + 1) + " of the kernel has " +
                           std::to_string(known[i]->size) + " bytes, '" + arguments[i].text +
                           "' has " + std::to_string(v.size()));
    if (segment.size() < offset + v.size())
      segment.resize(offset + v.size());
    std::memcpy(segment.data() + offset, v.data(), v.size());
  }
  return segment;
}
