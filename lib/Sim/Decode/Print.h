// Instruction → the text that llvm-objdump prints for it.
#pragma once

#include "Sim/Decode/Decoder.h"
#include <string>

namespace tegula::sim {

/// For example "v_add_f32_e32 v0, s1, v2". Unknown words print as ".long 0x…" by the word given in
/// `Instruction::literal`.
std::string print(const Instruction &);

/// A whole section, one instruction a line: "<pc>: <text>"; what `tegula-sim disassemble` shows for
/// each kernel.
std::string disassemble(Arch, const std::byte *text, size_t size, uint64_t firstPc = 0);

} // namespace tegula::sim
