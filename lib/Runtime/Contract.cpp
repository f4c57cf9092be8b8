// Arguments against the contract of a code object. Nothing is allocated unless they are refused.
#include "Contract.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>

using namespace tegula::runtime;

namespace {

constexpr int64_t maxSpan = int64_t(1) << 31, maxExtent = int64_t(1) << 31;
constexpr int64_t dword = 4;    // bytes that a descriptor's bound lets through or drops as one
constexpr int64_t granule = 16; // elements; a multiple of any alignment that a view may state

std::string join(const int64_t *values, uint32_t count) {
  std::string text = "(";
  for (uint32_t i = 0; i < count; ++i)
    text += (i ? ", " : "") + std::to_string(values[i]);
  return text + (count == 1 ? ",)" : ")");
}

std::string axisText(const char *what, int64_t value, uint32_t axis) {
  return std::string(what) + " " + std::to_string(value) + " of axis " + std::to_string(axis);
}

bool hasNoElements(uint32_t rank, const int64_t *shape) {
  return std::find(shape, shape + rank, 0) != shape + rank;
}

/// One view argument and its parameter.
struct View {
  const Parameter &parameter;
  const tgr_argument &given;
  int64_t *passed;

  uint32_t rank() const { return given.rank; }
  /// Without elements strides say nothing: in C, rows of no columns are 0 apart.
  bool isEmpty() const { return hasNoElements(rank(), given.shape); }

  Refusal refuse(std::string found, std::string expected) const {
    return {parameter.name, std::move(found), std::move(expected)};
  }

  std::optional<Refusal> checkStatic() const {
    if (rank() != parameter.shape.size())
      return refuse("rank " + std::to_string(rank()),
                    "rank " + std::to_string(parameter.shape.size()));
    for (uint32_t axis = 0; axis < rank(); ++axis) {
      const Known &shape = parameter.shape[axis], &stride = parameter.strides[axis];
      if (shape && given.shape[axis] != *shape)
        return refuse(axisText("extent", given.shape[axis], axis), std::to_string(*shape));
      if (stride && given.strides[axis] != *stride && given.shape[axis] > 1)
        return refuse(axisText("stride", given.strides[axis], axis), std::to_string(*stride));
    }
    return std::nullopt;
  }

  std::optional<Refusal> checkNumbers() const {
    bool anyStride = false;
    for (uint32_t axis = 0; axis < rank(); ++axis) {
      if (given.shape[axis] < 0 || given.shape[axis] >= maxExtent)
        return refuse(axisText("extent", given.shape[axis], axis), "extents below 2^31");
      if (given.strides[axis] < 0 && given.shape[axis] > 1 && !parameter.strides[axis] &&
          !isEmpty())
        return refuse("strides " + join(given.strides, rank()),
                      "none that is negative but where it was compiled for it; pass a copy");
      anyStride |= !parameter.strides[axis];
    }
    if (anyStride && rowsRepeat(rank(), given.shape, given.strides))
      return refuse("strides " + join(given.strides, rank()),
                    "a view whose elements don't overlap");
    return std::nullopt;
  }

  /// How many elements of an axis an offset spans.
  int64_t reached(uint32_t axis, bool withinExtent) const {
    int64_t extent = given.shape[axis], reach = parameter.reach[axis].value_or(extent);
    return withinExtent ? std::min(extent, reach) : reach;
  }

  void choosePassed() const {
    std::copy_n(given.strides, rank(), passed);
    for (uint32_t axis = 0; axis < rank(); ++axis) {
      if (parameter.strides[axis] || (given.shape[axis] > 1 && !isEmpty()))
        continue;
      int64_t row = 0;
      for (uint32_t other = 0; other < rank(); ++other)
        if (other != axis && given.shape[other] > 1 && !isEmpty())
          row += (reached(other, true) - 1) * passed[other];
      passed[axis] = (row / granule + 1) * granule;
    }
  }

  std::optional<Refusal> checkSpan() const {
    // In 128 bits: extents below 2^31 times any stride.
    __int128 span = parameter.bits / 8;
    for (uint32_t axis = 0; axis < rank(); ++axis)
      span += __int128(std::max<int64_t>(reached(axis, false), 1) - 1) * std::abs(passed[axis]) *
              (parameter.bits / 8);
    if (span <= maxSpan)
      return std::nullopt;
    return refuse("strides " + join(passed, rank()) + " of " + std::to_string(parameter.bits / 8) +
                      "-byte elements",
                  "strides with which one tile spans at most 2^31 bytes");
  }

