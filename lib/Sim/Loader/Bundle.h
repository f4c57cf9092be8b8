// Offload bundles, as clang writes them: code objects of several targets in one file.
#pragma once

#include <cstddef>
#include <string>

namespace tegula::sim {

/// If `file` is an offload bundle, makes it and `size` those of its entry for `wanted` ("gfx942" or
/// "gfx950"; null: of the first entry that is simulated). False with a reason for bundles that have
/// no such entry (`foreign`), are damaged, or compressed.
bool unbundle(const void *&file, size_t &size, const char *wanted, bool &foreign,
              std::string &error);

} // namespace tegula::sim
