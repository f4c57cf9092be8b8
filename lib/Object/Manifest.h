// Internal to lib/Object: the manifest of a code object.
#ifndef TEGULA_LIB_OBJECT_MANIFEST_H
#define TEGULA_LIB_OBJECT_MANIFEST_H

#include "tegula/Object/Object.h"

#include "mlir/IR/BuiltinAttributes.h"

namespace tegula {

/// JSON of an attribute: dictionaries, arrays, dense integer arrays, strings, integers, floats and
/// booleans as what they are, a unit attribute as null. Anything else prints as a string.
llvm::json::Value toJson(mlir::Attribute attr);

/// The ABI dictionary with version, names, resources and what tells this code object from others.
llvm::json::Object makeManifest(mlir::DictionaryAttr abi, llvm::StringRef kernel,
                                const Target &target, const Resources &resources,
                                llvm::StringRef elf, llvm::StringRef compilerId);

} // namespace tegula

#endif // TEGULA_LIB_OBJECT_MANIFEST_H
