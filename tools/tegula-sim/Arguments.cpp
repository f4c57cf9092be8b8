#include "Arguments.h"
#include "CommandLine.h"
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
    "  buf:4K                     memory, zeros before\n"
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

/// "f32:64x128" behind the last file name of an output; false if there is none.
bool splitNew(std::string &text, const Type *&type, std::vector<uint64_t> &shape) {
  size_t second = text.rfind(':');
  size_t first =
      second == std::string::npos || second == 0 ? std::string::npos : text.rfind(':', second - 1);
  if (first == std::string::npos || !(type = typeOf(text.substr(first + 1, second - first - 1))))
    return false;
  std::string extents = text.substr(second + 1) + "x";
  for (size_t at = 0; at < extents.size();) {
    size_t x = extents.find('x', at);
    uint64_t extent = 0, total = type->bytes;
    if (!parseSize(extents.substr(at, x - at), extent))
      return false;
    shape.push_back(extent);
    for (uint64_t e : shape)
      if (e && (total *= e) > uint64_t(1) << 46)
        return false;
    at = x + 1;
  }
  text.resize(first);
  return true;
}

bool arrayArgument(std::string rest, const std::string &folder, Argument &a, std::string &error) {
  const Type *type = nullptr;
  std::vector<uint64_t> shape;
  bool isNew = a.isOutput && splitNew(rest, type, shape);
  if (!folder.empty() && rest[0] != '/')
    rest = folder + "/" + rest;
  a.place = placeOf(rest);
  a.isMemory = true;
  if (!isNew)
    return readArray(a.place, a.array, error);
  a.array = zeros(type->dtype, type->bytes, shape);
  return true;
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
  uint64_t size = 0;
  bool ok = false;
  if (kind == "buf") {
    a.isMemory = true;
    ok = parseSize(rest, size) && size <= uint64_t(1) << 46;
    if (ok)
      a.array.data.resize(size_t(size));
  } else if (kind == "bytes") {
    ok = hexBytes(rest, a.value);
  } else if (const Type *t = typeOf(kind)) {
    ok = (t->kind == 'i' || t->kind == 'u' ? integer : floating)(rest, *t, a.value);
  } else {
    error = "argument '" + text + "' is of no known kind";
    return false;
  }
  if (!ok)
    error = "argument '" + text + "' has no value of that kind";
  return ok;
}

bool packArguments(const tgs_kernel_info &info, const std::vector<Argument> &arguments,
                   Bytes &segment, std::string &error) {
  std::vector<const tgs_argument *> known;
  for (size_t i = 0; i < info.argument_count; ++i)
    if (std::strncmp(info.arguments[i].value_kind, "hidden_", 7) != 0)
      known.push_back(&info.arguments[i]);
  if (!known.empty() && known.size() != arguments.size()) {
    error = "the kernel has " + std::to_string(known.size()) + " arguments, not " +
            std::to_string(arguments.size());
    return false;
  }
  for (size_t i = 0; i < arguments.size(); ++i) {
    const Bytes &v = arguments[i].value;
    size_t offset =
        known.empty() ? (segment.size() + v.size() - 1) / v.size() * v.size() : known[i]->offset;
    if (!known.empty() && known[i]->size != v.size()) {
      error = "argument " + std::to_string(i + 1) + " of the kernel has " +
              std::to_string(known[i]->size) + " bytes, '" + arguments[i].text + "' has " +
              std::to_string(v.size());
      return false;
    }
    if (segment.size() < offset + v.size())
      segment.resize(offset + v.size());
    std::memcpy(segment.data() + offset, v.data(), v.size());
  }
  return true;
}
