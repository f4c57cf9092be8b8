// Kernel arguments as words: i32:5, in:x.npy, out:y.npz:name, out:z.npy:f32:64x128, buf:4K, same:1,
// null …
#pragma once

#include "Arrays.h"
#include "tegula/sim.h"

extern const char *const kArgumentHelp;

struct Argument {
  std::string text; ///< as it was written
  Bytes value;      ///< what stands in the kernarg segment; of memory: its address, once it has one
  bool isMemory = false, isOutput = false;
  bool isUndefined = false; ///< memory that counts as never written
  uint64_t same = 0;        ///< the number of the argument whose memory this is; 0: its own
  Place place;
  uint64_t bytes = 0; ///< of memory
  Array array;        ///< contents before and after the launch; no data: zeros before
};
/// `folder`: what relative paths are relative to; "" for the current one. Throws BadCommandLine for
/// a word that says nothing; false if a file cannot be read.
bool parseArgument(const std::string &text, const std::string &folder, Argument &,
                   std::string &error);

/// Puts the values where the kernel's metadata says, or at their natural alignment if it says
/// nothing. BadCommandLine if their number or a size is another than the metadata's.
Bytes packArguments(const tgs_kernel_info &, const std::vector<Argument> &);
