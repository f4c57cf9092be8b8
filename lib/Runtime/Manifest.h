// A manifest as structures: what a launch needs of each variant, read once.
#ifndef TEGULA_LIB_RUNTIME_MANIFEST_H
#define TEGULA_LIB_RUNTIME_MANIFEST_H

#include "Records.h"

#include <array>
#include <optional>
#include <vector>

namespace tegula::runtime {

/// An integer made of extents, strides and integer arguments; prints as ["ceildiv", …].
struct Expression {
  enum class Kind {
    Constant,
    Dim,
    Stride,
    Argument,
    Resident, ///< workgroups that the device holds at once
    Add,
    Sub,
    Mul,
    FloorDiv,
    CeilDiv,
    Min,
    Max
  };
  Kind kind = Kind::Constant;
  int64_t value = 0; ///< Constant
  uint32_t argument = 0, dim = 0;
  std::vector<Expression> operands;
};

/// A number that the code object takes for granted, or none.
using Known = std::optional<int64_t>;

constexpr uint32_t maxArguments = 64;

struct Parameter {
  std::string name, dtype;
  bool isView = false;
  uint32_t offset = 0; ///< of the address or the value, in the kernarg segment
  uint32_t bits = 0;   ///< an element's, or the scalar's
  // Views only.
  std::vector<std::string> extents; ///< names; "" where an axis has none
  std::vector<Known> shape, strides;
  std::vector<Known> reach; ///< elements of each axis that an offset may span; none: all of them
  int64_t align = 1;        ///< bytes, of the base
};

/// An extent or a stride among the kernel arguments.
struct Slot {
  uint32_t argument = 0, dim = 0, offset = 0;
};

/// A part of the workspace. The kernel finds its address, the workspace holds the parts in order,
/// each at a multiple of workspaceGranule.
struct Region {
  uint32_t offset = 0; ///< of the address, in the kernarg segment
  Expression bytes;
  bool zeroed = false; ///< all zeros when the kernel starts
};
constexpr uint64_t workspaceGranule = 256;

/// Holds when `value` is at most `limit`.
struct Condition {
  Expression value;
  int64_t limit = 0;
};

/// What tells a code object from others.
struct CodeStamp {
  uint64_t bytes = 0;
  uint32_t crc32 = 0;
};
/// As zlib counts it.
uint32_t crc32(const std::string &bytes);

struct Variant {
  std::string kernel, target, file;
  std::optional<CodeStamp> code;
  std::vector<Parameter> parameters;
  std::vector<Slot> extents, strides;
  std::vector<Expression> grid;
  std::array<uint32_t, 3> block = {1, 1, 1};
  uint32_t kernargBytes = 0;
  uint32_t workgroupsPerCu = 1;
  std::optional<uint32_t> residentOffset; ///< where the kernel finds Resident, an i32
  std::vector<Region> workspace;
  std::vector<Condition> when;        ///< all must hold
  std::optional<RecordTable> records; ///< none: the kernel writes no records
};

/// Reads one variant's record.
Status readVariant(const std::string &json, Variant &variant);
/// Reads a record's site.
Status readSite(const std::string &json, Site &site);
/// Reads a program's manifest: every variant of one kernel, in the order in which they are tried.
Status readManifest(const std::string &json, std::vector<Variant> &variants);

} // namespace tegula::runtime

#endif // TEGULA_LIB_RUNTIME_MANIFEST_H
