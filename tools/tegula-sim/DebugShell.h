// The commands of the debugger.
#pragma once

#include "LaunchOptions.h"
#include <cstdio>

class DebugShell {
public:
  DebugShell(Session &s, PreparedLaunch &p) : s_(s), p_(p) {}
  ~DebugShell();
  bool start();
  bool wantsMore() const { return !quit_; }
  /// False after one line on stderr.
  bool execute(const std::string &command);
  /// Outputs and reports of a launch that has ended; the exit status.
  int finish();
  /// Whether a trace has reached its file; says so if not.
  bool closeTrace();
  /// Whether the launch has executed an instruction.
  bool hasRun() const { return hasRun_; }

private:
  using Words = std::vector<std::string>;
  bool breakAt(const Words &, bool once);
  bool watch(const Words &);
  bool info(const Words &);
  bool remove(const Words &);
  bool run(const Words &);
  bool until(const Words &);
  bool step(const Words &);
  bool waves(const Words &);
  bool wave(const Words &);
  bool where(const Words &);
  bool list(const Words &);
  bool print(const Words &);
  bool registers(const Words &);
  bool lds(const Words &);
  bool scratch(const Words &);
  bool memory(const Words &);
  bool trace(const Words &);
  bool heat(const Words &);
  bool heatmap(const Words &);

  bool bad(const std::string &why);
  bool check(tgs_status);
  void tell();
  bool number(const Words &, size_t at, uint64_t &value, const char *what);
  bool number(const Words &, size_t at, uint32_t &value, const char *what);
  bool address(const std::string &word, uint64_t &value);
  bool filters(const Words &, size_t at, tgs_breakpoint &);
  bool printRegister(const std::string &name);
  /// `count` elements of a type, through `read` (offset, bytes, out).
  template <class Read> bool dump(const Words &, size_t at, uint64_t base, Read read);

  Session &s_;
  PreparedLaunch &p_;
  tgs_debugger *debugger_ = nullptr;
  tgs_event event_{};
  std::vector<std::pair<uint32_t, std::string>> breakpoints_;
  std::FILE *trace_ = nullptr;
  std::string traceName_;
  bool quit_ = false, hasRun_ = false;
};
