// PC → file:line and the calls around it from DWARF. The table is copied out of libdw, so that
// nothing of it outlives load().
#include "LoaderParts.h"
#include <algorithm>
#include <cstring>
#include <dwarf.h>
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

/// Code of a function that was inlined, and where it is called.
struct Call {
  uint64_t low, high;
  unsigned depth; ///< in the tree of functions: inner ones have more
  uint32_t file;
  int line;
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

  std::vector<SourceLine> inlinedAt(uint64_t address) const override {
    std::vector<const Call *> around;
    for (const Call &c : calls)
      if (address >= c.low && address < c.high)
        around.push_back(&c);
    std::sort(around.begin(), around.end(),
              [](const Call *a, const Call *b) { return a->depth > b->depth; });
    std::vector<SourceLine> places;
    for (const Call *c : around)
      places.push_back({files[c->file], unsigned(c->line), 0});
    return places;
  }

  std::vector<std::string> files;
  std::vector<Row> rows;
  std::vector<Call> calls;
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

Dwarf_Word numberOf(Dwarf_Die &die, unsigned attribute) {
  Dwarf_Attribute found;
  Dwarf_Word value = 0;
  bool ok = dwarf_attr(&die, attribute, &found) && dwarf_formudata(&found, &value) == 0;
  return ok ? value : 0;
}

/// What a tree of DIEs holds of inlined functions. `budget` bounds damaged files, in which
/// siblings may lead in circles.
class Calls {
public:
  Calls(DwarfLines &table, Dwarf_Die &unit, size_t budget) : table_(table), budget_(budget) {
    if (dwarf_getsrcfiles(&unit, &files_, &fileCount_) == 0)
      visit(unit, 0);
  }

private:
  void visit(Dwarf_Die &parent, unsigned depth) {
    constexpr unsigned deepest = 200;
    Dwarf_Die die;
    if (depth == deepest || dwarf_child(&parent, &die) != 0)
      return;
    do {
      if (budget_ == 0)
        return;
      --budget_;
      if (dwarf_tag(&die) == DW_TAG_inlined_subroutine)
        add(die, depth);
      visit(die, depth + 1);
    } while (dwarf_siblingof(&die, &die) == 0);
  }
  void add(Dwarf_Die &die, unsigned depth) {
    constexpr char body[] = "__clang_ocl_kern_imp_"; // clang's own call of an OpenCL kernel's body
    Dwarf_Attribute linkage;
    bool named = dwarf_attr_integrate(&die, DW_AT_linkage_name, &linkage);
    const char *callee = named ? dwarf_formstring(&linkage) : nullptr;
    if (callee && std::strncmp(callee, body, sizeof body - 1) == 0)
      return;
    Dwarf_Word file = numberOf(die, DW_AT_call_file), line = numberOf(die, DW_AT_call_line);
    const char *name = file < fileCount_ ? dwarf_filesrc(files_, file, nullptr, nullptr) : nullptr;
    if (!name || !line)
      return;
    uint32_t index = fileIndex(table_, name);
    Dwarf_Addr base = 0, low = 0, high = 0;
    for (ptrdiff_t at = 0; budget_ && (at = dwarf_ranges(&die, at, &base, &low, &high)) > 0;
         --budget_)
      table_.calls.push_back({low, high, depth, index, int(line)});
  }
  DwarfLines &table_;
  size_t budget_, fileCount_ = 0;
  Dwarf_Files *files_ = nullptr;
};

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
      if (dwarf_offdie(dwarf, offset + header, &unit)) {
        addUnit(*table, unit);
        Calls(*table, unit, size);
      }
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