  /// Static strides are as aligned as the code object found them.
  std::optional<Refusal> checkStrideAlignment() const {
    for (uint32_t axis = 0; axis < rank(); ++axis)
      if (!parameter.strides[axis] && passed[axis] * (parameter.bits / 8) % parameter.align)
        return refuse(axisText("stride", passed[axis], axis),
                      "a multiple of " + std::to_string(parameter.align) + " bytes");
    return std::nullopt;
  }

  /// Rows of aligned views are read in dwords: one that ends inside a dword could end its memory.
  std::optional<Refusal> checkRowEnds() const {
    if (parameter.align % dword != 0 || rank() < 2)
      return std::nullopt;
    for (uint32_t axis = rank(); axis-- > 0;)
      if (parameter.strides[axis] == 1) {
        if (given.shape[axis] * (parameter.bits / 8) % dword == 0)
          return std::nullopt;
        return refuse(axisText("extent", given.shape[axis], axis),
                      "rows of whole 4-byte words, as its alignment of " +
                          std::to_string(parameter.align) + " bytes promises");
      }
    return std::nullopt;
  }

  /// What is read of it must be there before anything else is asked.
  std::optional<Refusal> checkPointers() const {
    if (rank() && (!given.shape || !given.strides))
      return refuse("no extents or strides", "as many as axes");
    if (!given.data && !isEmpty())
      return refuse("a null pointer", "the address of its elements");
    return std::nullopt;
  }

