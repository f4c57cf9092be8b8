#include "Sim/Debug/Debugger.h"
#include <algorithm>

namespace tegula::sim {

Debugger::Debugger(Device &device, LoadedKernel &kernel, Dims grid, Dims block, uint32_t dynamicLds,
                   std::vector<std::byte> kernarg)
    : device_(device), kernel_(kernel), grid_(grid), block_(block), dynamicLds_(dynamicLds),
      kernarg_(std::move(kernarg)), program_(device.program(kernel)) {}

Debugger::~Debugger() {
  if (!thread_.joinable())
    return;
  if (!ended_) {
    abandoned_ = true;
    resume();
  }
  thread_.join();
}

DebugEvent Debugger::start() {
  thread_ = std::thread([this] {
    {
      std::unique_lock<std::mutex> lock(mutex_);
      turnChanged_.wait(lock, [this] { return launchsTurn_; });
    }
    LaunchStatus status = LaunchStatus::OutOfMemory;
    try {
      status = device_.launch(kernel_, grid_, block_, dynamicLds_, kernarg_.data(), kernarg_.size(),
                              this);
    } catch (const std::bad_alloc &) {
      device_.error = "out of host memory";
    }
    std::lock_guard<std::mutex> lock(mutex_);
    event_ = DebugEvent();
    event_.reason = DebugEvent::Reason::Ended;
    event_.status = status;
    ended_ = true;
    launchsTurn_ = false;
    turnChanged_.notify_all();
  });
  return resume();
}

/// Gives the turn to the launch and waits for it back.
DebugEvent Debugger::resume() {
  std::unique_lock<std::mutex> lock(mutex_);
  selected_ = nullptr;
  launchsTurn_ = true;
  turnChanged_.notify_all();
  turnChanged_.wait(lock, [this] { return !launchsTurn_; });
  if (ended_)
    selected_ = nullptr;
  return event_;
}

/// The launch's side of it.
void Debugger::pause(Wave *w, DebugEvent event) {
  std::unique_lock<std::mutex> lock(mutex_);
  event_ = std::move(event);
  selected_ = w;
  stepping_ = nullptr;
  launchsTurn_ = false;
  turnChanged_.notify_all();
  turnChanged_.wait(lock, [this] { return launchsTurn_; });
}

DebugEvent Debugger::run() { return ended_ ? event_ : resume(); }

DebugEvent Debugger::step(uint64_t count) {
  if (ended_ || !selected_ || count == 0)
    return event_;
  stepping_ = selected_;
  steps_ = count;
  return resume();
}

// --- Where it stops

unsigned Debugger::addBreakpoint(Breakpoint b) {
  if (b.pcs.empty() && b.bytes == 0)
    return 0;
  b.id = nextId_++;
  watching_ |= b.bytes != 0;
  breakpoints_.push_back(std::move(b));
  return breakpoints_.back().id;
}

bool Debugger::removeBreakpoint(unsigned id) {
  auto it = std::find_if(breakpoints_.begin(), breakpoints_.end(),
                         [&](const Breakpoint &b) { return b.id == id; });
  if (it == breakpoints_.end())
    return false;
  breakpoints_.erase(it);
  watching_ = std::any_of(breakpoints_.begin(), breakpoints_.end(),
                          [](const Breakpoint &b) { return b.bytes != 0; });
  return true;
}

void Debugger::dropIfOnce(unsigned id) {
  for (const Breakpoint &b : breakpoints_)
    if (b.id == id && b.once) {
      removeBreakpoint(id);
      return;
    }
}

bool Debugger::isInstruction(uint64_t pc) const {
  return pc % 4 == 0 && pc / 4 < program_->opOf.size() && program_->opOf[size_t(pc / 4)] >= 0;
}

std::vector<uint32_t> Debugger::placesOf(const std::string &file, unsigned line) const {
  std::vector<uint32_t> places;
  if (!object().lines)
    return places;
  bool inside = false;
  for (uint32_t pc = 0; pc < program_->textSize; pc += 4) {
    if (!isInstruction(pc))
      continue;
    SourceLine at;
    bool here = object().lines->lookup(object().textAddr + pc, at) && at.line == line &&
                at.file.size() >= file.size() &&
                at.file.compare(at.file.size() - file.size(), file.size(), file) == 0;
    if (here && !inside)
      places.push_back(pc);
    inside = here;
  }
  return places;
}

const Breakpoint *Debugger::hit(const Wave &w, uint32_t pc) {
  for (const Breakpoint &b : breakpoints_)
    if (std::find(b.pcs.begin(), b.pcs.end(), pc) != b.pcs.end() && b.filter.matches(w))
      return &b;
  return nullptr;
}

const Breakpoint *Debugger::watched(const Wave &w, DebugEvent &e) const {
  for (const Breakpoint &b : breakpoints_) {
    if (b.bytes == 0 || b.space != memory_.space || !b.filter.matches(w) ||
        !((b.reads && memory_.reads) || (b.writes && memory_.writes)))
      continue;
    for (unsigned i = 0; i < memory_.count; ++i) {
      uint64_t a = memory_.address[i];
      if (a < b.address ? b.address - a < memory_.bytes : a - b.address < b.bytes) {
        e.address = a;
        e.lane = memory_.lane[i];
        return &b;
      }
    }
  }
  return nullptr;
}

// --- Called by the launch

void Debugger::attach(const std::vector<std::unique_ptr<Resident>> *residents) {
  residents_ = residents;
}

bool Debugger::before(Wave &w, const Op &o) {
  if (abandoned_) // nobody would give the turn back
    return false;
  DebugEvent e;
  uint32_t pc = program_->pc(&o);
  bool stop = !started_;
  started_ = true;
  if (&w == stepping_ && --steps_ == 0) {
    e.reason = DebugEvent::Reason::Step;
    stop = true;
  }
  if (const Breakpoint *b = hit(w, pc); b && !stop) {
    e.reason = DebugEvent::Reason::Breakpoint;
    e.breakpoint = b->id;
    stop = true;
  }
  if (stop) {
    unsigned id = e.breakpoint;
    pause(&w, std::move(e));
    dropIfOnce(id);
  }
  if (abandoned_)
    return false;
  instruction_ = decode(program_->arch, program_->text, program_->textSize, pc);
  memory_.space = MemTrace::Space::None;
  memory_.count = 0;
  if (watching_ || trace_ || heatmap_)
    traceMemory(w, o, instruction_, memory_);
  return true;
}

void Debugger::after(Wave &w, const Op &o, const Op *next) {
  if (trace_ && traced_.matches(w))
    trace_->add(w, instruction_, memory_);
  if (heatmap_)
    heatmap_->add(w, memory_);
  if (next)
    w.pc = next;
  DebugEvent e;
  if (pending_) {
    e = std::move(*pending_);
    pending_.reset();
    pause(&w, std::move(e));
  } else if (const Breakpoint *b = watching_ ? watched(w, e) : nullptr) {
    e.reason = DebugEvent::Reason::Watch;
    unsigned id = e.breakpoint = b->id;
    pause(&w, std::move(e));
    dropIfOnce(id);
  } else if (&w == stepping_ && !next && (w.stop == Stop::Ended || w.stop == Stop::Fault)) {
    e.reason = DebugEvent::Reason::WaveEnded;
    pause(&w, std::move(e));
  }
}

void Debugger::found(const Finding &f) {
  if (!atFindings_ || abandoned_)
    return;
  pending_ = DebugEvent();
  pending_->reason = DebugEvent::Reason::Finding;
  pending_->finding = f;
}

// --- What can be looked at

std::vector<Wave *> Debugger::waves() const {
  std::vector<Wave *> all;
  if (residents_ && !ended_)
    for (const auto &r : *residents_)
      all.insert(all.end(), r->wg.waves.begin(), r->wg.waves.end());
  return all;
}

bool Debugger::select(uint64_t workgroup, uint32_t wave) {
  for (Wave *w : waves())
    if (w->wg->index == workgroup && w->id == wave) {
      selected_ = w;
      return true;
    }
  return false;
}

void Debugger::trace(WaveFilter filter, bool json, TraceSink sink) {
  traced_ = filter;
  trace_.emplace(json, std::move(sink));
}

} // namespace tegula::sim
