// Writing the C header. What variants agree on is a literal in it, what they don't is a member of
// the argument struct; whether an array fits a variant is the runtime's to check.
#include "tegula/Object/Header.h"

#include "CNames.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"

#include <optional>
#include <vector>

using namespace llvm;
using namespace tegula;

namespace {

Error malformed(const Twine &what) { return createStringError("the manifest " + what); }

/// An extent or stride: a literal, or the member that holds it.
using Number = std::string;

struct Argument {
  std::string name, label;         ///< label: as the kernel calls it
  std::vector<std::string> dtypes; ///< of the variants, each once
  bool isView = false, isFloat = false;
  std::vector<Number> shape, strides;
};

class Writer {
public:
  Writer(StringRef title, const json::Array &variants)
      : title(title), kernel(CNames().unique(title)), variants(variants) {}

  Error read() {
    const json::Array *first = list(0);
    if (!first)
      return malformed("has no 'arguments'");
    for (size_t i = 0; i < first->size(); ++i)
      if (Error error = readName(i, *first))
        return error;
    for (size_t i = 0; i < first->size(); ++i)
      if (arguments[i].isView)
        if (Error error = readNumbers(i))
          return error;
    usesWorkspace = any_of(variants, [](const json::Value &variant) {
      const json::Object *record = variant.getAsObject();
      return record && record->getArray("workspace");
    });
    if (usesWorkspace) {
      workspace = names.unique("workspace");
      workspaceBytes = names.unique(workspace + "_bytes");
    }
    return Error::success();
  }

  std::string write();

private:
  const json::Array *list(size_t variant) const {
    const json::Object *record = variants[variant].getAsObject();
    return record ? record->getArray("arguments") : nullptr;
  }

  const json::Object *argument(size_t variant, size_t index) const {
    const json::Array *all = list(variant);
    return all && index < all->size() ? (*all)[index].getAsObject() : nullptr;
  }

  Error readName(size_t index, const json::Array &all) {
    const json::Object *object = all[index].getAsObject();
    if (!object || !object->getString("name") || !object->getString("dtype"))
      return malformed("has an argument without name or type");
    Argument result;
    result.label = object->getString("name")->str();
    result.name = names.unique(result.label);
    result.dtypes = dtypesOf(index);
    result.isView = object->getString("kind") == StringRef("view");
    result.isFloat = !StringRef(result.dtypes[0]).starts_with("i");
    arguments.push_back(std::move(result));
    return Error::success();
  }

  std::vector<std::string> dtypesOf(size_t index) const {
    std::vector<std::string> found;
    for (size_t v = 0; v < variants.size(); ++v)
      if (const json::Object *object = argument(v, index))
        if (std::optional<StringRef> dtype = object->getString("dtype");
            dtype && !is_contained(found, *dtype))
          found.push_back(dtype->str());
    return found;
  }

  /// Entry `dim` of a list of numbers if all variants have the same one.
  std::optional<int64_t> common(size_t index, StringRef field, size_t dim) const {
    std::optional<int64_t> value;
    for (size_t v = 0; v < variants.size(); ++v) {
      const json::Object *object = argument(v, index);
      const json::Array *numbers = object ? object->getArray(field) : nullptr;
      if (!numbers || dim >= numbers->size() || !(*numbers)[dim].getAsInteger())
        return std::nullopt;
      int64_t here = *(*numbers)[dim].getAsInteger();
      if (value && *value != here)
        return std::nullopt;
      value = here;
    }
    return value;
  }

  Number member(StringRef name, const Twine &comment) {
    std::string unique = names.unique(name);
    members.push_back({unique, comment.str()});
    return "args->" + unique;
  }

