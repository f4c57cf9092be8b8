// Reading manifests. A file may come from anywhere: whatever is missing, of another kind or out of
// range is an error that names it; nothing later checks again.
#include "Manifest.h"

#include <nlohmann/json.hpp>

#include <map>

using Json = nlohmann::json;
using namespace tegula::runtime;

namespace {

constexpr int manifestVersion = 1;
constexpr unsigned maxDepth = 64; // of an expression

struct Malformed {
  std::string text;
};

const Json &field(const Json &object, const char *name) {
  if (!object.is_object() || !object.contains(name))
    throw Malformed{std::string("misses '") + name + "'"};
  return object[name];
}

int64_t integer(const Json &json, const char *name, int64_t low, int64_t high) {
  if (!json.is_number_integer() || json.get<int64_t>() < low || json.get<int64_t>() > high)
    throw Malformed{std::string("has no usable '") + name + "'"};
  return json.get<int64_t>();
}

uint32_t index(const Json &object, const char *name) {
  return uint32_t(integer(field(object, name), name, 0, TGR_MAX_KERNARG));
}

std::string text(const Json &object, const char *name) {
  const Json &json = field(object, name);
  if (!json.is_string())
    throw Malformed{std::string("has no text as '") + name + "'"};
  return json.get<std::string>();
}

const Json &list(const Json &object, const char *name) {
  const Json &json = field(object, name);
  if (!json.is_array())
    throw Malformed{std::string("has no list '") + name + "'"};
  return json;
}

uint32_t bitsOf(const std::string &dtype) {
  static const std::map<std::string, uint32_t> table = {
      {"i1", 8}, // a byte in memory
      {"i8", 8},       {"i16", 16},   {"i32", 32},       {"i64", 64},
      {"f16", 16},     {"bf16", 16},  {"f32", 32},       {"f64", 64},
      {"f8e4m3fn", 8}, {"f8e5m2", 8}, {"f8e4m3fnuz", 8}, {"f8e5m2fnuz", 8},
      {"e8m0", 8},     {"f6e2m3", 8}, {"f6e3m2", 8},     {"f4e2m1", 8}, // a byte each
  };
  auto found = table.find(dtype);
  if (found == table.end())
    throw Malformed{"has elements of type '" + dtype + "', which this runtime doesn't know"};
  return found->second;
}

std::vector<Known> numbers(const Json &argument, const char *name, size_t rank, int64_t low = 0) {
  std::vector<Known> result;
  for (const Json &json : list(argument, name))
    result.push_back(json.is_null() ? Known() : Known(integer(json, name, low, INT64_MAX)));
  if (result.size() != rank)
    throw Malformed{std::string("has a '") + name + "' of another rank"};
  return result;
}

Parameter parameter(const Json &json) {
  Parameter result;
  result.name = text(json, "name");
  result.dtype = text(json, "dtype");
  result.bits = bitsOf(result.dtype);
  result.offset = index(json, "offset");
  std::string kind = text(json, "kind");
  if (kind != "view" && kind != "scalar")
    throw Malformed{"has an argument of kind '" + kind + "'"};
  result.isView = kind == "view";
  if (!result.isView) {
    if (result.dtype[0] != 'i' && result.bits < 32)
      throw Malformed{"has a scalar of type '" + result.dtype + "'"};
    return result;
  }
  size_t rank = list(json, "shape").size();
  if (rank > TGR_MAX_RANK)
    throw Malformed{"has a view of rank " + std::to_string(rank)};
  for (const Json &name : list(json, "extents"))
    result.extents.push_back(name.is_string() ? name.get<std::string>() : "");
  result.extents.resize(rank);
  result.shape = numbers(json, "shape", rank);
  result.strides = numbers(json, "strides", rank, -INT64_MAX);
  result.reach = json.contains("reach") ? numbers(json, "reach", rank) : std::vector<Known>(rank);
  result.align = integer(field(json, "align"), "align", 1, 1 << 20);
  return result;
}

//===--- Records ---===//

constexpr int64_t mostRecordWords = int64_t(1) << 24; // of a buffer

std::vector<int64_t> extentsOf(const Json &json) {
  std::vector<int64_t> shape;
  int64_t elements = 1;
  for (const Json &extent : list(json, "shape")) {
    shape.push_back(integer(extent, "shape", 1, mostRecordWords));
    elements *= shape.back();
    if (shape.size() > TGR_MAX_RANK || elements > mostRecordWords)
      throw Malformed{"has a record of too many elements"};
  }
  return shape;
}

Site siteOf(const Json &json) {
  static const std::map<std::string, Site::Kind> kinds = {
      {"assert", Site::Kind::Assert}, {"bounds", Site::Kind::Bounds}, {"print", Site::Kind::Print}};
  Site site;
  auto kind = kinds.find(text(json, "kind"));
  if (kind == kinds.end())
    throw Malformed{"has a record of no known kind"};
  site.kind = kind->second;
  site.format = text(json, "format");
  site.shape = extentsOf(json);
  for (const Json &field : list(json, "fields")) {
    site.fields.push_back({text(field, "dtype"), extentsOf(field)});
    bitsOf(site.fields.back().dtype);
  }
  for (const Json &place : list(json, "places")) {
    auto count = [&](const char *name) {
      return uint32_t(integer(field(place, name), name, 0, UINT32_MAX));
    };
    site.places.push_back({text(place, "file"), count("line"), count("column"), count("end_line"),
                           count("end_column")});
  }
  return site;
}

RecordTable recordsOf(const Json &json) {
  RecordTable table;
  table.offset = index(json, "offset");
  table.header = size_t(integer(field(json, "header"), "header", 1, mostRecordWords));
  table.words = size_t(integer(field(json, "words"), "words", 1, mostRecordWords));
  for (const Json &site : list(json, "sites"))
    table.sites.push_back(siteOf(site));
  return table;
}

CodeStamp stampOf(const Json &json) {
  auto count = [&](const char *name) {
    return uint64_t(integer(field(json, name), name, 0, UINT32_MAX));
  };
  return {count("bytes"), uint32_t(count("crc32"))};
}

class Reader {
public:
  explicit Reader(Variant &variant) : variant(variant) {}

