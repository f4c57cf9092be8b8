// Pieces of instruction text that have their own little grammar. Private to the printer.
#pragma once

#include "Sim/Decode/Decoder.h"
#include <string>

namespace tegula::sim::printing {

std::string hex(uint64_t value);
std::string number(int64_t value);

/// Immediates of SOPK and SOPP by mnemonic: hwreg(…), sendmsg(…), wait counters, gpr_idx(…), branch
/// distances.
std::string scalarImmediate(const Instruction &);
/// s_set_gpr_idx_on's second operand.
std::string gprIndexMask(unsigned mask);
/// " offset:swizzle(…)" of ds_swizzle_b32.
std::string swizzle(unsigned offset);
/// " quad_perm:[…] row_mask:… bank_mask:… bound_ctrl:1".
std::string dpp(const Instruction &);
/// " dst_sel:… dst_unused:… src0_sel:…".
std::string sdwa(const Instruction &);
/// " format:[…]" of typed buffers; empty for the default.
std::string bufferFormat(unsigned dfmt, unsigned nfmt);
/// " name:[1,0,1]" from the low `count` bits.
std::string bitList(const char *name, unsigned bits, unsigned count);

} // namespace tegula::sim::printing
