#include "DebugShell.h"
#include "Commands.h"
#include <algorithm>
#include <cinttypes>
#include <cstring>
#include <map>
#include <sstream>

namespace {
std::vector<std::string> split(const std::string &text) {
  std::istringstream in(text);
  std::vector<std::string> words;
  for (std::string word; in >> word;)
    words.push_back(word);
  return words;
}

/// Elements that memory is shown as.
struct Element {
  const char *name;
  unsigned bytes;
  char kind; ///< x, u, i, f
};
constexpr Element kElements[] = {
    {"x32", 4, 'x'}, {"x64", 8, 'x'},  {"u8", 1, 'u'},  {"u16", 2, 'u'}, {"u32", 4, 'u'},
    {"u64", 8, 'u'}, {"i8", 1, 'i'},   {"i16", 2, 'i'}, {"i32", 4, 'i'}, {"i64", 8, 'i'},
    {"f16", 2, 'f'}, {"bf16", 2, 'b'}, {"f32", 4, 'f'}, {"f64", 8, 'f'}};

std::string shown(const std::byte *p, const Element &e) {
  uint64_t bits = 0;
  std::memcpy(&bits, p, e.bytes);
  char text[40];
  if (e.kind == 'x') {
    std::snprintf(text, sizeof text, "0x%0*" PRIx64, int(2 * e.bytes), bits);
  } else if (e.kind == 'u') {
    std::snprintf(text, sizeof text, "%" PRIu64, bits);
  } else if (e.kind == 'i') {
    unsigned shift = 64 - 8 * e.bytes;
    std::snprintf(text, sizeof text, "%" PRId64, int64_t(bits << shift) >> shift);
  } else {
    double value = 0;
    if (e.kind == 'b') {
      uint32_t wide = uint32_t(bits) << 16;
      float f;
      std::memcpy(&f, &wide, 4);
      value = f;
    } else if (e.bytes == 2) {
      _Float16 h;
      std::memcpy(&h, &bits, 2);
      value = double(h);
    } else if (e.bytes == 4) {
      float f;
      std::memcpy(&f, &bits, 4);
      value = f;
    } else {
      std::memcpy(&value, &bits, 8);
    }
    std::snprintf(text, sizeof text, "%.*g", e.bytes == 8 ? 17 : e.bytes == 4 ? 9 : 5, value);
  }
  return text;
}
} // namespace

DebugShell::~DebugShell() {
  tgs_debug_close(debugger_);
  closeTrace();
}

bool DebugShell::closeTrace() {
  if (!trace_ || trace_ == stdout)
    return true;
  bool ok = !std::ferror(trace_);
  ok = std::fclose(trace_) == 0 && ok;
  trace_ = nullptr;
  return ok || bad(traceName_ + ": cannot be written: " + std::strerror(errno));
}

bool DebugShell::bad(const std::string &why) {
  fail(why);
  return false;
}
bool DebugShell::check(tgs_status status) {
  return status == TGS_OK || bad(tgs_last_error(s_.device));
}

bool DebugShell::start() {
  if (tgs_debug_start(p_.kernel, &p_.grid, &p_.block, p_.lds, p_.segment.data(), p_.segment.size(),
                      &debugger_, &event_) != TGS_OK)
    return false;
  tell();
  return true;
}

int DebugShell::finish() {
  bool ended = event_.reason == TGS_EVENT_ENDED;
  tgs_debug_close(debugger_); // the trace goes on until then
  debugger_ = nullptr;
  bool traced = closeTrace();
  if (!ended)
    return traced ? 0 : 1;
  int errors = printFindings(s_, false);
  std::string error;
  bool whole = event_.status == TGS_OK || event_.status == TGS_ERROR_FINDINGS;
  bool written = !whole || p_.writeOutputs(error);
  if (!written)
    fail(error);
  if (errors)
    return 3;
  if (!written || !traced)
    return 1;
  return event_.status == TGS_OK ? 0 : fail(tgs_last_error(s_.device));
}

void DebugShell::tell() {
  static const char *const names[] = {"started", "breakpoint", "watchpoint",  "stepped",
                                      "report",  "wave ended", "launch ended"};
  std::printf("%s", names[event_.reason]);
  if (event_.reason == TGS_EVENT_ENDED) {
    std::printf(": %s\n", event_.status == TGS_OK               ? "clean"
                          : event_.status == TGS_ERROR_FINDINGS ? "with errors reported"
                                                                : "stopped");
    return;
  }
  if (event_.breakpoint)
    std::printf(" %u", event_.breakpoint);
  if (event_.reason == TGS_EVENT_WATCH)
    std::printf(" at %#" PRIx64 " by lane %u", event_.address, event_.lane);
  std::printf(": ");
  where({});
  if (event_.reason == TGS_EVENT_FINDING)
    std::printf("%s\n", event_.finding);
}

