// Choosing a variant, evaluating its grid, packing its kernel arguments.
#include "Plan.h"

#include <algorithm>
#include <cstring>
#include <set>

using namespace tegula::runtime;

namespace {

using Kind = Expression::Kind;

constexpr int64_t maxWorkspace = int64_t(1) << 48;
constexpr uintptr_t workspaceAlign = 16; // of the widest access

struct Values {
  const tgr_argument *arguments;
  const PassedStrides *passed; ///< null while a variant is being chosen: strides as given
  int64_t resident;
};

/// Floor division; none by zero or beyond 64 bits, as for the other operators.
Known divide(int64_t a, int64_t b, bool up) {
  if (b == 0 || (a == INT64_MIN && b == -1))
    return std::nullopt;
  int64_t quotient = a / b, rest = a % b;
  if (rest != 0 && (rest < 0) != (b < 0))
    --quotient; // floored
  return quotient + (up && rest != 0);
}

Known combine(Kind kind, int64_t a, int64_t b) {
  int64_t result;
  switch (kind) {
  case Kind::Add:
    return __builtin_add_overflow(a, b, &result) ? Known() : Known(result);
  case Kind::Sub:
    return __builtin_sub_overflow(a, b, &result) ? Known() : Known(result);
  case Kind::Mul:
    return __builtin_mul_overflow(a, b, &result) ? Known() : Known(result);
  case Kind::FloorDiv:
    return divide(a, b, false);
  case Kind::CeilDiv:
    return divide(a, b, true);
  case Kind::Min:
    return std::min(a, b);
  default:
    return std::max(a, b);
  }
}

Known evaluate(const Expression &e, const Values &values) {
  switch (e.kind) {
  case Kind::Constant:
    return e.value;
  case Kind::Dim:
    return values.arguments[e.argument].shape[e.dim];
  case Kind::Stride:
    return values.passed ? values.passed->of[e.argument][e.dim]
                         : values.arguments[e.argument].strides[e.dim];
  case Kind::Argument:
    return values.arguments[e.argument].integer;
  case Kind::Resident:
    return values.resident;
  default:
    break;
  }
  Known a = evaluate(e.operands[0], values), b = evaluate(e.operands[1], values);
  return a && b ? combine(e.kind, *a, *b) : Known();
}

/// Conditions read extents before the arguments are checked: only of views with enough axes.
bool hasShapes(const Variant &variant, const tgr_argument *arguments) {
  for (size_t i = 0; i < variant.parameters.size(); ++i) {
    const tgr_argument &given = arguments[i];
    size_t rank = variant.parameters[i].shape.size();
    if (variant.parameters[i].isView && (given.kind != TGR_VIEW || given.rank != rank ||
                                         (rank && (!given.shape || !given.strides))))
      return false;
  }
  return true;
}

bool chosen(const Variant &variant, const tgr_argument *arguments) {
  if (!hasShapes(variant, arguments))
    return true; // let the contract say what is wrong
  return std::all_of(variant.when.begin(), variant.when.end(), [&](const Condition &condition) {
    Known value = evaluate(condition.value, {arguments, nullptr, 1});
    return value && *value <= condition.limit;
  });
}

std::optional<Refusal> countWorkgroups(const Variant &variant, const Values &values,
                                       tgr_plan &plan) {
  uint32_t counts[3] = {1, 1, 1};
  for (size_t axis = 0; axis < variant.grid.size(); ++axis) {
    Known count = evaluate(variant.grid[axis], values);
    auto name = [&] { return "grid axis " + std::to_string(axis); };
    if (!count)
      return Refusal{name(), "a division by zero or a number beyond 64 bits", "a count"};
    if (*count > UINT32_MAX)
      return Refusal{name(), std::to_string(*count), "fewer than 2^32 workgroups"};
    if (*count < 0)
      return Refusal{name(), std::to_string(*count), "0 or more workgroups"};
    counts[axis] = uint32_t(*count);
  }
  plan.grid = {counts[0], counts[1], counts[2]};
  return std::nullopt;
}

void put(tgr_plan &plan, uint32_t offset, const void *value, size_t bytes) {
  std::memcpy(plan.kernarg + offset, value, bytes);
}

/// Host and device are little-endian, so the low bytes of an integer are a narrower one.
void packScalar(const Parameter &parameter, const tgr_argument &given, tgr_plan &plan) {
  double real = given.kind == TGR_REAL ? given.real : double(given.integer);
  auto narrow = float(real);
  if (parameter.dtype[0] == 'i')
    put(plan, parameter.offset, &given.integer, parameter.bits / 8);
  else if (parameter.bits == 32)
    put(plan, parameter.offset, &narrow, sizeof narrow);
  else
    put(plan, parameter.offset, &real, sizeof real);
}

void pack(const Variant &variant, const Values &values, tgr_plan &plan) {
  plan.kernarg_bytes = variant.kernargBytes;
  std::memset(plan.kernarg, 0, variant.kernargBytes);
  for (size_t i = 0; i < variant.parameters.size(); ++i) {
    const Parameter &parameter = variant.parameters[i];
    if (parameter.isView)
      put(plan, parameter.offset, &values.arguments[i].data, sizeof(void *));
    else
      packScalar(parameter, values.arguments[i], plan);
  }
  for (const Slot &slot : variant.extents) {
    auto extent = int32_t(values.arguments[slot.argument].shape[slot.dim]);
    put(plan, slot.offset, &extent, sizeof extent);
  }
  if (variant.residentOffset)
    put(plan, *variant.residentOffset, &plan.resident, sizeof plan.resident);
  for (const Slot &slot : variant.strides)
    put(plan, slot.offset, &values.passed->of[slot.argument][slot.dim], sizeof(int64_t));
}

/// Puts the parts of the workspace one behind the other; null: only its size is asked for.
std::optional<Refusal> layOutWorkspace(const Variant &variant, const Values &values,
                                       const tgr_argument *given, tgr_plan &plan) {
  const auto *base = given ? static_cast<const char *>(given->data) : nullptr;
  uint64_t size = 0;
  plan.workspace_zero_bytes = 0;
  for (const Region &region : variant.workspace) {
    Known bytes = evaluate(region.bytes, values);
    if (!bytes || *bytes > maxWorkspace)
      return Refusal{"workspace", "a size beyond 2^48 bytes", "a smaller grid"};
    const char *address = base ? base + size : nullptr;
    put(plan, region.offset, &address, sizeof address);
    size += (uint64_t(std::max<int64_t>(*bytes, 0)) + workspaceGranule - 1) / workspaceGranule *
            workspaceGranule;
    if (region.zeroed)
      plan.workspace_zero_bytes = size;
  }
  plan.workspace_bytes = size;
  if (!base || size == 0)
    return std::nullopt;
  if (given->integer < 0 || uint64_t(given->integer) < size)
    return Refusal{"workspace", std::to_string(given->integer) + " bytes",
                   "at least " + std::to_string(size)};
  if (reinterpret_cast<uintptr_t>(base) % workspaceAlign)
    return Refusal{"workspace", "an address that is no multiple of 16", "an aligned one"};
  return std::nullopt;
}

std::optional<Refusal> tryVariant(const Variant &variant, uint32_t computeUnits,
                                  const tgr_argument *arguments, const tgr_argument *workspace,
                                  tgr_plan &plan) {
  PassedStrides passed;
  if (auto refusal = checkArguments(variant, arguments, passed))
    return refusal;
  plan.resident = computeUnits * variant.workgroupsPerCu;
  Values values{arguments, &passed, plan.resident};
  if (auto refusal = countWorkgroups(variant, values, plan))
    return refusal;
  plan.block = {variant.block[0], variant.block[1], variant.block[2]};
  pack(variant, values, plan);
  return layOutWorkspace(variant, values, workspace, plan);
}

/// What the variants are for, each target once.
Refusal otherTargets(const std::vector<Variant> &variants, const std::string &arch) {
  std::set<std::string> targets;
  for (const Variant &variant : variants)
    targets.insert(variant.target);
  std::string text;
  for (const std::string &target : targets)
    text += (text.empty() ? ", not for " : ", ") + target;
  return {"target", arch, "a kernel compiled for it" + text};
}

} // namespace

std::optional<Refusal> tegula::runtime::makePlan(const std::vector<Variant> &variants,
                                                 const std::string &arch, uint32_t computeUnits,
                                                 const tgr_argument *arguments, uint32_t count,
                                                 tgr_plan &plan) {
  std::optional<Refusal> last;
  for (size_t i = 0; i < variants.size(); ++i) {
    const Variant &variant = variants[i];
    if (variant.target != arch)
      continue;
    const tgr_argument *workspace = nullptr;
    uint32_t visible = count;
    if (count && arguments[count - 1].kind == TGR_WORKSPACE)
      workspace = &arguments[--visible];
    if (visible != variant.parameters.size())
      return Refusal{variant.kernel, std::to_string(visible) + " arguments",
                     std::to_string(variant.parameters.size())};
    if (!chosen(variant, arguments))
      continue;
    last = tryVariant(variant, computeUnits, arguments, workspace, plan);
    plan.variant = uint32_t(i);
    if (!last)
      return std::nullopt;
  }
  return last ? last : otherTargets(variants, arch);
}