  void read(const Json &json) {
    variant.kernel = text(json, "kernel");
    variant.target = text(json, "target");
    variant.file = json.contains("file") ? text(json, "file") : "";
    if (json.contains("code"))
      variant.code = stampOf(json["code"]);
    for (const Json &argument : list(json, "arguments"))
      variant.parameters.push_back(parameter(argument));
    if (variant.parameters.size() > maxArguments)
      throw Malformed{"has more than " + std::to_string(maxArguments) + " arguments"};
    variant.kernargBytes = index(json, "kernarg_size");
    for (const Parameter &p : variant.parameters)
      checkOffset(p.offset, p.isView ? 8 : p.bits / 8);
    variant.extents = slots(json, "extents", 4);
    variant.strides = slots(json, "strides", 8);
    for (const Json &axis : list(json, "grid"))
      variant.grid.push_back(expression(axis));
    if (variant.grid.size() > 3 || list(json, "block").size() != 3)
      throw Malformed{"has a grid or workgroup of more than three axes"};
    if (json.contains("workgroups_per_cu"))
      variant.workgroupsPerCu =
          uint32_t(integer(json["workgroups_per_cu"], "workgroups_per_cu", 1, 1024));
    if (json.contains("resident_offset")) {
      variant.residentOffset = index(json, "resident_offset");
      checkOffset(*variant.residentOffset, 4);
    }
    if (json.contains("workspace"))
      for (const Json &entry : list(json, "workspace"))
        addRegion(entry);
    if (json.contains("records")) {
      variant.records = recordsOf(json["records"]);
      checkOffset(variant.records->offset, sizeof(void *));
    }
    for (unsigned axis = 0; axis < 3; ++axis)
      variant.block[axis] = uint32_t(integer(json["block"][axis], "block", 1, 1024));
    if (!json.contains("when"))
      return;
    for (const Json &condition : list(json, "when"))
      variant.when.push_back({expression(field(condition, "value")),
                              integer(field(condition, "at_most"), "at_most", 0, INT64_MAX)});
  }

private:
  void checkOffset(uint32_t offset, uint32_t bytes) const {
    if (offset + bytes > variant.kernargBytes)
      throw Malformed{"has an argument outside its 'kernarg_size'"};
  }

  void addRegion(const Json &entry) {
    const Json &zeroed = field(entry, "zeroed");
    if (!zeroed.is_boolean())
      throw Malformed{"has a 'zeroed' that is neither true nor false"};
    Region region{index(entry, "offset"), expression(field(entry, "bytes")), zeroed.get<bool>()};
    checkOffset(region.offset, sizeof(void *));
    if (region.zeroed && !variant.workspace.empty() && !variant.workspace.back().zeroed)
      throw Malformed{"has a zeroed part of the workspace behind one that isn't"};
    variant.workspace.push_back(std::move(region));
  }

  void checkAxis(uint32_t argument, uint32_t dim) const {
    if (argument >= variant.parameters.size() || dim >= variant.parameters[argument].shape.size())
      throw Malformed{"names an axis that no argument has"};
  }

