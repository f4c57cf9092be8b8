// The kernels of the assembler files and what their marks promise.
#pragma once

#include <map>
#include <ostream>
#include <string>
#include <vector>

struct Mark {
  std::string kind, severity;
  unsigned line;
};

struct Case {
  std::string target, object, source, kernel;
  std::map<std::string, unsigned> options; ///< "block=128" in the comment of the kernel's line
  std::vector<Mark> faults;                ///< FAULT kind [warning|note]
  std::vector<unsigned> earlier;           ///< EARLIER: lines of the other access
  unsigned number(const std::string &key, unsigned otherwise) const {
    auto it = options.find(key);
    return it == options.end() ? otherwise : it->second;
  }
  std::string name() const; ///< of file, kernel and target
};

inline std::ostream &operator<<(std::ostream &out, const Case &c) { return out << c.name(); }

/// All kernels, on each target that their file is for (a file *-gfx950.s is for that one only).
std::vector<Case> allCases(const std::string &objects, const std::string &sources);
