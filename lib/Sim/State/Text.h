// Numbers and strings as reports write them.
#pragma once

#include <cstdint>
#include <cstdio>
#include <string>

namespace tegula::sim {

inline std::string hex(uint64_t v) {
  char text[24];
  std::snprintf(text, sizeof text, "0x%llx", (unsigned long long)v);
  return text;
}

/// A JSON string; control characters become spaces.
inline std::string quoted(const std::string &s) {
  std::string out = "\"";
  for (char c : s) {
    if (c == '"' || c == '\\')
      out += '\\';
    if (static_cast<unsigned char>(c) < 0x20)
      out += ' ';
    else
      out += c;
  }
  return out + "\"";
}

} // namespace tegula::sim
