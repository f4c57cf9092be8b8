// From the words that a kernel has left to what is said of them.
#include "Records.h"

#include <algorithm>
#include <charconv>
#include <cstring>

using namespace tegula::runtime;

namespace {

constexpr size_t prefixWords = 6;             // site, words, place on three axes, failing element
constexpr int64_t mostShown = 1000;           // elements of a tile of which none is left out
constexpr int64_t edge = 3, whole = 2 * edge; // shown at each end of an axis longer than `whole`

std::string number(int64_t word, const std::string &dtype, bool isUnsigned) {
  if (dtype == "i1")
    return word ? "True" : "False";
  if (dtype[0] == 'i')
    return isUnsigned ? std::to_string(uint64_t(word)) : std::to_string(word);
  double value;
  std::memcpy(&value, &word, sizeof value);
  char text[64];
  // As few digits as tell the value from its neighbours: of narrow types those that f32 has.
  auto end = dtype == "f64" ? std::to_chars(text, text + sizeof text, value)
                            : std::to_chars(text, text + sizeof text, float(value));
  return {text, end.ptr};
}

class TileText {
public:
  TileText(const Field &field, const int64_t *values, bool isUnsigned)
      : field(field), values(values), isUnsigned(isUnsigned) {
    for (int64_t extent : field.shape)
      count *= extent;
  }

  std::string text() const {
    size_t rank = field.shape.size();
    return (rank > 1 ? "\n" : "") + part(0, 0, count);
  }

private:
  std::string part(size_t axis, int64_t first, int64_t size) const {
    if (axis == field.shape.size())
      return number(values[first], field.dtype, isUnsigned);
    int64_t extent = field.shape[axis], step = size / extent;
    bool isLast = axis + 1 == field.shape.size(), shortens = count > mostShown && extent > whole;
    std::string between = isLast ? ", " : ",\n" + std::string(axis + 1, ' '), result = "[";
    for (int64_t i = 0; i < extent; ++i) {
      if (i)
        result += between;
      if (shortens && i == edge) {
        result += "...";
        i = extent - edge - 1;
        continue;
      }
      result += part(axis + 1, first + i * step, step);
    }
    return result + "]";
  }

  const Field &field;
  const int64_t *values;
  bool isUnsigned;
  int64_t count = 1;
};

std::string placeText(const uint32_t (&workgroup)[3]) {
  return "(" + std::to_string(workgroup[0]) + ", " + std::to_string(workgroup[1]) + ", " +
         std::to_string(workgroup[2]) + ")";
}

struct Record {
  const Site *site;
  uint32_t workgroup[3];
  int64_t element;
  const int64_t *values;
};

/// The records that are whole. What a broken launch has left behind ends them.
std::vector<Record> wholeRecords(const RecordTable &table, const std::vector<int64_t> &words) {
  std::vector<Record> records;
  for (size_t at = 0; at + prefixWords <= words.size();) {
    const int64_t *w = &words[at];
    if (w[0] < 0 || size_t(w[0]) >= table.sites.size())
      break;
    const Site &site = table.sites[w[0]];
    size_t size = prefixWords + valueWords(site);
    if (w[1] != int64_t(size) || at + size > words.size())
      break;
    records.push_back(
        {&site, {uint32_t(w[2]), uint32_t(w[3]), uint32_t(w[4])}, w[5], w + prefixWords});
    at += size;
  }
  // In the order of the workgroups, whichever came first; of one workgroup in program order.
  std::stable_sort(records.begin(), records.end(), [](const Record &a, const Record &b) {
    return std::lexicographical_compare(std::rbegin(a.workgroup), std::rend(a.workgroup),
                                        std::rbegin(b.workgroup), std::rend(b.workgroup));
  });
  return records;
}

std::vector<int64_t> coordinates(int64_t element, const std::vector<int64_t> &shape) {
  std::vector<int64_t> result(shape.size());
  for (size_t d = shape.size(); d-- > 0; element /= shape[d])
    result[d] = element % shape[d];
  return result;
}

void addPrinted(std::string &text, const Record &record) {
  const Site &site = *record.site;
  if (!site.places.empty())
    text += site.places[0].file + ":" + std::to_string(site.places[0].line) + " ";
  text += placeText(record.workgroup) + ": " + formatValues(site, record.values) + "\n";
}

Failure failureOf(const Record &record, const std::string &kernel) {
  Failure failure;
  failure.kernel = kernel;
  failure.message = formatValues(*record.site, record.values);
  failure.isBounds = record.site->kind == Site::Kind::Bounds;
  std::copy(std::begin(record.workgroup), std::end(record.workgroup), failure.workgroup);
  failure.element = coordinates(record.element, record.site->shape);
  failure.places = record.site->places;
  return failure;
}

} // namespace

size_t Field::words() const {
  size_t count = 1;
  for (int64_t extent : shape)
    count *= size_t(extent);
  return count;
}

size_t tegula::runtime::valueWords(const Site &site) {
  size_t count = 0;
  for (const Field &field : site.fields)
    count += field.words();
  return count;
}

std::string tegula::runtime::formatValues(const Site &site, const int64_t *values) {
  size_t tiles = 0, scalars = 0, next = 0;
  for (const Field &field : site.fields)
    tiles += field.shape.empty();
  std::string text;
  const std::string &format = site.format;
  for (size_t i = 0; i < format.size(); ++i) {
    bool isDouble = i + 1 < format.size() && format[i] == format[i + 1];
    if ((format[i] != '{' && format[i] != '}') || isDouble) {
      text += format[i];
      i += isDouble && (format[i] == '{' || format[i] == '}');
      continue;
    }
    size_t close = format.find('}', i);
    if (close == std::string::npos || next == site.fields.size())
      break;
    const Field &field = site.fields[next++];
    size_t &at = field.shape.empty() ? scalars : tiles;
    text += TileText(field, values + at, close == i + 2).text();
    at += field.words();
    i = close;
  }
  return text;
}

Report tegula::runtime::readRecords(const RecordTable &table, const std::string &kernel,
                                    const std::vector<int64_t> &words, uint64_t taken) {
  Report report;
  size_t read = 0;
  std::vector<Record> records = wholeRecords(table, words);
  for (const Record &record : records) {
    read += prefixWords + valueWords(*record.site);
    if (record.site->kind == Site::Kind::Print) {
      addPrinted(report.printed, record);
      continue;
    }
    if (!report.failure)
      report.failure = failureOf(record, kernel);
    // A workgroup ends where its first assertion fails.
    report.failure->workgroups += 1;
  }
  if (taken > read)
    report.printed += kernel + ": records of " + std::to_string(taken - read) +
                      " words are lost; there is room for " + std::to_string(table.words) + "\n";
  return report;
}

std::string Failure::text() const {
  std::string result;
  if (!places.empty())
    result = places[0].file + ":" + std::to_string(places[0].line) + ":" +
             std::to_string(places[0].column) + ": ";
  result += (isBounds ? "out of bounds: " : "assertion failed: ") + message;
  result += " (kernel '" + kernel + "', workgroup " + placeText(workgroup);
  for (size_t d = 0; d < element.size(); ++d)
    result += (d ? ", " : ", element [") + std::to_string(element[d]);
  result += element.empty() ? "" : "]";
  if (workgroups > 1)
    result += "; " + std::to_string(workgroups) + " workgroups failed";
  return result + ")";
}