  std::optional<Refusal> check() const {
    if (auto refusal = checkPointers())
      return refusal;
    auto address = reinterpret_cast<uintptr_t>(given.data);
    int64_t align = std::max<int64_t>(parameter.align, parameter.bits / 8);
    if (address % uintptr_t(align)) {
      char text[32];
      std::snprintf(text, sizeof text, "address %#zx", size_t(address));
      return refuse(text, "a multiple of " + std::to_string(align));
    }
    if (auto refusal = checkStatic())
      return refusal;
    if (auto refusal = checkNumbers())
      return refusal;
    choosePassed();
    if (auto refusal = checkSpan())
      return refusal;
    if (auto refusal = checkStrideAlignment())
      return refusal;
    return checkRowEnds();
  }
};

std::string text(double real) {
  char digits[32];
  std::snprintf(digits, sizeof digits, "%.17g", real);
  return digits;
}

/// An integer that fits the type, a number that does not overflow a float, 0 or 1 for a truth
/// value.
std::optional<Refusal> checkScalar(const Parameter &parameter, const tgr_argument &given) {
  bool wantsInteger = parameter.dtype[0] == 'i';
  if (wantsInteger && given.kind == TGR_REAL)
    return Refusal{parameter.name, text(given.real), parameter.dtype};
  if (given.kind == TGR_REAL && parameter.bits == 32 && std::isfinite(given.real) &&
      !std::isfinite(float(given.real)))
    return Refusal{parameter.name, text(given.real), parameter.dtype};
  unsigned bits = parameter.dtype == "i1" ? 1 : parameter.bits;
  if (!wantsInteger || bits == 64)
    return std::nullopt;
  // Signed and unsigned types of one width are one type here.
  int64_t low = bits == 1 ? 0 : -(int64_t(1) << (bits - 1)), high = (int64_t(1) << bits) - 1;
  if (given.integer < low || given.integer > high)
    return Refusal{parameter.name, std::to_string(given.integer), parameter.dtype};
  return std::nullopt;
}

std::optional<Refusal> checkArgument(const Parameter &parameter, const tgr_argument &given,
                                     int64_t *passed) {
  bool isScalar = given.kind == TGR_INTEGER || given.kind == TGR_REAL;
  if (!isScalar && given.kind != TGR_VIEW)
    return Refusal{parameter.name, "an argument of another kind",
                   parameter.isView ? "an array" : parameter.dtype};
  if (parameter.isView == isScalar)
    return Refusal{parameter.name, parameter.isView ? "a scalar" : "an array",
                   parameter.isView ? "an array" : parameter.dtype};
  if (given.dtype && given.dtype != parameter.dtype)
    return Refusal{parameter.name, given.dtype, parameter.dtype};
  return parameter.isView ? View{parameter, given, passed}.check() : checkScalar(parameter, given);
}

/// The first axis whose extent has exactly this name: its parameter and extent.
struct Owner {
  const Parameter *parameter = nullptr;
  int64_t extent = 0;
};

Owner findExtent(const Variant &variant, const tgr_argument *arguments, const char *name,
                 size_t length) {
  for (size_t i = 0; i < variant.parameters.size(); ++i) {
    const Parameter &parameter = variant.parameters[i];
    for (size_t axis = 0; axis < parameter.extents.size(); ++axis)
      if (parameter.extents[axis].size() == length &&
          !std::memcmp(parameter.extents[axis].data(), name, length))
        return {&parameter, arguments[i].shape[axis]};
  }
  return {};
}

/// Value of an extent such as M, M/32, K*4 or A*B. `exact` is false where the division isn't; none
/// where a name stands alone nowhere.
Known extentValue(const Variant &variant, const tgr_argument *arguments, const std::string &text,
                  bool &exact) {
  int64_t product = 1;
  exact = true;
  for (size_t begin = 0; begin < text.size();) {
    size_t end = std::min(text.find_first_of("*/", begin), text.size());
    int64_t value = std::atoll(text.c_str() + begin);
    if (value == 0) { // a name
      Owner owner = findExtent(variant, arguments, text.c_str() + begin, end - begin);
      if (!owner.parameter)
        return std::nullopt;
      value = owner.extent;
    }
    bool divides = begin > 0 && text[begin - 1] == '/';
    if (divides && value == 0)
      return std::nullopt;
    exact &= !divides || product % value == 0;
    if (divides)
      product /= value;
    else if (__builtin_mul_overflow(product, value, &product))
      return std::nullopt;
    begin = end + 1;
  }
  return product;
}

/// Extents of one name agree, and those derived from it are what it gives.
std::optional<Refusal> checkExtents(const Variant &variant, const tgr_argument *arguments) {
  for (size_t i = 0; i < variant.parameters.size(); ++i) {
    const Parameter &parameter = variant.parameters[i];
    for (size_t axis = 0; axis < parameter.extents.size(); ++axis) {
      const std::string &name = parameter.extents[axis];
      if (name.empty())
        continue;
      bool exact;
      Known value = extentValue(variant, arguments, name, exact);
      if (!value || (exact && *value == arguments[i].shape[axis]))
        continue;
      Owner first = findExtent(variant, arguments, name.data(), name.size());
      std::string expected = name + " = " + std::to_string(*value);
      if (!exact)
        expected = "a multiple, so that " + name + " is exact";
      else if (first.parameter && first.parameter != &parameter)
        expected += ", as argument '" + first.parameter->name + "' has";
      return Refusal{parameter.name, name + " = " + std::to_string(arguments[i].shape[axis]),
                     expected};
    }
  }
  return std::nullopt;
}

} // namespace

bool tegula::runtime::rowsRepeat(uint32_t rank, const int64_t *shape, const int64_t *strides) {
  if (hasNoElements(rank, shape))
    return false;
  std::pair<int64_t, int64_t> axes[TGR_MAX_RANK]; // (stride, extent) of real axes, by stride
  uint32_t count = 0;
  for (uint32_t axis = 0; axis < std::min<uint32_t>(rank, TGR_MAX_RANK); ++axis)
    if (shape[axis] > 1)
      axes[count++] = {strides[axis], shape[axis]};
  std::sort(axes, axes + count);
  __int128 end = 0;
  for (uint32_t i = 0; i < count; ++i) {
    if (axes[i].first <= end)
      return true;
    end += __int128(axes[i].first) * (axes[i].second - 1);
  }
  return false;
}

std::optional<Refusal> tegula::runtime::checkArguments(const Variant &variant,
                                                       const tgr_argument *arguments,
                                                       PassedStrides &passed) {
  for (size_t i = 0; i < variant.parameters.size(); ++i)
    if (auto refusal = checkArgument(variant.parameters[i], arguments[i], passed.of[i]))
      return refusal;
  return checkExtents(variant, arguments);
}
