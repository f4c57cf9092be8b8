// Options of a command: declared once, parsed and printed as help from the same rows.
#pragma once

#include <cstdint>
#include <functional>
#include <stdexcept>
#include <string>
#include <vector>

/// Thrown where a word of the command line turns out to be wrong after it has been parsed; exit
/// status 2.
struct BadCommandLine : std::runtime_error {
  using std::runtime_error::runtime_error;
};

class CommandLine {
public:
  /// `usage` follows "usage: tegula-sim "; `text` is the help behind it, before the options.
  CommandLine(std::string usage, std::string text)
      : usage_(std::move(usage)), text_(std::move(text)) {}

  void flag(const std::string &name, const std::string &help, bool &value);
  void text(const std::string &name, const std::string &value, const std::string &help,
            std::string &to);
  void number(const std::string &name, const std::string &value, const std::string &help,
              uint64_t &to, uint64_t most = UINT64_MAX);
  /// `set` returns false if it can't understand the value.
  void option(const std::string &name, const std::string &value, const std::string &help,
              std::function<bool(const std::string &)> set);
  /// May be given several times.
  void list(const std::string &name, const std::string &value, const std::string &help,
            std::vector<std::string> &to);
  /// Everything behind this option is the command's own.
  void rest(const std::string &name, const std::string &value, const std::string &help,
            std::vector<std::string> &to);
  void positional(const std::string &name, std::string &to);

  enum class Result { Ok, Help, Bad };
  /// Help: it has been printed on stdout. Bad: one line about it on stderr.
  Result parse(const std::vector<std::string> &arguments);
  std::string help() const;

private:
  struct Row {
    std::string name, value, help;
    bool takesRest;
    std::string limit; ///< behind `value` where a value is refused
    std::function<bool(const std::string &)> set;
  };
  struct Positional {
    std::string name;
    std::string *to;
  };
  const Row *find(const std::string &name) const;
  std::string usage_, text_;
  std::vector<Row> rows_;
  std::vector<Positional> positionals_;
};

/// A whole unsigned number, decimal or 0x…; false for anything else.
bool parseNumber(const std::string &text, uint64_t &value);
/// 4096, 64K, 16M, 2G.
bool parseSize(const std::string &text, uint64_t &value);
