// tgs_debug_*: the debugger through the C API.
#include "Sim/ApiObjects.h"
#include "Sim/Decode/Print.h"
#include "Sim/State/Text.h"
#include <algorithm>
#include <cstring>
#include <new>
#include <system_error>

using namespace tegula::sim;

namespace {
struct Place {
  std::string instruction, file;
  unsigned line = 0;
};
Place placeOf(const Debugger &d, const Wave &w) {
  Place p;
  const Program &program = *w.program;
  uint32_t pc = d.pcOf(w);
  if (pc < program.textSize)
    p.instruction = print(decode(program.arch, program.text, program.textSize, pc));
  SourceLine line;
  if (d.object().lines && d.object().lines->lookup(d.object().textAddr + pc, line)) {
    p.file = line.file;
    p.line = line.line;
  }
  return p;
}

tgs_event_reason reasonOf(DebugEvent::Reason r) {
  switch (r) {
  case DebugEvent::Reason::Started:
    return TGS_EVENT_STARTED;
  case DebugEvent::Reason::Breakpoint:
    return TGS_EVENT_BREAKPOINT;
  case DebugEvent::Reason::Watch:
    return TGS_EVENT_WATCH;
  case DebugEvent::Reason::Step:
    return TGS_EVENT_STEP;
  case DebugEvent::Reason::Finding:
    return TGS_EVENT_FINDING;
  case DebugEvent::Reason::WaveEnded:
    return TGS_EVENT_WAVE_ENDED;
  case DebugEvent::Reason::Ended:
    break;
  }
  return TGS_EVENT_ENDED;
}

tgs_status tell(tgs_debugger *d, const DebugEvent &e, tgs_event *out) {
  *out = {};
  out->reason = reasonOf(e.reason);
  out->breakpoint = e.breakpoint;
  out->address = e.address;
  out->lane = e.lane;
  out->status = statusOf(e.status);
  d->finding = e.reason == DebugEvent::Reason::Finding ? e.finding.text() : "";
  d->instruction.clear();
  d->file.clear();
  if (const Wave *w = d->debugger.selected()) {
    Place p = placeOf(d->debugger, *w);
    d->instruction = p.instruction;
    d->file = p.file;
    out->workgroup = w->wg->index;
    out->wave = w->id;
    out->pc = d->debugger.pcOf(*w);
    out->line = p.line;
  }
  out->instruction = d->instruction.c_str();
  out->file = d->file.c_str();
  out->finding = d->finding.c_str();
  return TGS_OK;
}

const char *stateOf(const Wave &w) {
  switch (w.stop) {
  case Stop::Barrier:
    return "waits at a barrier";
  case Stop::Ended:
    return "has ended";
  case Stop::Sleeping:
    return "sleeps";
  default:
    return "runs";
  }
}

WaveFilter filterOf(uint64_t workgroup, uint32_t wave) {
  WaveFilter f;
  if (workgroup != TGS_ANY_WORKGROUP)
    f.workgroup = workgroup;
  if (wave != TGS_ANY_WAVE)
    f.wave = wave;
  return f;
}

struct Named {
  const char *name;
  unsigned index, dwords;
};
constexpr Named kNamed[] = {
    {"flat_scratch", kFlatScratch, 2}, {"vcc", kVcc, 2}, {"m0", kM0, 1}, {"exec", kExec, 2}};
constexpr unsigned kTtmp0 = 108, kTtmps = 16, kSgprs = 102;

/// The dwords of a register, or nullptr.
const uint32_t *registerOf(const Wave &w, const std::string &name, size_t &dwords) {
  for (const Named &n : kNamed)
    if (name == n.name) {
      dwords = n.dwords;
      return &w.s[n.index];
    }
  dwords = 1;
  if (name == "scc")
    return &w.scc;
  if (name == "mode")
    return &w.mode;
  size_t digits = name.find_first_of("0123456789");
  if (digits == std::string::npos || name.size() > digits + 3 ||
      name.find_first_not_of("0123456789", digits) != std::string::npos)
    return nullptr;
  unsigned n = unsigned(std::stoul(name.substr(digits)));
  std::string file = name.substr(0, digits);
  if (file == "s")
    return n < kSgprs ? &w.s[n] : nullptr;
  if (file == "ttmp")
    return n < kTtmps ? &w.s[kTtmp0 + n] : nullptr;
  unsigned accumulation = w.tc->launch->kernel->accumOffset;
  unsigned base = file == "a" ? accumulation : 0, rows = w.program->vgprs;
  unsigned limit = file == "v" ? std::min(accumulation, rows) : file == "a" ? rows : 0;
  dwords = kLanes;
  return base + n < limit ? w.row((base + n) * kRowBytes) : nullptr;
}

/// The selected wave, or a failure.
Wave *selected(tgs_debugger *d, tgs_status &status) {
  Wave *w = d->debugger.selected();
  status = w ? TGS_OK : failure(d->device, TGS_ERROR_NOT_FOUND, "no wave is selected");
  return w;
}

tgs_status copyRange(tgs_debugger *d, const std::byte *from, uint64_t size, uint64_t offset,
                     size_t bytes, void *out, const char *what) {
  if (offset > size || bytes > size - offset)
    return failure(d->device, TGS_ERROR_INVALID_ARGUMENT,
                   std::string(what) + " has " + std::to_string(size) + " bytes");
  if (bytes)
    std::memcpy(out, from + offset, bytes);
  return TGS_OK;
}
} // namespace