bool DebugShell::where(const Words &) {
  if (event_.reason == TGS_EVENT_ENDED)
    return bad("the launch has ended");
  bool any = false;
  struct Context {
    bool *any;
  } context{&any};
  tgs_debug_waves(
      debugger_,
      [](const tgs_wave *w, void *user) {
        if (!w->selected)
          return;
        *static_cast<Context *>(user)->any = true;
        std::printf("workgroup %" PRIu64 " wave %u at %#" PRIx64 ": %s", w->workgroup, w->wave,
                    w->pc, w->instruction);
        if (w->line)
          std::printf("  (%s:%u)", w->file, w->line);
        std::printf("\n");
      },
      &context);
  return any || bad("no wave is selected");
}

bool DebugShell::execute(const std::string &command) {
  using Body = bool (DebugShell::*)(const Words &);
  static const std::map<std::string, Body> commands = {
      {"watch", &DebugShell::watch},   {"info", &DebugShell::info},
      {"delete", &DebugShell::remove}, {"run", &DebugShell::run},
      {"c", &DebugShell::run},         {"continue", &DebugShell::run},
      {"until", &DebugShell::until},   {"step", &DebugShell::step},
      {"s", &DebugShell::step},        {"waves", &DebugShell::waves},
      {"wave", &DebugShell::wave},     {"where", &DebugShell::where},
      {"list", &DebugShell::list},     {"print", &DebugShell::print},
      {"p", &DebugShell::print},       {"registers", &DebugShell::registers},
      {"lds", &DebugShell::lds},       {"scratch", &DebugShell::scratch},
      {"memory", &DebugShell::memory}, {"trace", &DebugShell::trace},
      {"heat", &DebugShell::heat},     {"heatmap", &DebugShell::heatmap},
  };
  Words words = split(command.substr(0, command.find("//")));
  if (words.empty())
    return true;
  const std::string &name = words[0];
  if (name == "quit" || name == "q") {
    quit_ = true;
    return true;
  }
  if (name == "catch" || name == "nocatch")
    return check(tgs_debug_stop_at_findings(debugger_, name == "catch"));
  if (name == "break" || name == "b")
    return breakAt(words, false);
  auto it = commands.find(name);
  return it == commands.end() ? bad("there is no command " + name + " (tegula-sim debug --help)")
                              : (this->*it->second)(words);
}

bool DebugShell::number(const Words &words, size_t at, uint64_t &value, const char *what) {
  if (at >= words.size())
    return bad(words[0] + " needs " + what);
  return parseSize(words[at], value) || bad("'" + words[at] + "' is not " + what);
}

bool DebugShell::number(const Words &words, size_t at, uint32_t &value, const char *what) {
  uint64_t wide = 0;
  if (!number(words, at, wide, what))
    return false;
  value = uint32_t(wide);
  return value == wide || bad("'" + words[at] + "' is not " + what);
}

/// 0x7f…, or #2+64: the memory of the second argument.
bool DebugShell::address(const std::string &word, uint64_t &value) {
  if (word[0] != '#')
    return parseSize(word, value) || bad("'" + word + "' is not an address");
  size_t plus = word.find('+');
  uint64_t index = 0, offset = 0;
  if (!parseNumber(word.substr(1, plus == std::string::npos ? plus : plus - 1), index) ||
      (plus != std::string::npos && !parseSize(word.substr(plus + 1), offset)) || index == 0 ||
      index > p_.arguments.size() || !p_.arguments[index - 1].isMemory)
    return bad("'" + word + "' is not the memory of an argument");
  std::memcpy(&value, p_.arguments[index - 1].value.data(), sizeof value);
  value += offset;
  return true;
}

bool DebugShell::filters(const Words &words, size_t at, tgs_breakpoint &b) {
  b.workgroup = TGS_ANY_WORKGROUP;
  b.wave = TGS_ANY_WAVE;
  for (; at < words.size(); at += 2) {
    if (words[at] != "wg" && words[at] != "wave")
      return bad("'" + words[at] + "' is neither wg nor wave");
    if (!(words[at] == "wg" ? number(words, at + 1, b.workgroup, "a number")
                            : number(words, at + 1, b.wave, "a number")))
      return false;
  }
  return true;
}