  std::vector<Slot> slots(const Json &json, const char *name, uint32_t bytes) const {
    std::vector<Slot> result;
    for (const Json &entry : list(json, name)) {
      Slot slot{index(entry, "argument"), index(entry, "dim"), index(entry, "offset")};
      checkAxis(slot.argument, slot.dim);
      checkOffset(slot.offset, bytes);
      result.push_back(slot);
    }
    return result;
  }

  Expression expression(const Json &json, unsigned depth = 0) const {
    using Kind = Expression::Kind;
    static const std::map<std::string, Kind> kinds = {
        {"dim", Kind::Dim},         {"stride", Kind::Stride},
        {"arg", Kind::Argument},    {"resident", Kind::Resident},
        {"add", Kind::Add},         {"sub", Kind::Sub},
        {"mul", Kind::Mul},         {"floordiv", Kind::FloorDiv},
        {"ceildiv", Kind::CeilDiv}, {"min", Kind::Min},
        {"max", Kind::Max}};
    Expression result;
    if (json.is_number_integer()) {
      result.value = json.get<int64_t>();
      return result;
    }
    bool known = json.is_array() && !json.empty() && json[0].is_string() &&
                 kinds.count(json[0].get<std::string>());
    if (!known || depth > maxDepth)
      throw Malformed{"has an expression that this runtime doesn't know"};
    result.kind = kinds.at(json[0].get<std::string>());
    bool isAxis = result.kind == Kind::Dim || result.kind == Kind::Stride;
    bool isResident = result.kind == Kind::Resident;
    if (json.size() != (isResident ? 1u : result.kind == Kind::Argument ? 2u : 3u))
      throw Malformed{"has an expression with too few operands"};
    if (isResident)
      return result;
    if (isAxis || result.kind == Kind::Argument) {
      result.argument = uint32_t(integer(json[1], "argument", 0, TGR_MAX_KERNARG));
      result.dim = isAxis ? uint32_t(integer(json[2], "dim", 0, TGR_MAX_RANK)) : 0;
      isAxis ? checkAxis(result.argument, result.dim) : checkScalar(result.argument);
      return result;
    }
    for (unsigned i = 1; i < 3; ++i)
      result.operands.push_back(expression(json[i], depth + 1));
    return result;
  }

  void checkScalar(uint32_t argument) const {
    bool isInteger = argument < variant.parameters.size() && !variant.parameters[argument].isView &&
                     variant.parameters[argument].dtype[0] == 'i';
    if (!isInteger)
      throw Malformed{"counts with an argument that is no integer"};
  }

  Variant &variant;
};

/// Runs `read` on the parsed text; what it throws becomes a status.
template <typename Read> Status parsed(const std::string &text, Read read) {
  try {
    read(Json::parse(text));
    return {};
  } catch (const Malformed &problem) {
    return Status::error(TGR_INVALID_OBJECT, "the manifest " + problem.text);
  } catch (const Json::exception &problem) {
    return Status::error(TGR_INVALID_OBJECT,
                         std::string("the manifest is not JSON: ") + problem.what());
  }
}

/// A manifest and each of its records say what version they are of.
void checkVersion(const Json &object) {
  if (integer(field(object, "version"), "version", 0, INT32_MAX) != manifestVersion)
    throw Malformed{"has another version than " + std::to_string(manifestVersion)};
}

void readRecord(const Json &record, Variant &variant) {
  checkVersion(record);
  Reader(variant).read(record);
}

} // namespace

uint32_t tegula::runtime::crc32(const std::string &bytes) {
  constexpr uint32_t polynomial = 0xedb88320; // reflected
  uint32_t sum = ~0u;
  for (unsigned char byte : bytes) {
    sum ^= byte;
    for (int bit = 0; bit < 8; ++bit)
      sum = sum >> 1 ^ (sum & 1 ? polynomial : 0);
  }
  return ~sum;
}

Status tegula::runtime::readVariant(const std::string &json, Variant &variant) {
  return parsed(json, [&](const Json &root) { readRecord(root, variant); });
}

Status tegula::runtime::readSite(const std::string &json, Site &site) {
  return parsed(json, [&](const Json &root) { site = siteOf(root); });
}

Status tegula::runtime::readManifest(const std::string &json, std::vector<Variant> &variants) {
  return parsed(json, [&](const Json &root) {
    checkVersion(root);
    for (const Json &record : list(root, "variants"))
      readRecord(record, variants.emplace_back());
    if (variants.empty())
      throw Malformed{"has no variants"};
  });
}
