// What may stand in a C header: identifiers, strings, comments.
#ifndef TEGULA_LIB_OBJECT_CNAMES_H
#define TEGULA_LIB_OBJECT_CNAMES_H

#include "llvm/ADT/StringSet.h"

#include <string>

namespace tegula {

/// Identifiers that C and C++ have no other use for, each given out once.
class CNames {
public:
  CNames();
  /// The wanted name, if it is one; else one that resembles it.
  std::string unique(llvm::StringRef wanted);

private:
  llvm::StringSet<> taken;
};

/// A string literal.
std::string cString(llvm::StringRef text);

/// Text that does not end the comment that it stands in.
std::string cComment(llvm::StringRef text);

} // namespace tegula

#endif // TEGULA_LIB_OBJECT_CNAMES_H
