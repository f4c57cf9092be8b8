// Layouts as text.
#include "tegula/Layout/LinearLayout.h"

#include <algorithm>
#include <cctype>

using namespace tegula;

namespace {

template <typename List, typename Fn> std::string printList(const List &list, Fn element) {
  std::string text = "[";
  for (size_t i = 0; i < list.size(); ++i)
    text += (i ? ", " : "") + element(list[i]);
  return text + "]";
}

template <typename T> std::string printNumbers(const std::vector<T> &list) {
  return printList(list, [](T v) { return std::to_string(v); });
}

std::string printBases(const Bases &bases) { return printList(bases, printNumbers<int32_t>); }

bool allOnes(const Extents &extents) {
  return std::all_of(extents.begin(), extents.end(), [](int64_t e) { return e == 1; });
}

/// A recursive-descent reader; every method returns false and sets `error` at the first thing it
/// can't read.
class Parser {
public:
  explicit Parser(std::string_view text) : rest(text) {}
  std::string error;

  bool layout(Layout &l) {
    Extents repeat;
    if (!field("reg") || !bases(l.reg) || !comma() || !field("lane") || !bases(l.lane) ||
        !comma() || !field("wave") || !bases(l.wave))
      return false;
    while (accept(',')) {
      bool isWave = peekWord() == "wave_repeat";
      if (!field(isWave ? "wave_repeat" : "repeat") ||
          !(isWave ? waveRepeats(l.waveRepeats) : numbers(repeat)))
        return false;
    }
    skipSpace();
    if (!rest.empty())
      return fail("unexpected text after the layout");
    return finish(l, std::move(repeat));
  }

private:
  bool fail(std::string message) {
    if (error.empty())
      error = std::move(message);
    return false;
  }
  void skipSpace() {
    while (!rest.empty() && std::isspace(static_cast<unsigned char>(rest.front())))
      rest.remove_prefix(1);
  }
  bool accept(char c) {
    skipSpace();
    if (rest.empty() || rest.front() != c)
      return false;
    rest.remove_prefix(1);
    return true;
  }
  bool expect(char c) { return accept(c) || fail(std::string("expected '") + c + "'"); }
  bool comma() { return expect(','); }
  std::string_view peekWord() {
    skipSpace();
    size_t n = 0;
    while (n < rest.size() && (std::isalpha(static_cast<unsigned char>(rest[n])) || rest[n] == '_'))
      ++n;
    return rest.substr(0, n);
  }
  bool field(std::string_view name) {
    if (peekWord() != name)
      return fail("expected '" + std::string(name) + "'");
    rest.remove_prefix(name.size());
    return expect('=');
  }
  bool number(int64_t &value) {
    skipSpace();
    size_t n = 0;
    value = 0;
    while (n < rest.size() && std::isdigit(static_cast<unsigned char>(rest[n])) &&
           value < (int64_t(1) << 31))
      value = value * 10 + (rest[n++] - '0');
    rest.remove_prefix(n);
    return (n > 0 && value < (int64_t(1) << 31)) || fail("expected a number from 0 to 2^31 - 1");
  }
  template <typename Fn> bool list(Fn element) {
    if (!expect('['))
      return false;
    if (accept(']'))
      return true;
    do {
      if (!element())
        return false;
    } while (accept(','));
    return expect(']');
  }
  template <typename T> bool numbers(std::vector<T> &out) {
    return list([&] {
      int64_t value;
      if (!number(value))
        return false;
      out.push_back(static_cast<T>(value));
      return true;
    });
  }
  bool bases(Bases &out) {
    return list([&] { return numbers(out.emplace_back()); });
  }
  bool waveRepeats(WaveRepeats &out) {
    return list([&] {
      int64_t dim, count;
      if (!expect('['))
        return false;
      bool isCopies = accept('-');
      if (!number(dim) || !comma() || !number(count) || !expect(']'))
        return false;
      out.push_back({static_cast<int>(isCopies ? -dim : dim), count});
      return true;
    });
  }

  /// The rank comes from any vector, or from a repeat; one dimension when there is neither.
  bool finish(Layout &l, Extents repeat) {
    size_t rank = std::max<size_t>(1, repeat.size());
    for (const Bases *bases : {&l.reg, &l.lane, &l.wave})
      if (!bases->empty())
        rank = bases->front().size();
    for (const Bases *bases : {&l.reg, &l.lane, &l.wave})
      for (const Basis &v : *bases)
        if (v.size() != rank)
          return fail("basis vectors have different numbers of components");
    repeat.resize(repeat.empty() ? rank : repeat.size(), 1);
    if (repeat.size() != rank)
      return fail("repeat has one number per dimension");
    l.repeat = std::move(repeat);
    return true;
  }

  std::string_view rest;
};

} // namespace

std::string tegula::print(const Layout &l) {
  std::string text = "reg = " + printBases(l.reg) + ", lane = " + printBases(l.lane) +
                     ", wave = " + printBases(l.wave);
  if (!allOnes(l.repeat))
    text += ", repeat = " + printNumbers(l.repeat);
  if (!l.waveRepeats.empty())
    text += ", wave_repeat = " + printList(l.waveRepeats, [](const WaveRepeat &digit) {
              return "[" + std::to_string(digit.dim) + ", " + std::to_string(digit.count) + "]";
            });
  return text;
}

std::optional<Layout> tegula::parse(std::string_view text, std::string *error) {
  Parser parser(text);
  Layout l;
  if (parser.layout(l))
    return l;
  if (error)
    *error = parser.error;
  return std::nullopt;
}
