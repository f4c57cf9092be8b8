// What each memory instruction does, from the instruction table.
#include "Sim/Counters/Counting.h"
#include <gtest/gtest.h>
#include <map>
#include <set>

using namespace tegula::sim;

namespace {
using Where = CountedAccess::Where;

/// An instruction of the table with operands of the table's widths.
Instruction instructionOf(const IsaRow &row) {
  Instruction inst;
  inst.row = &row;
  inst.numOperands = row.numOperands;
  for (unsigned i = 0; i < row.numOperands; ++i) {
    inst.operands[i].file = File::V;
    inst.operands[i].width = row.operands[i].width;
  }
  return inst;
}
std::optional<CountedAccess> describe(std::string_view mnemonic) {
  for (unsigned i = 0; i < kNumIsaRows; ++i)
    if (kIsaRows[i].mnemonic == mnemonic)
      return describeAccess(instructionOf(kIsaRows[i]));
  ADD_FAILURE() << mnemonic << " is not in the table";
  return std::nullopt;
}

struct Expected {
  const char *mnemonic;
  Where where;
  LdsUse use;
  unsigned bytes;
  unsigned parts = 1, unit = 0;
};
const Expected kExpected[] = {
    {"ds_read_b32", Where::Lds, LdsUse::Read, 4},
    {"ds_read_b64", Where::Lds, LdsUse::Read, 8},
    {"ds_read_b96", Where::Lds, LdsUse::Read, 12},
    {"ds_read_b128", Where::Lds, LdsUse::Read, 16},
    {"ds_read_u8_d16_hi", Where::Lds, LdsUse::Read, 1},
    {"ds_read_i16", Where::Lds, LdsUse::Read, 2},
    {"ds_read_u16_d16", Where::Lds, LdsUse::Read, 2},
    {"ds_read2_b32", Where::Lds, LdsUse::Read, 4, 2, 4},
    {"ds_read2st64_b64", Where::Lds, LdsUse::Read, 8, 2, 512},
    {"ds_read_b64_tr_b16", Where::Lds, LdsUse::TransposedRead, 8},
    {"ds_read_b64_tr_b8", Where::Lds, LdsUse::TransposedRead, 8},
    {"ds_read_b96_tr_b6", Where::Lds, LdsUse::TransposedRead, 12},
    {"ds_write_b8", Where::Lds, LdsUse::Write, 1},
    {"ds_write_b16_d16_hi", Where::Lds, LdsUse::Write, 2},
    {"ds_write_b128", Where::Lds, LdsUse::Write, 16},
    {"ds_write2st64_b32", Where::Lds, LdsUse::Write, 4, 2, 256},
    {"ds_add_u32", Where::Lds, LdsUse::Atomic, 4},
    {"ds_add_rtn_u64", Where::Lds, LdsUse::Atomic, 8},
    {"ds_cmpst_b64", Where::Lds, LdsUse::Atomic, 8},
    {"ds_pk_add_bf16", Where::Lds, LdsUse::Atomic, 4},
    {"buffer_load_ubyte", Where::Vector, LdsUse::Read, 1},
    {"buffer_load_dwordx3", Where::Vector, LdsUse::Read, 12},
    {"buffer_store_short", Where::Vector, LdsUse::Write, 2},
    {"buffer_atomic_cmpswap_x2", Where::Vector, LdsUse::Atomic, 8},
    {"global_load_dwordx4", Where::Vector, LdsUse::Read, 16},
    {"global_load_short_d16", Where::Vector, LdsUse::Read, 2},
    {"global_load_lds_dword", Where::Vector, LdsUse::Read, 4},
    {"global_load_lds_dwordx4", Where::Vector, LdsUse::Read, 16},
    {"global_atomic_add_f64", Where::Vector, LdsUse::Atomic, 8},
    {"global_atomic_pk_add_f16", Where::Vector, LdsUse::Atomic, 4},
    {"flat_store_dwordx2", Where::Vector, LdsUse::Write, 8},
    {"scratch_load_dword", Where::Vector, LdsUse::Read, 4},
    {"s_load_dwordx16", Where::Scalar, LdsUse::Read, 64},
    {"s_buffer_load_dwordx2", Where::ScalarBuffer, LdsUse::Read, 8},
    {"s_store_dwordx4", Where::Scalar, LdsUse::Write, 16},
    {"s_buffer_atomic_cmpswap_x2", Where::ScalarBuffer, LdsUse::Atomic, 8},
    {"ds_write_addtid_b32", Where::Lds, LdsUse::Write, 4},
    {"buffer_load_format_xyzw", Where::Vector, LdsUse::Read, 0}, // the descriptor tells
};

TEST(Describe, WidthsAndUses) {
  for (const Expected &e : kExpected) {
    auto a = describe(e.mnemonic);
    ASSERT_TRUE(a) << e.mnemonic;
    EXPECT_EQ(a->where, e.where) << e.mnemonic;
    EXPECT_EQ(a->use, e.use) << e.mnemonic;
    EXPECT_EQ(a->bytes, e.bytes) << e.mnemonic;
    EXPECT_EQ(a->parts, e.parts) << e.mnemonic;
    EXPECT_EQ(a->toLds, std::string_view(e.mnemonic).find("_lds_") != std::string_view::npos);
    if (e.parts == 2) {
      EXPECT_EQ(a->unit, e.unit) << e.mnemonic;
    }
  }
}

TEST(Describe, WhatTouchesNoMemoryIsNotCounted) {
  for (const char *mnemonic : {"ds_bpermute_b32", "ds_swizzle_b32", "ds_nop", "buffer_inv",
                               "s_memtime", "ds_append", "s_dcache_inv", "v_add_f32", "s_branch"})
    EXPECT_FALSE(describe(mnemonic)) << mnemonic;
}

TEST(Describe, EveryLoadAndStoreOfTheTableHasAWidth) {
  std::set<unsigned> widths(kAccessWidths.begin(), kAccessWidths.end());
  unsigned described = 0;
  for (unsigned i = 0; i < kNumIsaRows; ++i) {
    const IsaRow &row = kIsaRows[i];
    bool memory = row.cls == Class::lds || row.cls == Class::vmemLoad ||
                  row.cls == Class::vmemStore || row.cls == Class::vmemAtomic ||
                  row.cls == Class::dma;
    bool access = row.has(kLoad) || row.has(kStore);
    if (!memory || !access)
      continue;
    Instruction inst = instructionOf(row);
    inst.dfmt = 10; // 8_8_8_8
    auto a = describeAccess(inst);
    ASSERT_TRUE(a) << row.mnemonic;
    bool told = a->typed && row.encoding != Encoding::MTBUF;
    EXPECT_TRUE(told || widths.count(a->bytes)) << row.mnemonic << " " << unsigned(a->bytes);
    ++described;
  }
  EXPECT_GT(described, 100u);
}
} // namespace