bool DebugShell::breakAt(const Words &words, bool once) {
  if (words.size() < 2)
    return bad(words[0] + " needs a place");
  tgs_breakpoint b{};
  const std::string &place = words[1];
  size_t colon = place.rfind(':');
  uint64_t line = 0;
  std::string file = colon == std::string::npos ? "" : place.substr(0, colon);
  if (place.compare(0, 2, "0x") == 0) {
    if (!parseNumber(place, b.pc))
      return bad("'" + place + "' is not a place");
  } else {
    b.kind = TGS_BREAK_LINE;
    if (!parseNumber(colon == std::string::npos ? place : place.substr(colon + 1), line) ||
        line > UINT32_MAX)
      return bad("'" + place + "' is not a place");
    b.line = uint32_t(line);
    b.file = file.c_str();
  }
  b.once = once;
  uint32_t id = 0;
  if (!filters(words, 2, b) || !check(tgs_debug_break(debugger_, &b, &id)))
    return false;
  if (once)
    return true;
  breakpoints_.emplace_back(id, place);
  std::printf("breakpoint %u at %s\n", id, place.c_str());
  return true;
}

bool DebugShell::watch(const Words &words) {
  tgs_breakpoint b{};
  size_t at = 1;
  b.kind = at < words.size() && words[at] == "lds" ? TGS_WATCH_LDS : TGS_WATCH_MEMORY;
  at += b.kind == TGS_WATCH_LDS;
  if (at >= words.size())
    return bad("watch needs an address");
  std::string what = words[at];
  if (!(b.kind == TGS_WATCH_LDS ? number(words, at, b.address, "an offset")
                                : address(words[at], b.address)))
    return false;
  b.bytes = 4;
  b.access = TGS_WRITE;
  for (++at; at < words.size() && words[at] != "wg" && words[at] != "wave"; ++at) {
    if (words[at].find_first_not_of("rw") == std::string::npos)
      b.access = (words[at].find('r') != std::string::npos ? unsigned(TGS_READ) : 0u) |
                 (words[at].find('w') != std::string::npos ? unsigned(TGS_WRITE) : 0u);
    else if (!number(words, at, b.bytes, "a number of bytes"))
      return false;
  }
  uint32_t id = 0;
  if (!filters(words, at, b) || !check(tgs_debug_break(debugger_, &b, &id)))
    return false;
  breakpoints_.emplace_back(id, (b.kind == TGS_WATCH_LDS ? "lds " : "") + what);
  std::printf("watchpoint %u at %s\n", id, breakpoints_.back().second.c_str());
  return true;
}

bool DebugShell::info(const Words &) {
  for (const auto &[id, place] : breakpoints_)
    std::printf("%u: %s\n", id, place.c_str());
  return true;
}
bool DebugShell::remove(const Words &words) {
  uint32_t id = 0;
  if (!number(words, 1, id, "a number") || !check(tgs_debug_delete(debugger_, id)))
    return false;
  breakpoints_.erase(std::remove_if(breakpoints_.begin(), breakpoints_.end(),
                                    [&](const auto &b) { return b.first == id; }),
                     breakpoints_.end());
  return true;
}

bool DebugShell::run(const Words &) {
  if (event_.reason == TGS_EVENT_ENDED)
    return bad("the launch has ended");
  hasRun_ = true;
  if (!check(tgs_debug_run(debugger_, &event_)))
    return false;
  tell();
  return true;
}
bool DebugShell::until(const Words &words) { return breakAt(words, true) && run(words); }
bool DebugShell::step(const Words &words) {
  uint64_t count = 1;
  if (event_.reason == TGS_EVENT_ENDED)
    return bad("the launch has ended");
  if (words.size() > 1 && (!number(words, 1, count, "a number") || count == 0))
    return count != 0 || bad("step needs a number from 1 on");
  hasRun_ = true;
  if (!check(tgs_debug_step(debugger_, count, &event_)))
    return false;
  tell();
  return true;
}

bool DebugShell::waves(const Words &) {
  return check(tgs_debug_waves(
      debugger_,
      [](const tgs_wave *w, void *) {
        std::printf("%c workgroup %" PRIu64 " wave %u %-18s %#" PRIx64 ": %s\n",
                    w->selected ? '*' : ' ', w->workgroup, w->wave, w->state, w->pc,
                    w->instruction);
      },
      nullptr));
}
bool DebugShell::wave(const Words &words) {
  uint64_t workgroup = 0;
  uint32_t n = 0;
  return number(words, 1, workgroup, "a workgroup") && number(words, 2, n, "a wave") &&
         check(tgs_debug_select(debugger_, workgroup, n)) && where(words);
}

