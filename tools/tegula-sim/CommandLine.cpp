#include "CommandLine.h"
#include <cerrno>
#include <cstdio>
#include <cstdlib>

bool parseNumber(const std::string &text, uint64_t &value) {
  char *end = nullptr;
  errno = 0;
  value = std::strtoull(text.c_str(), &end, 0);
  return !text.empty() && text[0] >= '0' && text[0] <= '9' && !*end && errno == 0;
}

bool parseSize(const std::string &text, uint64_t &value) {
  unsigned shift = 0;
  std::string digits = text;
  if (!text.empty())
    switch (text.back()) {
    case 'K':
      shift = 10;
      break;
    case 'M':
      shift = 20;
      break;
    case 'G':
      shift = 30;
      break;
    }
  if (shift)
    digits.pop_back();
  if (!parseNumber(digits, value) || value << shift >> shift != value)
    return false;
  value <<= shift;
  return true;
}

void CommandLine::flag(const std::string &name, const std::string &help, bool &value) {
  rows_.push_back(
      {name, "", help, false, "", [&value](const std::string &) { return value = true; }});
}
void CommandLine::text(const std::string &name, const std::string &value, const std::string &help,
                       std::string &to) {
  option(name, value, help, [&to](const std::string &v) {
    to = v;
    return true;
  });
}
void CommandLine::number(const std::string &name, const std::string &value, const std::string &help,
                         uint64_t &to, uint64_t most) {
  option(name, value, help,
         [&to, most](const std::string &v) { return parseSize(v, to) && to <= most; });
  if (most != UINT64_MAX)
    rows_.back().limit = " of at most " + std::to_string(most);
}
void CommandLine::option(const std::string &name, const std::string &value, const std::string &help,
                         std::function<bool(const std::string &)> set) {
  rows_.push_back({name, value, help, false, "", std::move(set)});
}
void CommandLine::list(const std::string &name, const std::string &value, const std::string &help,
                       std::vector<std::string> &to) {
  option(name, value, help, [&to](const std::string &v) {
    to.push_back(v);
    return true;
  });
}
void CommandLine::rest(const std::string &name, const std::string &value, const std::string &help,
                       std::vector<std::string> &to) {
  rows_.push_back({name, value, help, true, "", [&to](const std::string &v) {
                     to.push_back(v);
                     return true;
                   }});
}
void CommandLine::positional(const std::string &name, std::string &to) {
  positionals_.push_back({name, &to});
}

const CommandLine::Row *CommandLine::find(const std::string &name) const {
  for (const Row &row : rows_)
    if (row.name == name)
      return &row;
  return nullptr;
}

CommandLine::Result CommandLine::parse(const std::vector<std::string> &arguments) {
  auto bad = [&](const std::string &why) {
    std::fprintf(stderr, "tegula-sim: %s (tegula-sim %s --help)\n", why.c_str(),
                 usage_.substr(0, usage_.find(' ')).c_str());
    return Result::Bad;
  };
  size_t place = 0;
  for (size_t i = 0; i < arguments.size(); ++i) {
    const std::string &word = arguments[i];
    if (word == "--help" || word == "-h") {
      std::fputs(help().c_str(), stdout);
      return Result::Help;
    }
    const Row *row = find(word);
    if (!row && (word.size() < 2 || word[0] != '-')) {
      if (place == positionals_.size())
        return bad("'" + word + "' is one argument too many");
      *positionals_[place++].to = word;
      continue;
    }
    if (!row)
      return bad("there is no option " + word);
    if (row->takesRest) {
      for (++i; i < arguments.size(); ++i) {
        if (find(arguments[i]))
          return bad(arguments[i] + " must stand before " + word);
        row->set(arguments[i]);
      }
      break;
    }
    std::string value;
    if (!row->value.empty()) {
      if (++i == arguments.size())
        return bad(word + " needs " + row->value);
      value = arguments[i];
    }
    if (!row->set(value))
      return bad(word + " needs " + row->value + row->limit + ", not '" + value + "'");
  }
  if (place < positionals_.size())
    return bad("missing " + positionals_[place].name);
  return Result::Ok;
}

namespace {
/// Columns of UTF-8 text.
size_t widthOf(const std::string &text) {
  size_t n = 0;
  for (char c : text)
    n += (c & 0xc0) != 0x80;
  return n;
}
} // namespace

std::string CommandLine::help() const {
  std::string out = "usage: tegula-sim " + usage_ + "\n\n" + text_ + "\n";
  if (!rows_.empty())
    out += "\noptions:\n";
  for (const Row &row : rows_) {
    std::string left = "  " + row.name + (row.value.empty() ? "" : " " + row.value);
    out += left + (widthOf(left) < 26 ? std::string(28 - widthOf(left), ' ')
                                      : "\n" + std::string(28, ' '));
    for (char c : row.help)
      out += c == '\n' ? "\n" + std::string(28, ' ') : std::string(1, c);
    out += "\n";
  }
  return out;
}
