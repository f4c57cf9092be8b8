#include "Arguments.h"
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>

namespace {
bool productOfShape(const std::string &header, size_t &count) {
  size_t open = header.find("'shape': ("), close = header.find(')', open);
  if (open == std::string::npos || close == std::string::npos)
    return false;
  count = 1;
  const char *p = header.c_str() + open + 10, *end = header.c_str() + close;
  while (p < end) {
    char *next = nullptr;
    unsigned long long n = std::strtoull(p, &next, 10);
    if (next == p)
      break;
    count *= size_t(n);
    p = next;
    while (p < end && (*p == ',' || *p == ' '))
      ++p;
  }
  return true;
}

template <class T> std::vector<std::byte> bytesOf(T v) {
  std::vector<std::byte> b(sizeof v);
  std::memcpy(b.data(), &v, sizeof v);
  return b;
}
} // namespace

bool readNpy(const std::string &path, NpyArray &array, std::string &error) {
  std::ifstream file(path, std::ios::binary);
  std::vector<char> all((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  if (!file || all.size() < 12 || std::memcmp(all.data(), "\x93NUMPY", 6) != 0) {
    error = path + ": not a .npy file";
    return false;
  }
  uint32_t length = 0;
  size_t start = all[6] == 1 ? 10 : 12;
  std::memcpy(&length, all.data() + 8, start - 8);
  if (all.size() < start + length) {
    error = path + ": truncated header";
    return false;
  }
  array.header.assign(all.data() + start, length);
  const auto *data = reinterpret_cast<const std::byte *>(all.data() + start + length);
  array.data.assign(data, data + (all.size() - start - length));
  size_t count = 0;
  if (!productOfShape(array.header, count) ||
      array.header.find("'fortran_order': True") != std::string::npos) {
    error = path + ": unsupported header " + array.header;
    return false;
  }
  return true;
}

bool writeNpy(const std::string &path, const NpyArray &array, std::string &error) {
  std::ofstream file(path, std::ios::binary);
  uint16_t length = uint16_t(array.header.size());
  file.write("\x93NUMPY\x01\x00", 8);
  file.write(reinterpret_cast<const char *>(&length), 2);
  file.write(array.header.data(), length);
  file.write(reinterpret_cast<const char *>(array.data.data()), std::streamsize(array.data.size()));
  if (!file)
    error = path + ": cannot write";
  return bool(file);
}

bool parseArgument(const std::string &text, Argument &a, std::string &error) {
  size_t colon = text.find(':');
  std::string kind = text.substr(0, colon),
              rest = colon == std::string::npos ? "" : text.substr(colon + 1);
  if (rest.empty()) {
    error = "argument '" + text + "' is not kind:value";
    return false;
  }
  if (kind == "i32") {
    a.value = bytesOf(int32_t(std::strtoll(rest.c_str(), nullptr, 0)));
  } else if (kind == "i64") {
    a.value = bytesOf(int64_t(std::strtoll(rest.c_str(), nullptr, 0)));
  } else if (kind == "f32") {
    a.value = bytesOf(std::strtof(rest.c_str(), nullptr));
  } else if (kind == "f64") {
    a.value = bytesOf(std::strtod(rest.c_str(), nullptr));
  } else if (kind == "buf") {
    a.kind = Argument::Kind::Buffer;
    a.bytes = std::strtoull(rest.c_str(), nullptr, 0);
  } else if (kind == "in" || kind == "out") { // an output file is also the initial contents
    a.kind = kind == "in" ? Argument::Kind::Input : Argument::Kind::Output;
    a.path = rest;
    if (!readNpy(rest, a.array, error))
      return false;
    a.bytes = a.array.data.size();
  } else {
    error = "unknown argument kind '" + kind + "'";
    return false;
  }
  return true;
}

std::vector<std::byte> packArguments(const std::vector<Argument> &arguments) {
  std::vector<std::byte> out;
  for (const Argument &a : arguments) {
    std::vector<std::byte> v = a.kind == Argument::Kind::Value ? a.value : bytesOf(a.memory);
    out.resize((out.size() + v.size() - 1) / v.size() * v.size());
    out.insert(out.end(), v.begin(), v.end());
  }
  return out;
}
