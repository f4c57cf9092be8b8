// Arguments of a call, from Python objects to those of the C API.
#ifndef TEGULA_PYTHON_BINDINGS_ARGUMENTS_H
#define TEGULA_PYTHON_BINDINGS_ARGUMENTS_H

#include "Ranges.h"
#include "tegula/runtime.h"

#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>

#include <array>
#include <string>
#include <vector>

namespace tegula::bindings {

/// What a failing call raises.
struct Failure {
  tgr_status status;
  std::string text;
  std::array<std::string, 3> refusal = {}; ///< argument, found, expected; empty: of no argument
};

/// What a specialisation depends on of a NumPy array: its element type, extents, strides, and the
/// address modulo `align`. For looking up, so cheap.
pybind11::bytes arrayKey(const pybind11::array &array, uintptr_t align);

/// The arguments of one call. Arrays come as NumPy arrays whose element type has been checked, or
/// as (address, shape, strides in elements, bytes an element, writable, type or None), scalars as
/// int, bool or float.
class Arguments {
public:
  explicit Arguments(const pybind11::tuple &given);

  /// Scratch memory, behind the others.
  void addWorkspace(const void *memory, uint64_t bytes);

  const tgr_argument *data() const { return arguments; }
  uint32_t size() const { return count; }
  /// Union of the ranges of memory that elements of the views lie in.
  std::vector<Range> memory() const { return merged(bounds); }

private:
  static constexpr size_t maxArguments = 64;

  void addArray(const pybind11::array &array);
  void addView(const pybind11::tuple &view);
  void addRange(const tgr_argument &argument, int64_t itemsize, bool writable);
  void addScalar(const pybind11::handle &value);

  uint32_t count = 0;
  tgr_argument arguments[maxArguments + 1]; // and a workspace
  int64_t shapes[maxArguments][TGR_MAX_RANK], allStrides[maxArguments][TGR_MAX_RANK];
  std::string types[maxArguments];
  std::vector<Bounds> bounds; ///< of the views
};

} // namespace tegula::bindings

#endif // TEGULA_PYTHON_BINDINGS_ARGUMENTS_H
