// The stages of load(). Private to the loader. Each returns false with a one-line reason in
// `error`.
#pragma once

#include "ElfView.h"
#include "Sim/Loader/CodeObject.h"

namespace tegula::sim::loading {

/// kernel descriptor (64 bytes at k.descriptorAddr of the image) → fields of `k`.
bool readDescriptor(const CodeObject &, Kernel &k, std::string &error);
/// AMDGPU metadata note → arguments and limits of the kernels already found. A missing note is no
/// error.
bool readNotes(const ElfView &, CodeObject &, std::string &error);
/// Dynamic relocations → CodeObject::relocations.
bool readRelocations(const ElfView &, CodeObject &, std::string &error);
/// DWARF line table; empty pointer when there is none or it cannot be read.
std::shared_ptr<const LineTable> readLines(const void *file, size_t size);

} // namespace tegula::sim::loading
