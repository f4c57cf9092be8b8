// Tables, fields, constants and refusals of the decoder.
#include "Sim/Decode/Print.h"
#include <fstream>
#include <gtest/gtest.h>
#include <map>
#include <random>
#include <set>
#include <sstream>

using namespace tegula::sim;

namespace {

Instruction decodeWords(std::vector<uint32_t> words, Arch arch = Arch::gfx950) {
  return decode(arch, reinterpret_cast<const std::byte *>(words.data()), words.size() * 4, 0);
}

// encoding, opcode, archs (1 = gfx942, 2 = gfx950) of each mnemonic
using Coverage = std::map<std::string, std::set<std::tuple<std::string, unsigned, unsigned>>>;

std::vector<std::string> split(const std::string &line, char separator) {
  std::vector<std::string> parts;
  std::istringstream in(line);
  for (std::string part; std::getline(in, part, separator);)
    parts.push_back(part);
  return parts;
}

unsigned archSet(const std::string &names) {
  return (names.find("gfx942") != std::string::npos ? 1u : 0u) |
         (names.find("gfx950") != std::string::npos ? 2u : 0u);
}

/// Columns of the checked-in list: mnemonic, encodings, "MUBUF:0x14 MUBUF_LDS(gfx950):0x14", archs,
/// …
Coverage expectedCoverage() {
  Coverage coverage;
  std::ifstream in(EXPECTED_COVERAGE);
  std::string line;
  std::getline(in, line);
  while (std::getline(in, line)) {
    std::vector<std::string> columns = split(line, ',');
    for (const std::string &item : split(columns[2], ' ')) {
      std::string encoding = item.substr(0, item.find(':'));
      unsigned archs = archSet(columns[3]);
      if (size_t bracket = encoding.find('('); bracket != std::string::npos) {
        archs = archSet(encoding.substr(bracket));
        encoding.resize(bracket);
      }
      if (encoding == "VOP3P-MAI")
        encoding = "MAI";
      if (encoding == "VOP3PX2")
        encoding = "MAIX2";
      coverage[columns[0]].insert(
          {encoding, unsigned(std::stoul(item.substr(item.find(':') + 1), nullptr, 16)), archs});
    }
  }
  return coverage;
}

Coverage expandedCoverage() {
  Coverage coverage;
  std::ifstream in(COVERAGE);
  std::string line;
  std::getline(in, line);
  while (std::getline(in, line)) {
    std::vector<std::string> columns = split(line, ',');
    for (const std::string &item : split(columns[1], ' ')) {
      std::vector<std::string> parts = split(item, ':');
      coverage[columns[0]].insert(
          {parts[0], unsigned(std::stoul(parts[1], nullptr, 16)), unsigned(std::stoul(parts[2]))});
    }
  }
  return coverage;
}

} // namespace

TEST(Tables, ExpansionEqualsTheCheckedInList) {
  Coverage expected = expectedCoverage(), expanded = expandedCoverage();
  EXPECT_EQ(expected.size(), 1243u);
  for (const auto &[name, rows] : expected)
    EXPECT_EQ(expanded[name], rows) << name;
  for (const auto &[name, rows] : expanded)
    EXPECT_TRUE(expected.count(name)) << name << " is not in the list";
}

TEST(Tables, EveryRowIsFoundByItsOpcode) {
  for (unsigned r = 0; r < kNumIsaRows; ++r)
    for (Arch arch : {Arch::gfx942, Arch::gfx950}) {
      const IsaRow &row = kIsaRows[r];
      if (row.archs & archBit(arch)) {
        EXPECT_EQ(findRow(arch, row.encoding, row.opcode), &row);
        EXPECT_EQ(rowIndex(&row), r);
      }
    }
  EXPECT_EQ(findRow(Arch::gfx942, Encoding::MAIX2, 0x2d), nullptr); // gfx950 only
  EXPECT_EQ(findRow(Arch::gfx950, Encoding::MAI, 0x3e), nullptr);   // gfx942 only
  EXPECT_EQ(findRow(Arch::gfx950, Encoding::SOP2, 5000), nullptr);
}

