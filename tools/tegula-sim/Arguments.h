// Kernel arguments as words: i32:5, in:x.npy, out:y.npz:name, out:z.npy:f32:64x128, buf:4K, null …
#pragma once

#include "Arrays.h"
#include "tegula/sim.h"

extern const char *const kArgumentHelp;

struct Argument {
  std::string text; ///< as it was written
  Bytes value;      ///< what stands in the kernarg segment; of memory: its address, once it has one
  bool isMemory = false, isOutput = false;
  Place place;
  Array array; ///< contents before, and after the launch
};
/// `folder`: what relative paths are relative to; "" for the current one.
bool parseArgument(const std::string &text, const std::string &folder, Argument &,
                   std::string &error);

/// Puts the values where the kernel's metadata says, or at their natural alignment if it says
/// nothing. False if their number or a size is another than the metadata's.
bool packArguments(const tgs_kernel_info &, const std::vector<Argument> &, Bytes &segment,
                   std::string &error);