  Error readNumbers(size_t index) {
    const json::Object &object = *argument(0, index);
    const json::Array *shape = object.getArray("shape"), *extents = object.getArray("extents");
    if (!shape || !extents || extents->size() != shape->size())
      return malformed("has a view without extents");
    Argument &result = arguments[index];
    for (size_t dim = 0; dim < shape->size(); ++dim) {
      StringRef name = (*extents)[dim].getAsString().value_or("");
      result.shape.push_back(extent(index, dim, name));
    }
    for (size_t dim = 0; dim < shape->size(); ++dim) {
      std::string axis = (result.label + "_stride" + Twine(dim)).str();
      std::optional<int64_t> known = common(index, "strides", dim);
      result.strides.push_back(known ? std::to_string(*known)
                                     : member(axis, "elements between neighbours of axis " +
                                                        Twine(dim) + " of " + result.label));
    }
    return Error::success();
  }

  Number extent(size_t index, size_t dim, StringRef name) {
    if (std::optional<int64_t> known = common(index, "shape", dim))
      return std::to_string(*known);
    StringRef label = arguments[index].label;
    if (name.empty())
      return member((label + "_dim" + Twine(dim)).str(),
                    "extent of axis " + Twine(dim) + " of " + label);
    auto [entry, isNew] = extentMembers.try_emplace(name);
    if (isNew)
      entry->second = member(name, "extent " + name);
    return entry->second;
  }

  /// Arguments of a call to the runtime.
  size_t count() const { return arguments.size() + usesWorkspace; }

  void writeVariants(raw_ostream &os) const;
  void writeStruct(raw_ostream &os) const;
  void writeBind(raw_ostream &os) const;
  void writeFunctions(raw_ostream &os) const;