TEST(Tables, SemanticsJoinEncodings) {
  EXPECT_EQ(findRow(Arch::gfx950, Encoding::VOP2, 1)->sem, Sem::v_add_f32);
  EXPECT_EQ(findRow(Arch::gfx950, Encoding::VOP3, 0x101)->sem, Sem::v_add_f32);
  EXPECT_EQ(semName(Sem::v_add_f32), "v_add_f32");
  const IsaRow *dma = findRow(Arch::gfx950, Encoding::MUBUF_LDS, 0x14);
  EXPECT_EQ(dma->sem, Sem::buffer_load_dword_lds);
  EXPECT_TRUE(dma->has(kDma) && dma->has(kReadsM0) && dma->has(kVmcnt));
}

TEST(Decode, VectorOperandsAndModifiers) {
  Instruction i = decodeWords({0xd1018320, 0x28021104}); // VOP3 with abs, neg, clamp, omod
  ASSERT_TRUE(i.ok());
  EXPECT_EQ(print(i), "v_add_f32_e64 v32, -|v4|, |v8| clamp mul:2");
  const Operand *a = i.get(Role::a);
  EXPECT_TRUE(a->file == File::V && a->index == 4 && a->neg && a->abs);
  EXPECT_TRUE(i.clamp);
  EXPECT_EQ(i.omod, 1);
  EXPECT_EQ(i.size, 8);
  EXPECT_EQ(i.get(Role::c), nullptr);
}

TEST(Decode, LiteralsSdwaDpp) {
  Instruction literal = decodeWords({0x024010ff, 0x12345678});
  EXPECT_TRUE(literal.ok() && literal.hasLiteral);
  EXPECT_EQ(literal.literal, 0x12345678u);
  EXPECT_EQ(literal.size, 8);
  Instruction sdwa = decodeWords({0x024010f9, 0x01050804});
  EXPECT_EQ(sdwa.form, Form::Sdwa);
  EXPECT_EQ(sdwa.dstSel, 0);
  EXPECT_EQ(sdwa.dstUnused, 1);
  EXPECT_EQ(sdwa.get(Role::a)->sel, 5);
  EXPECT_EQ(sdwa.get(Role::b)->sel, 1);
  Instruction dpp = decodeWords({0x024010fa, 0x13980004});
  EXPECT_EQ(dpp.form, Form::Dpp);
  EXPECT_EQ(dpp.rowMask, 1);
  EXPECT_EQ(dpp.bankMask, 3);
  EXPECT_TRUE(dpp.boundCtrl && dpp.get(Role::a)->neg && dpp.get(Role::b)->abs);
}

TEST(Decode, MemoryForms) {
  Instruction load = decodeWords({0xdc509fff, 0x20080004}); // scalar base, negative offset
  EXPECT_EQ(load.offset, -1);
  EXPECT_EQ(load.get(Role::addr)->width, 1);
  EXPECT_EQ(load.get(Role::base)->index, 8);
  Instruction atomic = decodeWords({0xdd088000, 0x007f0804}); // returns nothing
  EXPECT_EQ(atomic.get(Role::d)->file, File::None);
  EXPECT_EQ(print(atomic), "global_atomic_add v[4:5], v8, off");
  Instruction accumulate = decodeWords({0xdbfe0000, 0x20000004});
  EXPECT_EQ(accumulate.get(Role::d)->file, File::A);
  EXPECT_EQ(accumulate.get(Role::d)->width, 4);
  Instruction buffer = decodeWords({0xe0503010, 0x14020804}); // idxen and offen
  EXPECT_EQ(buffer.get(Role::addr)->width, 2);
  EXPECT_EQ(buffer.get(Role::base)->width, 4);
  EXPECT_EQ(buffer.offset, 16);
}

