// Reading Python's tuples and numbers.
#include "Arguments.h"

namespace py = pybind11;
using namespace tegula::bindings;

Arguments::Arguments(const py::tuple &given) {
  if (given.size() > maxArguments)
    throw Failure{TGR_INVALID_ARGUMENT, "more than 64 arguments"};
  for (const py::handle &value : given)
    if (py::isinstance<py::tuple>(value))
      addView(py::reinterpret_borrow<py::tuple>(value));
    else
      addScalar(value);
}

void Arguments::addView(const py::tuple &view) {
  py::tuple shape = view[1], strides = view[2];
  tgr_argument &argument = arguments[count];
  argument = {};
  argument.rank = uint32_t(shape.size());
  if (argument.rank > TGR_MAX_RANK || strides.size() != shape.size())
    throw Failure{TGR_INVALID_ARGUMENT,
                  "an array of rank " + std::to_string(argument.rank) + ": at most 5 axes"};
  argument.data = reinterpret_cast<const void *>(view[0].cast<uintptr_t>());
  for (uint32_t axis = 0; axis < argument.rank; ++axis) {
    shapes[count][axis] = shape[axis].cast<int64_t>();
    allStrides[count][axis] = strides[axis].cast<int64_t>();
  }
  argument.shape = shapes[count];
  argument.strides = allStrides[count];
  if (!view[5].is_none()) {
    types[count] = view[5].cast<std::string>();
    argument.dtype = types[count].c_str();
  }
  addRange(argument, view[3].cast<int64_t>(), view[4].cast<bool>());
  ++count;
}

void Arguments::addRange(const tgr_argument &argument, int64_t itemsize, bool writable) {
  int64_t low = 0, high = 0;
  for (uint32_t axis = 0; axis < argument.rank; ++axis) {
    if (argument.shape[axis] == 0)
      return;
    int64_t reach = (argument.shape[axis] - 1) * argument.strides[axis] * itemsize;
    (reach < 0 ? low : high) += reach;
  }
  auto address = reinterpret_cast<uintptr_t>(argument.data);
  bounds.emplace_back(address + low, address + high + itemsize, writable);
}

void Arguments::addWorkspace(const void *memory, uint64_t bytes) {
  tgr_argument &argument = arguments[count++];
  argument = {};
  argument.kind = TGR_WORKSPACE;
  argument.data = memory;
  argument.integer = int64_t(bytes);
}

void Arguments::addScalar(const py::handle &value) {
  tgr_argument &argument = arguments[count++];
  argument = {};
  argument.kind = PyFloat_Check(value.ptr()) ? TGR_REAL : TGR_INTEGER;
  if (argument.kind == TGR_REAL) {
    argument.real = value.cast<double>();
    return;
  }
  int overflow = 0;
  argument.integer = PyLong_AsLongLongAndOverflow(value.ptr(), &overflow);
  if (overflow || (argument.integer == -1 && PyErr_Occurred())) {
    PyErr_Clear();
    throw Failure{TGR_INVALID_ARGUMENT, "a scalar that is no 64-bit integer"};
  }
}
