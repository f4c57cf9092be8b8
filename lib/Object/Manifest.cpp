// The manifest: what a runtime without a compiler needs to launch the kernel.
#include "Manifest.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/CRC.h"

using namespace mlir;
using namespace tegula;
namespace json = llvm::json;

json::Value tegula::toJson(Attribute attr) {
  auto list = [](auto values) {
    json::Array array;
    for (auto value : values)
      array.push_back(static_cast<int64_t>(value));
    return json::Value(std::move(array));
  };
  return llvm::TypeSwitch<Attribute, json::Value>(attr)
      .Case([](UnitAttr) { return nullptr; })
      .Case([](BoolAttr b) { return b.getValue(); })
      .Case([](IntegerAttr i) { return i.getInt(); })
      .Case([](FloatAttr f) { return f.getValueAsDouble(); })
      .Case([](StringAttr s) { return s.getValue().str(); })
      .Case([](FlatSymbolRefAttr s) { return s.getValue().str(); })
      .Case([&](DenseI32ArrayAttr a) { return list(a.asArrayRef()); })
      .Case([&](DenseI64ArrayAttr a) { return list(a.asArrayRef()); })
      .Case([](ArrayAttr a) {
        json::Array array;
        for (Attribute element : a)
          array.push_back(toJson(element));
        return array;
      })
      .Case([](DictionaryAttr d) {
        json::Object object;
        for (NamedAttribute entry : d)
          object[entry.getName().str()] = toJson(entry.getValue()); // the key outlives the context
        return object;
      })
      .Default([](Attribute other) {
        std::string text;
        llvm::raw_string_ostream os(text);
        other.print(os);
        return text;
      });
}

json::Object tegula::makeManifest(DictionaryAttr abi, llvm::StringRef kernel, const Target &target,
                                  const Resources &r, llvm::StringRef elf,
                                  llvm::StringRef compilerId) {
  json::Object manifest = std::move(*toJson(abi).getAsObject());
  manifest["version"] = 1;
  manifest["kernel"] = kernel.str();
  manifest["target"] = target.name;
  manifest["compiler"] = compilerId.str();
  manifest["code"] =
      json::Object{{"bytes", static_cast<int64_t>(elf.size())},
                   {"crc32", int64_t(llvm::crc32(llvm::arrayRefFromStringRef(elf)))}};
  manifest["resources"] = json::Object{{"vgprs", r.vgprs},
                                       {"agprs", r.agprs},
                                       {"sgprs", r.sgprs},
                                       {"vgpr_spills", r.vgprSpills},
                                       {"sgpr_spills", r.sgprSpills},
                                       {"scratch_bytes", r.scratchBytes},
                                       {"lds_bytes", r.ldsBytes}};
  // Whoever launches multiplies it by the compute units of the device.
  auto block = abi.getAs<ArrayAttr>("block");
  int64_t items = block && !block.empty() ? cast<IntegerAttr>(block[0]).getInt() : 0;
  manifest["workgroups_per_cu"] =
      target.workgroupsPerCu(items / Target::waveSize, r.vgprs, r.ldsBytes);
  return manifest;
}
