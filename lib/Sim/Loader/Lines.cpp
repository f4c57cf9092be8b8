// PC → file:line from DWARF. The table is copied out of libdw, so that nothing of it outlives
// load().
#include "LoaderParts.h"
#include <algorithm>
#include <elfutils/libdw.h>
#include <libelf.h>
#include <tuple>

namespace tegula::sim::loading {

namespace {

struct Row {
  uint64_t address;
  uint32_t file;
  int line, column;
  bool end;       ///< no code from here on
  uint32_t order; ///< position in the line program
};

class DwarfLines : public LineTable {
public:
  bool lookup(uint64_t address, SourceLine &out) const override {
    auto after = std::upper_bound(rows.begin(), rows.end(), address,
                                  [](uint64_t a, const Row &row) { return a < row.address; });
    if (after == rows.begin() || (after - 1)->end)
      return false;
    const Row &row = *(after - 1);
    out = {files[row.file], unsigned(row.line), unsigned(row.column)};
    return true;
  }

  std::vector<std::string> files;
  std::vector<Row> rows;
};

uint32_t fileIndex(DwarfLines &table, const char *name) {
  if (table.files.empty() || table.files.back() != name) {
    auto known = std::find(table.files.begin(), table.files.end(), name);
    if (known != table.files.end())
      return uint32_t(known - table.files.begin());
    table.files.push_back(name);
  }
  return uint32_t(table.files.size() - 1);
}

void addUnit(DwarfLines &table, Dwarf_Die &unit) {
  Dwarf_Lines *lines = nullptr;
  size_t count = 0;
  if (dwarf_getsrclines(&unit, &lines, &count) != 0)
    return;
  for (size_t i = 0; i < count; ++i) {
    Dwarf_Line *line = dwarf_onesrcline(lines, i);
    Dwarf_Addr address = 0;
    bool end = false;
    Row row{0, 0, 0, 0, false, uint32_t(table.rows.size())};
    const char *file = dwarf_linesrc(line, nullptr, nullptr);
    if (!file || dwarf_lineaddr(line, &address) != 0)
      continue;
    dwarf_lineno(line, &row.line);
    dwarf_linecol(line, &row.column);
    dwarf_lineendsequence(line, &end);
    row.address = address;
    row.end = end;
    row.file = fileIndex(table, file);
    table.rows.push_back(row);
  }
}

} // namespace

std::shared_ptr<const LineTable> readLines(const void *file, size_t size) {
  elf_version(EV_CURRENT);
  // libelf may patch what it is given; it gets a copy.
  std::vector<char> copy(static_cast<const char *>(file), static_cast<const char *>(file) + size);
  Elf *elf = elf_memory(copy.data(), copy.size());
  if (!elf)
    return nullptr;
  auto table = std::make_shared<DwarfLines>();
  if (Dwarf *dwarf = dwarf_begin_elf(elf, DWARF_C_READ, nullptr)) {
    Dwarf_Off offset = 0, next = 0;
    size_t header = 0;
    while (dwarf_nextcu(dwarf, offset, &next, &header, nullptr, nullptr, nullptr) == 0) {
      Dwarf_Die unit;
      if (dwarf_offdie(dwarf, offset + header, &unit))
        addUnit(*table, unit);
      offset = next;
    }
    dwarf_end(dwarf);
  }
  elf_end(elf);
  if (table->rows.empty())
    return nullptr;
  // An end marker sorts before a row that starts at the same address.
  std::sort(table->rows.begin(), table->rows.end(), [](const Row &a, const Row &b) {
    return std::make_tuple(a.address, !a.end, a.order) <
           std::make_tuple(b.address, !b.end, b.order);
  });
  return table;
}

} // namespace tegula::sim::loading