extern "C" {

TGS_API tgs_status tgs_debug_start(tgs_kernel *kernel, const tgs_dims *grid, const tgs_dims *block,
                                   uint32_t dynamicLds, const void *kernarg, size_t bytes,
                                   tgs_debugger **debugger, tgs_event *event) {
  if (!kernel || !grid || !block || (bytes && !kernarg) || !debugger || !event)
    return TGS_ERROR_INVALID_ARGUMENT;
  tgs_device *d = kernel->device;
  if (isDebugging(d))
    return refuseWhileDebugging(d);
  const auto *p = static_cast<const std::byte *>(kernarg);
  try {
    std::vector<std::byte> segment(p, p + bytes);
    d->debuggers.emplace_back(new tgs_debugger{d,
                                               kernel->loaded->module,
                                               {d->device,
                                                *kernel->loaded,
                                                {grid->x, grid->y, grid->z},
                                                {block->x, block->y, block->z},
                                                dynamicLds,
                                                std::move(segment)},
                                               "",
                                               "",
                                               ""});
  } catch (const std::bad_alloc &) {
    return failure(d, TGS_ERROR_OUT_OF_MEMORY, "out of host memory");
  }
  try {
    *debugger = d->debuggers.back().get();
    return tell(*debugger, (*debugger)->debugger.start(), event);
  } catch (const std::system_error &e) { // no thread
    d->debuggers.pop_back();
    return failure(d, TGS_ERROR_OUT_OF_MEMORY, e.what());
  }
}
TGS_API void tgs_debug_close(tgs_debugger *d) {
  if (!d)
    return;
  eraseIf(d->device->debuggers, [&](const auto &p) { return p.get() == d; });
}

TGS_API tgs_status tgs_debug_break(tgs_debugger *d, const tgs_breakpoint *in, uint32_t *id) {
  if (!d || !in || !id)
    return TGS_ERROR_INVALID_ARGUMENT;
  Breakpoint b;
  b.filter = filterOf(in->workgroup, in->wave);
  b.once = in->once != 0;
  switch (in->kind) {
  case TGS_BREAK_PC:
    if (d->debugger.isInstruction(in->pc))
      b.pcs.push_back(uint32_t(in->pc));
    break;
  case TGS_BREAK_LINE:
    b.pcs = d->debugger.placesOf(in->file ? in->file : "", in->line);
    break;
  case TGS_WATCH_MEMORY:
  case TGS_WATCH_LDS:
    b.space = in->kind == TGS_WATCH_LDS ? MemTrace::Space::Lds : MemTrace::Space::Global;
    b.address = in->address;
    b.bytes = in->bytes;
    b.reads = in->access & TGS_READ;
    b.writes = in->access & TGS_WRITE;
    if (!b.bytes || !(b.reads || b.writes))
      return failure(d->device, TGS_ERROR_INVALID_ARGUMENT,
                     "a watchpoint needs bytes and a kind of access");
    if (uint64_t lds = d->debugger.ldsBytes();
        in->kind == TGS_WATCH_LDS && (b.bytes > lds || b.address > lds - b.bytes))
      return failure(d->device, TGS_ERROR_NOT_FOUND,
                     "the workgroup has " + std::to_string(lds) + " bytes of LDS");
    break;
  default:
    return failure(d->device, TGS_ERROR_INVALID_ARGUMENT, "unknown kind of breakpoint");
  }
  *id = d->debugger.addBreakpoint(std::move(b));
  if (*id)
    return TGS_OK;
  return failure(d->device, TGS_ERROR_NOT_FOUND,
                 in->kind == TGS_BREAK_LINE
                     ? "no code of line " + std::to_string(in->line) + " of " +
                           (in->file && *in->file ? in->file : "any file")
                     : "no instruction at " + std::to_string(in->pc));
}
TGS_API tgs_status tgs_debug_delete(tgs_debugger *d, uint32_t id) {
  if (!d)
    return TGS_ERROR_INVALID_ARGUMENT;
  return d->debugger.removeBreakpoint(id)
             ? TGS_OK
             : failure(d->device, TGS_ERROR_NOT_FOUND, "no breakpoint " + std::to_string(id));
}
TGS_API tgs_status tgs_debug_stop_at_findings(tgs_debugger *d, int on) {
  if (!d)
    return TGS_ERROR_INVALID_ARGUMENT;
  d->debugger.stopAtFindings(on != 0);
  return TGS_OK;
}

TGS_API tgs_status tgs_debug_run(tgs_debugger *d, tgs_event *event) {
  return d && event ? tell(d, d->debugger.run(), event) : TGS_ERROR_INVALID_ARGUMENT;
}
TGS_API tgs_status tgs_debug_step(tgs_debugger *d, uint64_t count, tgs_event *event) {
  if (!d || !event || count == 0)
    return TGS_ERROR_INVALID_ARGUMENT;
  tgs_status status = TGS_OK;
  if (!d->debugger.ended() && !selected(d, status))
    return status;
  return tell(d, d->debugger.step(count), event);
}

TGS_API tgs_status tgs_debug_waves(tgs_debugger *d, tgs_wave_fn fn, void *user) {
  if (!d || !fn)
    return TGS_ERROR_INVALID_ARGUMENT;
  for (const Wave *w : d->debugger.waves()) {
    Place p = placeOf(d->debugger, *w);
    tgs_wave out{w->wg->index,   w->id,
                 p.line,         d->debugger.pcOf(*w),
                 stateOf(*w),    p.instruction.c_str(),
                 p.file.c_str(), w == d->debugger.selected()};
    fn(&out, user);
  }
  return TGS_OK;
}
TGS_API tgs_status tgs_debug_select(tgs_debugger *d, uint64_t workgroup, uint32_t wave) {
  if (!d)
    return TGS_ERROR_INVALID_ARGUMENT;
  return d->debugger.select(workgroup, wave)
             ? TGS_OK
             : failure(d->device, TGS_ERROR_NOT_FOUND,
                       "wave " + std::to_string(wave) + " of workgroup " +
                           std::to_string(workgroup) + " is not resident");
}

TGS_API tgs_status tgs_debug_register(tgs_debugger *d, const char *name, uint32_t *values,
                                      size_t *count) {
  if (!d || !name || !values || !count)
    return TGS_ERROR_INVALID_ARGUMENT;
  tgs_status status;
  const Wave *w = selected(d, status);
  if (!w)
    return status;
  size_t dwords = 0;
  const uint32_t *from = registerOf(*w, name, dwords);
  if (!from)
    return failure(d->device, TGS_ERROR_NOT_FOUND, std::string("the wave has no register ") + name);
  if (*count < dwords)
    return failure(d->device, TGS_ERROR_INVALID_ARGUMENT,
                   std::string(name) + " has " + std::to_string(dwords) + " dwords");
  *count = dwords;
  std::memcpy(values, from, dwords * sizeof *values);
  return TGS_OK;
}
TGS_API tgs_status tgs_debug_lds(tgs_debugger *d, uint64_t offset, size_t bytes, void *out) {
  if (!d || !out)
    return TGS_ERROR_INVALID_ARGUMENT;
  tgs_status status;
  const Wave *w = selected(d, status);
  return w ? copyRange(d, w->wg->lds, w->wg->ldsBytes, offset, bytes, out, "LDS") : status;
}
TGS_API tgs_status tgs_debug_scratch(tgs_debugger *d, uint32_t lane, uint64_t offset, size_t bytes,
                                     void *out) {
  if (!d || !out || lane >= kLanes)
    return TGS_ERROR_INVALID_ARGUMENT;
  tgs_status status;
  const Wave *w = selected(d, status);
  return w ? copyRange(d, w->scratch + size_t(lane) * w->scratchBytes, w->scratchBytes, offset,
                       bytes, out, "scratch")
           : status;
}
TGS_API tgs_status tgs_debug_memory(tgs_debugger *d, uint64_t address, size_t bytes, void *out) {
  if (!d || !out)
    return TGS_ERROR_INVALID_ARGUMENT;
  Snapshot memory = d->device->device.memory.snapshot();
  const Allocation *a = findAllocation(*memory, uintptr_t(address));
  if (!a || bytes > a->hi - address)
    return failure(
        d->device, TGS_ERROR_NOT_FOUND,
        "a read of " + std::to_string(bytes) + " bytes at " + hex(address) + " is " +
            describeAddress(*memory, d->device->device.memory.freed(), uintptr_t(address), bytes));
  if (bytes)
    std::memcpy(out, reinterpret_cast<const void *>(address), bytes);
  return TGS_OK;
}

TGS_API tgs_status tgs_debug_trace(tgs_debugger *d, uint64_t workgroup, uint32_t wave, int json,
                                   tgs_write_fn write, void *user) {
  if (!d || !write)
    return TGS_ERROR_INVALID_ARGUMENT;
  d->debugger.trace(filterOf(workgroup, wave), json != 0, [write, user](const std::string &line) {
    write(line.data(), line.size(), user);
  });
  return TGS_OK;
}
TGS_API tgs_status tgs_debug_heat(tgs_debugger *d, uint64_t bucketBytes) {
  if (!d || !bucketBytes)
    return TGS_ERROR_INVALID_ARGUMENT;
  d->debugger.heat(bucketBytes);
  return TGS_OK;
}
TGS_API tgs_status tgs_debug_heatmap(tgs_debugger *d, tgs_heat_fn fn, void *user) {
  if (!d || !fn)
    return TGS_ERROR_INVALID_ARGUMENT;
  if (!d->debugger.heatmap())
    return failure(d->device, TGS_ERROR_NOT_FOUND, "accesses are not counted: tgs_debug_heat");
  for (const Heatmap::Row &r : d->debugger.heatmap()->rows()) {
    tgs_heat out{r.lds, r.base, r.offset, r.heat.reads, r.heat.writes};
    fn(&out, user);
  }
  return TGS_OK;
}

} // extern "C"