  std::string title, kernel; ///< the kernel's name, and as C has it
  const json::Array &variants;
  CNames names;
  std::vector<Argument> arguments;
  std::vector<std::pair<std::string, std::string>> members; ///< numbers: name, comment
  StringMap<Number> extentMembers;
  bool usesWorkspace = false;
  std::string workspace, workspaceBytes; ///< the members' names
};

std::string plain(const Number &number) {
  StringRef name = number;
  name.consume_front("args->");
  return name.str();
}

void Writer::writeVariants(raw_ostream &os) const {
  for (const json::Value &value : variants) {
    const json::Object &record = *value.getAsObject();
    os << " *   " << cComment(record.getString("target").value_or("?")) << ": "
       << cComment(record.getString("file").value_or(""));
    if (const json::Array *when = record.getArray("when"); when && !when->empty())
      for (const json::Value &condition : *when)
        os << formatv(", if {0}", condition);
    os << "\n";
  }
}

void Writer::writeStruct(raw_ostream &os) const {
  os << "/* The arguments of a call. Arrays lie on the device; extents and strides count elements. "
        "*/\ntypedef struct {\n";
  for (const Argument &a : arguments) {
    std::string dtype = cComment(join(a.dtypes, " or "));
    if (!a.isView) {
      os << formatv("  {0} {1}; /* {2} */\n", a.isFloat ? "double" : "int64_t", a.name, dtype);
      continue;
    }
    auto names = [](const std::vector<Number> &numbers) {
      return join(map_range(numbers, plain), ", ");
    };
    os << formatv("  const void *{0}; /* {1}, extents ({2}), strides ({3}) */\n", a.name, dtype,
                  names(a.shape), names(a.strides));
  }
  for (const auto &[name, comment] : members)
    os << formatv("  int64_t {0}; /* {1} */\n", name, cComment(comment));
  if (usesWorkspace)
    os << formatv("  void *{0}; /* scratch memory on the device; {1}_plan tells how much */\n"
                  "  uint64_t {2};\n",
                  workspace, kernel, workspaceBytes);
  os << formatv("} {0}_args;\n\n", kernel);
}

void Writer::writeBind(raw_ostream &os) const {
  os << formatv("static inline void {0}_bind(const {0}_args *args, tgr_argument *out, int64_t "
                "*numbers) {{\n  memset(out, 0, {1} * sizeof *out);\n",
                kernel, count());
  size_t next = 0;
  for (auto [i, a] : enumerate(arguments)) {
    if (a.dtypes.size() == 1)
      os << formatv("  out[{0}].dtype = {1};\n", i, cString(a.dtypes[0]));
    if (!a.isView) {
      os << formatv("  out[{0}].kind = {1};\n  out[{0}].{2} = args->{3};\n", i,
                    a.isFloat ? "TGR_REAL" : "TGR_INTEGER", a.isFloat ? "real" : "integer", a.name);
      continue;
    }
    os << formatv("  out[{0}].data = args->{1};\n  out[{0}].rank = {2};\n", i, a.name,
                  a.shape.size());
    os << formatv("  out[{0}].shape = numbers + {1};\n  out[{0}].strides = numbers + {2};\n", i,
                  next, next + a.shape.size());
    for (const std::vector<Number> *list : {&a.shape, &a.strides})
      for (const Number &number : *list)
        os << formatv("  numbers[{0}] = {1};\n", next++, number);
  }
  if (usesWorkspace)
    os << formatv("  out[{0}].kind = TGR_WORKSPACE;\n  out[{0}].data = args->{1};\n"
                  "  out[{0}].integer = (int64_t)args->{2};\n",
                  arguments.size(), workspace, workspaceBytes);
  os << "}\n\n";
}

void Writer::writeFunctions(raw_ostream &os) const {
  size_t numbers = 1;
  for (const Argument &a : arguments)
    numbers += a.shape.size() + a.strides.size();
  std::string locals = formatv("  tgr_argument arguments[{0}];\n  int64_t numbers[{1}];\n"
                               "  {2}_bind(args, arguments, numbers);\n",
                               std::max<size_t>(count(), 1), numbers, kernel);
  os << formatv("/* Read {1} in `folder`, where the code objects lie. */\n"
                "static inline tgr_status {0}_open(tgr_device *device, const char *folder, "
                "tgr_program **program) {{\n"
                "  char path[4096];\n"
                "  snprintf(path, sizeof path, \"%s/%s\", folder, {2});\n"
                "  return tgr_program_open(device, path, program);\n}\n\n",
                kernel, cComment(title + ".json"), cString(title + ".json"));
  os << formatv("/* Which variant a call takes, its grid and workgroup; checks the arguments. */\n"
                "static inline tgr_status {0}_plan(tgr_program *program, const {0}_args *args, "
                "tgr_plan *plan) {{\n{1}"
                "  return tgr_program_plan(program, arguments, {2}, plan);\n}\n\n",
                kernel, locals, count());
  os << formatv("/* Check the arguments and launch; asynchronous on HIP. */\n"
                "static inline tgr_status {0}_launch(tgr_program *program, const {0}_args *args, "
                "tgr_stream stream) {{\n{1}"
                "  return tgr_program_launch(program, arguments, {2}, stream);\n}\n\n",
                kernel, locals, count());
}

std::string Writer::write() {
  std::string text;
  raw_string_ostream os(text);
  std::string guard = "TEGULA_KERNEL_" + kernel + "_H";
  os << formatv("/* {0}, compiled by Tegula ahead of time. Link with tegula-runtime.\n"
                " * Variants, of which the first that fits device and arguments is taken:\n",
                cComment(title));
  writeVariants(os);
  os << formatv(" */\n#ifndef {0}\n#define {0}\n\n#include <tegula/runtime.h>\n\n#include "
                "<stdio.h>\n#include <string.h>\n\n#ifdef __cplusplus\nextern \"C\" {{\n#endif\n\n",
                guard);
  writeStruct(os);
  writeBind(os);
  writeFunctions(os);
  os << formatv("#ifdef __cplusplus\n}\n#endif\n\n#endif /* {0} */\n", guard);
  return text;
}

} // namespace

Expected<std::string> tegula::makeHeader(const json::Object &manifest) {
  const json::Array *variants = manifest.getArray("variants");
  std::optional<StringRef> kernel = manifest.getString("kernel");
  if (!variants || variants->empty() || !kernel)
    return malformed("has no kernel or no variants");
  if (!all_of(*variants, [](const json::Value &v) { return v.getAsObject() != nullptr; }))
    return malformed("has a variant that is no object");
  Writer writer(*kernel, *variants);
  if (Error error = writer.read())
    return std::move(error);
  return writer.write();
}
