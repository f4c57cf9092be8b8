// Arrays in .npy files and members of .npz files: bytes with NumPy's header.
#pragma once

#include "Files.h"
#include <cstdint>

struct Array {
  std::string
      header; ///< NumPy's dictionary, kept so that an output has its input's dtype and shape
  Bytes data;
};

/// NumPy's dictionary of an array; `dtype` as NumPy writes it ("<f4").
std::string headerOf(const std::string &dtype, const std::vector<uint64_t> &shape);
bool parseNpy(const std::string &name, const Bytes &file, Array &, std::string &error);
Bytes makeNpy(const Array &);

/// Where an array lies: "a.npy" or "a.npz:name".
struct Place {
  std::string path, member; ///< member: empty for .npy
};
Place placeOf(const std::string &text);
bool readArray(const Place &, Array &, std::string &error);

/// Collects arrays, then writes the files: all or none. Members of an existing .npz that aren't
/// replaced stay.
class ArrayWriter {
public:
  void add(const Place &, Array);
  bool write(std::string &error);

private:
  std::vector<std::pair<Place, Array>> arrays_;
};