bool DebugShell::list(const Words &words) {
  uint64_t count = 5;
  if (words.size() > 1 && !number(words, 1, count, "a number"))
    return false;
  uint64_t pc = ~uint64_t(0);
  tgs_debug_waves(
      debugger_,
      [](const tgs_wave *w, void *user) {
        if (w->selected)
          *static_cast<uint64_t *>(user) = w->pc;
      },
      &pc);
  std::string text;
  tgs_disassemble(
      s_.module,
      [](const char *t, size_t n, void *user) { static_cast<std::string *>(user)->append(t, n); },
      &text);
  std::vector<std::string> lines;
  size_t here = SIZE_MAX;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line); lines.push_back(line)) {
    char *end = nullptr;
    uint64_t at = std::strtoull(line.c_str(), &end, 16);
    if (end != line.c_str() && *end == ':' && at == pc)
      here = lines.size();
  }
  if (here == SIZE_MAX)
    return bad("no wave is selected");
  size_t first = here > count / 2 ? here - count / 2 : 0;
  for (size_t i = first; i < lines.size() && i < first + count; ++i)
    std::printf("%s %s\n", i == here ? "=>" : "  ", lines[i].c_str());
  return true;
}

bool DebugShell::printRegister(const std::string &name) {
  uint32_t values[64];
  size_t count = 64;
  if (!check(tgs_debug_register(debugger_, name.c_str(), values, &count)))
    return false;
  if (count == 64) {
    std::printf("%s =\n", name.c_str());
    for (unsigned lane = 0; lane < 64; lane += 8) {
      std::printf("  %2u:", lane);
      for (unsigned i = 0; i < 8; ++i)
        std::printf(" %08x", values[lane + i]);
      std::printf("\n");
    }
  } else if (count == 2) {
    std::printf("%s = 0x%08x%08x\n", name.c_str(), values[1], values[0]);
  } else {
    std::printf("%s = 0x%08x\n", name.c_str(), values[0]);
  }
  return true;
}

bool DebugShell::print(const Words &words) {
  if (words.size() < 2)
    return bad("print needs a register");
  for (size_t i = 1; i < words.size(); ++i) {
    size_t colon = words[i].find(':'), digits = words[i].find_first_of("0123456789");
    uint64_t first = 0, last = 0;
    if (colon == std::string::npos) {
      if (!printRegister(words[i]))
        return false;
      continue;
    }
    if (digits >= colon || !parseNumber(words[i].substr(digits, colon - digits), first) ||
        !parseNumber(words[i].substr(colon + 1), last) || last < first || last > 511)
      return bad("'" + words[i] + "' is not a range of registers");
    for (uint64_t n = first; n <= last; ++n)
      if (!printRegister(words[i].substr(0, digits) + std::to_string(n)))
        return false;
  }
  return true;
}

bool DebugShell::registers(const Words &) {
  for (const char *name : {"exec", "vcc", "scc", "m0", "mode"})
    if (!printRegister(name))
      return false;
  uint32_t exec[2], values[64];
  size_t count = 2;
  tgs_debug_register(debugger_, "exec", exec, &count);
  uint64_t mask = exec[0] | uint64_t(exec[1]) << 32;
  unsigned lane = mask ? unsigned(__builtin_ctzll(mask)) : 0;
  for (const char *file : {"s", "v", "a"}) {
    unsigned column = 0;
    for (unsigned n = 0; n < 512; ++n) {
      std::string name = file + std::to_string(n);
      count = 64;
      if (tgs_debug_register(debugger_, name.c_str(), values, &count) != TGS_OK)
        break;
      uint32_t value = values[count == 64 ? lane : 0];
      if (value)
        std::printf("%5s %08x%s", name.c_str(), value, ++column % 6 ? "" : "\n");
    }
    if (column % 6)
      std::printf("\n");
  }
  return true;
}

