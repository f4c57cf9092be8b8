// Ranges of host memory that a launch may touch.
#ifndef TEGULA_PYTHON_BINDINGS_RANGES_H
#define TEGULA_PYTHON_BINDINGS_RANGES_H

#include <cstddef>
#include <cstdint>
#include <tuple>
#include <vector>

namespace tegula::bindings {

using Bounds = std::tuple<uintptr_t, uintptr_t, bool>; // first byte, one past the last, writable
using Range = std::tuple<uintptr_t, size_t, bool>;     // address, bytes, writable

/// The union, without overlaps; writable where one of them is.
std::vector<Range> merged(std::vector<Bounds> bounds);

} // namespace tegula::bindings

#endif // TEGULA_PYTHON_BINDINGS_RANGES_H
