// What assertions and prints of a kernel have written: records of 64-bit words.
//
// The buffer begins with a header, whose first word counts the words taken behind it. A record is
// the number of its site, its words, the workgroup's place, the failing element, then its values:
// scalars first, tiles behind them. (TileTransforms/LowerRecords.cpp writes them.)
#ifndef TEGULA_LIB_RUNTIME_RECORDS_H
#define TEGULA_LIB_RUNTIME_RECORDS_H

#include "Driver.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace tegula::runtime {

struct Place {
  std::string file;
  uint32_t line = 0, column = 0, endLine = 0, endColumn = 0;
};

/// One value of a site: integers are extended to a word, floats are an f64.
struct Field {
  std::string dtype;
  std::vector<int64_t> shape;
  size_t words() const;
};

/// An assertion, a check of an index, or a print in the kernel's text.
struct Site {
  enum class Kind { Assert, Bounds, Print };
  Kind kind = Kind::Print;
  std::string format;
  std::vector<int64_t> shape; ///< of an assertion's condition; none: a scalar
  std::vector<Field> fields;
  std::vector<Place> places; ///< where it stands, and the calls it was inlined through
};

struct RecordTable {
  uint32_t offset = 0; ///< of the buffer's address, in the kernarg segment
  size_t header = 0;   ///< words
  size_t words = 0;    ///< behind the header
  std::vector<Site> sites;
  size_t bytes() const { return (header + words) * sizeof(int64_t); }
};

/// The assertion that failed in the first workgroup in which one did.
struct Failure {
  std::string kernel, message;
  bool isBounds = false;
  uint32_t workgroup[3] = {};
  std::vector<int64_t> element; ///< of the condition
  std::vector<Place> places;
  uint64_t workgroups = 0; ///< in which an assertion failed, so far as records tell
  std::string text() const;
};

struct Report {
  std::string printed; ///< lines
  std::optional<Failure> failure;
};

/// The values of a record in the holes of its site's format.
std::string formatValues(const Site &site, const int64_t *values);
/// Words that the values of a site take.
size_t valueWords(const Site &site);
/// Makes text of `words`, those behind the header; `taken` may be more than there are.
Report readRecords(const RecordTable &table, const std::string &kernel,
                   const std::vector<int64_t> &words, uint64_t taken);

} // namespace tegula::runtime

#endif // TEGULA_LIB_RUNTIME_RECORDS_H
