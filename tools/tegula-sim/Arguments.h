// Kernel arguments from the command line, and .npy files.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

struct NpyArray {
  std::string header; ///< the dictionary, kept so that an output has its input's dtype and shape
  std::vector<std::byte> data;
};
/// False with a reason in `error`.
bool readNpy(const std::string &path, NpyArray &, std::string &error);
bool writeNpy(const std::string &path, const NpyArray &, std::string &error);

/// One --args item: i32:5, i64:…, f32:1.5, f64:…, in:file.npy, out:file.npy, buf:BYTES.
struct Argument {
  enum class Kind { Value, Input, Output, Buffer } kind = Kind::Value;
  std::vector<std::byte> value; ///< Value: its bytes
  std::string path;
  NpyArray array;
  size_t bytes = 0;       ///< of memory behind a pointer
  void *memory = nullptr; ///< filled in by the caller
};
bool parseArgument(const std::string &text, Argument &, std::string &error);
/// Explicit arguments at their natural alignment.
std::vector<std::byte> packArguments(const std::vector<Argument> &);