TEST(Decode, ScaledMatrixPair) {
  std::vector<uint32_t> words = {0xd3ac0800, 0x08021104, 0xd3ad0c20, 0x44421104};
  Instruction i = decodeWords(words);
  ASSERT_TRUE(i.ok());
  EXPECT_EQ(i.size, 16);
  EXPECT_EQ(i.get(Role::a)->width, 4); // fp4
  EXPECT_EQ(i.get(Role::b)->width, 6); // fp6
  EXPECT_EQ(i.get(Role::scaleB)->index, 8);
  EXPECT_EQ(i.opSel, 1);
  EXPECT_EQ(i.opSelHi, 1);
  EXPECT_FALSE(decodeWords(words, Arch::gfx942).row);
  words.resize(3);
  EXPECT_STREQ(decodeWords(words).refusal, "truncated instruction");
}

TEST(Decode, RefusalsNameTheReason) {
  EXPECT_STREQ(decodeWords({0x7e0002ff}).refusal,
               "truncated instruction"); // the literal is missing
  EXPECT_STREQ(decodeWords({0xc8000000, 0}).refusal, "unknown encoding");
  EXPECT_STREQ(decodeWords({0xd1010020, 0x0000140a}).refusal, nullptr); // one SGPR, used twice
  EXPECT_STREQ(decodeWords({0xd1010020, 0x0000180a}).refusal,
               "more than one scalar source in a vector instruction");
  EXPECT_STREQ(decodeWords({0xd2800021, 0x00020904}).refusal,
               "a tuple of vector registers must start at an even register");
  EXPECT_STREQ(decodeWords({0xd1010020, 0x000008ff}).refusal, "VOP3 cannot take a literal");
  EXPECT_EQ(print(decodeWords({0xc8000000, 0})), ".long 0xc8000000");
}

TEST(Decode, ConstantsByType) {
  EXPECT_EQ(inlineConstant(129, Type::f32), 1u);
  EXPECT_EQ(inlineConstant(193, Type::i32), 0xffffffffu);
  EXPECT_EQ(inlineConstant(193, Type::f64), ~uint64_t(0));
  EXPECT_EQ(inlineConstant(208, Type::i16), 0xfff0u);
  EXPECT_EQ(inlineConstant(242, Type::f32), 0x3f800000u);
  EXPECT_EQ(inlineConstant(242, Type::f16), 0x3c00u);
  EXPECT_EQ(inlineConstant(242, Type::f64), 0x3ff0000000000000u);
  EXPECT_EQ(inlineConstant(248, Type::f64), 0x3fc45f306dc9c882u);
  EXPECT_EQ(inlineConstant(248, Type::f16), 0x3118u);
  EXPECT_EQ(literalValue(0x40590000, Type::f64), uint64_t(0x40590000) << 32);
  EXPECT_EQ(literalValue(0x80000000, Type::i64), 0xffffffff80000000u);
  EXPECT_EQ(literalValue(0x80000000, Type::u64), 0x80000000u);
  EXPECT_EQ(literalValue(0x12345678, Type::f16), 0x5678u);
}

// Any bytes decode to something printable, with a size that stays inside the section.
TEST(Decode, RandomBytes) {
  std::mt19937 random(7);
  std::vector<uint32_t> words(1 << 16);
  for (uint32_t &w : words)
    w = uint32_t(random());
  const std::byte *text = reinterpret_cast<const std::byte *>(words.data());
  for (Arch arch : {Arch::gfx942, Arch::gfx950}) {
    size_t size = words.size() * 4 - 2, refused = 0, count = 0; // ends in the middle of a word
    for (size_t at = 0; at < size; ++count) {
      Instruction i = decode(arch, text, size, at);
      ASSERT_FALSE(print(i).empty());
      ASSERT_TRUE(i.refusal || at + i.size <= size);
      refused += i.refusal != nullptr;
      at += i.size;
    }
    EXPECT_GT(refused, count / 4);
    EXPECT_LT(refused, count);
  }
}