template <class Read>
bool DebugShell::dump(const Words &words, size_t at, uint64_t base, Read read) {
  uint64_t count = 8;
  const Element *element = &kElements[0];
  if (at < words.size() && !number(words, at, count, "a number"))
    return false;
  if (++at < words.size()) {
    element = nullptr;
    for (const Element &e : kElements)
      if (words[at] == e.name)
        element = &e;
    if (!element)
      return bad("'" + words[at] + "' is no type");
  }
  if (count > 1 << 20)
    return bad("that is too much to print");
  Bytes bytes(size_t(count) * element->bytes);
  if (!check(read(bytes.size(), bytes.data())))
    return false;
  unsigned row = element->bytes == 8 ? 4 : 8;
  for (size_t i = 0; i < count; ++i)
    std::printf("%s%s%s", i % row ? " " : (i ? "\n" : ""),
                i % row ? "" : [&] {
                  static char label[24];
                  std::snprintf(label, sizeof label, "%#" PRIx64 ": ",
                                base + i * element->bytes);
                  return static_cast<const char *>(label);
                }(),
                shown(bytes.data() + i * element->bytes, *element).c_str());
  std::printf("\n");
  return true;
}

bool DebugShell::lds(const Words &words) {
  uint64_t offset = 0;
  return number(words, 1, offset, "an offset") &&
         dump(words, 2, offset, [&](size_t bytes, void *out) {
           return tgs_debug_lds(debugger_, offset, bytes, out);
         });
}
bool DebugShell::scratch(const Words &words) {
  uint64_t lane = 0, offset = 0;
  if (!number(words, 1, lane, "a lane") || !number(words, 2, offset, "an offset"))
    return false;
  if (lane > 63)
    return bad("a wave has lanes 0 to 63");
  return dump(words, 3, offset, [&](size_t bytes, void *out) {
    return tgs_debug_scratch(debugger_, uint32_t(lane), offset, bytes, out);
  });
}
bool DebugShell::memory(const Words &words) {
  uint64_t where = 0;
  if (words.size() < 2)
    return bad("memory needs an address");
  return address(words[1], where) && dump(words, 2, where, [&](size_t bytes, void *out) {
           return tgs_debug_memory(debugger_, where, bytes, out);
         });
}

bool DebugShell::trace(const Words &words) {
  if (words.size() < 2)
    return bad("trace needs a file, or -");
  size_t at = 2;
  bool json = at < words.size() && words[at] == "json";
  at += json;
  uint64_t workgroup = TGS_ANY_WORKGROUP;
  uint32_t wave = TGS_ANY_WAVE;
  if (at < words.size() && !number(words, at++, workgroup, "a workgroup"))
    return false;
  if (at < words.size() && !number(words, at, wave, "a wave"))
    return false;
  std::FILE *file = words[1] == "-" ? stdout : std::fopen(words[1].c_str(), "w");
  if (!file)
    return bad(words[1] + ": " + std::strerror(errno));
  if (!closeTrace()) {
    if (file != stdout)
      std::fclose(file);
    return false;
  }
  trace_ = file;
  traceName_ = words[1];
  return check(tgs_debug_trace(
      debugger_, workgroup, wave, json,
      [](const char *text, size_t n, void *user) {
        std::fwrite(text, 1, n, static_cast<std::FILE *>(user));
      },
      file));
}

bool DebugShell::heat(const Words &words) {
  uint64_t bytes = 0;
  if (!number(words, 1, bytes, "bytes of a bucket"))
    return false;
  return bytes ? check(tgs_debug_heat(debugger_, bytes)) : bad("a bucket has at least one byte");
}

bool DebugShell::heatmap(const Words &words) {
  std::vector<tgs_heat> rows;
  if (!check(tgs_debug_heatmap(
          debugger_,
          [](const tgs_heat *h, void *user) {
            static_cast<std::vector<tgs_heat> *>(user)->push_back(*h);
          },
          &rows)))
    return false;
  if (words.size() > 1 && words[1] == "json") {
    const char *between = "[";
    for (const tgs_heat &h : rows) {
      std::printf("%s{\"space\": \"%s\", \"base\": \"%#" PRIx64 "\", \"offset\": %" PRIu64
                  ", \"reads\": %" PRIu64 ", \"writes\": %" PRIu64 "}",
                  between, h.lds ? "lds" : "memory", h.base, h.offset, h.reads, h.writes);
      between = ",\n ";
    }
    std::printf("%s]\n", rows.empty() ? "[" : "");
    return true;
  }
  uint64_t most = 1;
  for (const tgs_heat &h : rows)
    most = std::max(most, h.reads + h.writes);
  for (const tgs_heat &h : rows) {
    size_t bar = size_t((h.reads + h.writes) * 40 / most);
    if (h.lds)
      std::printf("lds");
    else
      std::printf("%#" PRIx64, h.base);
    std::printf(" +%-8" PRIu64 " reads %-10" PRIu64 " writes %-10" PRIu64 " %s\n", h.offset,
                h.reads, h.writes, std::string(std::max<size_t>(bar, 1), '#').c_str());
  }
  return true;
}
