// The generated tables and the lookups into them.
#include "Sim/Decode/Isa.h"

namespace tegula::sim {

const IsaRow kIsaRows[] = {
#include "Sim/Decode/Rows.inc"
};
const unsigned kNumIsaRows = sizeof(kIsaRows) / sizeof(kIsaRows[0]);

namespace {
#include "Sim/Decode/Opcodes.inc"

constexpr std::string_view kEncodingNames[] = {
    "SOP2", "SOPK",   "SOP1",    "SOPC",  "SOPP",      "SMEM",    "VOP2",
    "VOP1", "VOPC",   "VOP3",    "VOP3P", "VOP3P-MAI", "VOP3PX2", "DS",
    "FLAT", "GLOBAL", "SCRATCH", "MUBUF", "MUBUF_LDS", "MTBUF"};
static_assert(sizeof(kEncodingNames) / sizeof(kEncodingNames[0]) == kNumEncodings);
static_assert(sizeof(kFirst) / sizeof(kFirst[0]) == kNumEncodings + 1);

constexpr std::string_view kSemNames[] = {
#define TEGULA_SEM(name) #name,
#include "Sim/Decode/Sem.inc"
#undef TEGULA_SEM
};
} // namespace

const IsaRow *findRow(Arch arch, Encoding encoding, unsigned opcode) {
  unsigned slot = kFirst[unsigned(encoding)] + opcode;
  if (slot >= kFirst[unsigned(encoding) + 1])
    return nullptr;
  uint16_t row = arch == Arch::gfx942 ? kRowOf942[slot] : kRowOf950[slot];
  return row == 0xffff ? nullptr : &kIsaRows[row];
}

std::string_view encodingName(Encoding e) { return kEncodingNames[unsigned(e)]; }
std::string_view semName(Sem s) { return kSemNames[unsigned(s)]; }

} // namespace tegula::sim
