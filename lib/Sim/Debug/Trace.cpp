#include "Sim/Debug/Trace.h"
#include "Sim/Decode/Print.h"
#include "Sim/Exec/Context.h"
#include "Sim/Exec/Stepper.h"
#include "Sim/State/Text.h"

namespace tegula::sim {

namespace {
bool isWrite(const Instruction &i, unsigned operand) {
  Role role = i.row->operands[operand].role;
  return role == Role::d || role == Role::d2;
}

/// "v7" or "s[4:5]", and what stands in it now.
struct Written {
  std::string name, value;
};
Written written(const Wave &w, const Instruction &inst, Operand o) {
  char file = o.file == File::V ? 'v' : o.file == File::A ? 'a' : 's';
  if (file != 's' && indexedOperands(w, inst) & 8)
    o.index += w.s[kM0] & 0xff;
  std::string index = std::to_string(o.index);
  Written r;
  r.name = o.width == 1 ? file + index
                        : std::string(1, file) + "[" + index + ":" +
                              std::to_string(o.index + o.width - 1) + "]";
  if (file == 's' && o.index >= 106)
    r.name = o.index == 106 ? "vcc" : o.index == 124 ? "m0" : o.index == 126 ? "exec" : r.name;
  unsigned base = o.file == File::A ? w.tc->launch->kernel->accumOffset : 0;
  unsigned lane = w.exec() ? unsigned(__builtin_ctzll(w.exec())) : 0;
  for (unsigned i = o.width; i-- > 0;) {
    uint32_t value = 0;
    unsigned at = base + o.index + i;
    if (file == 's')
      value = o.index + i < 128 ? w.s[o.index + i] : 0;
    else if (at < w.program->vgprs)
      value = w.row(at * kRowBytes)[lane];
    char text[12];
    std::snprintf(text, sizeof text, i + 1 == o.width ? "%x" : "%08x", value);
    r.value += text;
  }
  r.value = "0x" + r.value;
  return r;
}

const char *spaceName(MemTrace::Space space) {
  switch (space) {
  case MemTrace::Space::Global:
    return "global";
  case MemTrace::Space::Lds:
    return "lds";
  case MemTrace::Space::Scratch:
    return "scratch";
  case MemTrace::Space::None:
    break;
  }
  return "";
}
const char *useName(const MemTrace &m) {
  return m.reads && m.writes ? "atomic" : m.writes ? "write" : "read";
}
} // namespace

void Trace::add(const Wave &w, const Instruction &inst, const MemTrace &m) {
  std::string text = print(inst), place = hex(inst.pc), exec = hex(w.exec());
  std::string line, registers, memory;
  for (unsigned i = 0; inst.ok() && i < inst.numOperands; ++i) {
    const Operand &o = inst.operands[i];
    if (!isWrite(inst, i) || (o.file != File::V && o.file != File::A && o.file != File::S))
      continue;
    Written r = written(w, inst, o);
    if (json_)
      registers += (registers.empty() ? "" : ", ") + quoted(r.name) + ": " + quoted(r.value);
    else
      registers += "  " + r.name + " = " + r.value;
  }
  if (m.count) {
    std::string bytes = std::to_string(m.bytes), lanes = std::to_string(m.count);
    memory = json_ ? std::string(", \"memory\": {\"space\": \"") + spaceName(m.space) +
                         "\", \"use\": \"" + useName(m) + "\", \"bytes\": " + bytes +
                         ", \"lanes\": " + lanes + ", \"first\": \"" + hex(m.address[0]) + "\"}"
                   : std::string("  ") + spaceName(m.space) + " " + useName(m) + " of " + lanes +
                         " x " + bytes + " bytes from " + hex(m.address[0]);
  }
  std::string group = std::to_string(w.wg->index), wave = std::to_string(w.id);
  if (json_)
    line = "{\"workgroup\": " + group + ", \"wave\": " + wave +
           ", \"pc\": " + std::to_string(inst.pc) + ", \"instruction\": " + quoted(text) +
           ", \"exec\": \"" + exec + "\", \"scc\": " + std::to_string(w.scc) + ", \"writes\": {" +
           registers + "}" + memory + "}\n";
  else
    line = group + "." + wave + "  " + place + "  " + text + registers + memory + "\n";
  sink_(line);
}

} // namespace tegula::sim
