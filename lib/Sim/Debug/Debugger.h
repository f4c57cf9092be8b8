// A launch under a debugger. It runs in a thread of its own; debugger and launch take turns, so
// that exactly one of them runs, and the order of waves is the one that the launch has without a
// debugger.
#pragma once

#include "Sim/Debug/Heatmap.h"
#include "Sim/Debug/Trace.h"
#include "Sim/Device.h"
#include "Sim/Exec/Observer.h"
#include <optional>

namespace tegula::sim {

/// Which waves something is about.
struct WaveFilter {
  std::optional<uint64_t> workgroup; ///< linear number
  std::optional<uint32_t> wave;
  bool matches(const Wave &w) const {
    return (!workgroup || *workgroup == w.wg->index) && (!wave || *wave == w.id);
  }
};

struct Breakpoint {
  unsigned id = 0;
  std::vector<uint32_t> pcs; ///< stops before these …
  // … or after an access to [address, address + bytes).
  MemTrace::Space space = MemTrace::Space::None;
  uint64_t address = 0, bytes = 0;
  bool reads = false, writes = false;
  WaveFilter filter;
  bool once = false;
};

struct DebugEvent {
  enum class Reason : uint8_t { Started, Breakpoint, Watch, Step, Finding, WaveEnded, Ended };
  Reason reason = Reason::Started;
  unsigned breakpoint = 0;
  uint64_t address = 0; ///< Watch: the access that hit
  unsigned lane = 0;
  Finding finding;                        ///< Finding
  LaunchStatus status = LaunchStatus::Ok; ///< Ended
};

class Debugger : public Observer {
public:
  Debugger(Device &, LoadedKernel &, Dims grid, Dims block, uint32_t dynamicLds,
           std::vector<std::byte> kernarg);
  ~Debugger() override; ///< abandons a launch that hasn't ended

  /// Runs to the first instruction of the first wave.
  DebugEvent start();
  /// Runs until something stops it.
  DebugEvent run();
  /// Runs until the selected wave has executed `count` more instructions.
  DebugEvent step(uint64_t count);
  bool ended() const { return ended_; }

  /// Returns its id, or 0 if it stands for no place.
  unsigned addBreakpoint(Breakpoint);
  bool removeBreakpoint(unsigned id);
  const std::vector<Breakpoint> &breakpoints() const { return breakpoints_; }
  /// Places where a source line begins. `file`: its end, as "kernel.cl".
  std::vector<uint32_t> placesOf(const std::string &file, unsigned line) const;
  bool isInstruction(uint64_t pc) const;
  /// Of a workgroup, static and dynamic.
  uint64_t ldsBytes() const { return uint64_t(kernel_.kernel->ldsBytes) + dynamicLds_; }
  void stopAtFindings(bool on) { atFindings_ = on; }

  /// The wave that looks at registers and LDS are about; the one that stopped, until another is
  /// chosen.
  Wave *selected() const { return selected_; }
  bool select(uint64_t workgroup, uint32_t wave);
  std::vector<Wave *> waves() const;
  uint32_t pcOf(const Wave &w) const { return w.program->pc(w.pc); }

  void trace(WaveFilter filter, bool json, TraceSink sink);
  void heat(uint64_t bucketBytes) { heatmap_.emplace(bucketBytes); }
  const Heatmap *heatmap() const { return heatmap_ ? &*heatmap_ : nullptr; }

  Device &device() const { return device_; }
  const CodeObject &object() const { return kernel_.module->object; }

  // Observer: called by the launch's thread.
  void attach(const std::vector<std::unique_ptr<Resident>> *residents) override;
  bool before(Wave &, const Op &) override;
  void after(Wave &, const Op &, const Op *next) override;
  void found(const Finding &) override;

private:
  void pause(Wave *, DebugEvent);
  DebugEvent resume();
  const Breakpoint *hit(const Wave &, uint32_t pc);
  const Breakpoint *watched(const Wave &, DebugEvent &) const;
  void dropIfOnce(unsigned id);

  Device &device_;
  LoadedKernel &kernel_;
  Dims grid_, block_;
  uint32_t dynamicLds_;
  std::vector<std::byte> kernarg_;
  std::shared_ptr<const Program> program_;

  std::thread thread_;
  std::mutex mutex_;
  std::condition_variable turnChanged_;
  bool launchsTurn_ = false, started_ = false, ended_ = false, abandoned_ = false;
  DebugEvent event_;

  const std::vector<std::unique_ptr<Resident>> *residents_ = nullptr;
  std::vector<Breakpoint> breakpoints_;
  unsigned nextId_ = 1;
  bool atFindings_ = false, watching_ = false;
  Wave *selected_ = nullptr, *stepping_ = nullptr;
  uint64_t steps_ = 0;
  std::optional<DebugEvent> pending_; ///< a finding inside an instruction: stops behind it
  std::optional<Trace> trace_;
  WaveFilter traced_;
  std::optional<Heatmap> heatmap_;
  Instruction instruction_;
  MemTrace memory_;
};

} // namespace tegula::sim
