// The loader on code objects built by clang, then on damaged ones.
#include "Sim/Loader/CodeObject.h"
#include <cstring>
#include <fstream>
#include <gtest/gtest.h>
#include <iterator>
#include <random>

using namespace tegula::sim;

namespace {

std::string fixture(const std::string &name) {
  bool suite = name.compare(0, 5, "suite") == 0;
  std::ifstream in((suite ? SUITE "/" : FIXTURES "/") + name, std::ios::binary);
  EXPECT_TRUE(in) << name;
  return {std::istreambuf_iterator<char>(in), {}};
}

CodeObject loaded(const char *name) {
  std::string file = fixture(name), error;
  CodeObject object;
  EXPECT_TRUE(load(file.data(), file.size(), object, error)) << error;
  return object;
}

std::string failure(const std::string &file) {
  CodeObject object;
  std::string error;
  EXPECT_FALSE(load(file.data(), file.size(), object, error));
  EXPECT_EQ(error.find('\n'), std::string::npos);
  return error;
}

uint64_t word(const std::byte *memory, uint64_t at) {
  uint64_t w;
  std::memcpy(&w, memory + at, sizeof w);
  return w;
}

const Global *global(const CodeObject &object, const char *name) {
  for (const Global &g : object.globals)
    if (g.name == name)
      return &g;
  return nullptr;
}

} // namespace

TEST(Loader, KernelsOfTheSuite) {
  CodeObject old = loaded("suite-gfx942.co"), current = loaded("suite-gfx950.co");
  EXPECT_EQ(old.arch, Arch::gfx942);
  EXPECT_EQ(current.arch, Arch::gfx950);
  EXPECT_EQ(current.version, 6u);
  EXPECT_GE(old.kernels.size(), 24u);
  EXPECT_GT(current.kernels.size(), old.kernels.size());
  for (const Kernel &k : current.kernels) {
    EXPECT_EQ(k.entry % 256, 0u) << k.name;
    EXPECT_EQ(k.floatMode, 0xf0) << k.name; // clang keeps denormals and rounds to nearest
    EXPECT_TRUE(k.ieee && k.dx10Clamp) << k.name;
    EXPECT_LE(k.accumOffset, k.vgprs) << k.name;
    EXPECT_FALSE(k.args.empty()) << k.name;
  }
}

TEST(Loader, ArgumentsAndHiddenArguments) {
  CodeObject object = loaded("suite-gfx950.co");
  const Kernel *k = object.findKernel("vecadd");
  ASSERT_NE(k, nullptr);
  ASSERT_GE(k->args.size(), 4u);
  EXPECT_EQ(k->args[0].name, "o");
  EXPECT_EQ(k->args[0].valueKind, "global_buffer");
  EXPECT_EQ(k->args[3].name, "n");
  EXPECT_EQ(k->args[3].valueKind, "by_value");
  EXPECT_EQ(k->args[3].offset, 24u);
  EXPECT_EQ(k->args[3].size, 4u);
  EXPECT_FALSE(k->args[3].hidden());
  EXPECT_TRUE(k->args.back().hidden());
  EXPECT_EQ(k->kernargBytes, 288u); // 28 bytes, then 256 from the next multiple of 8
  EXPECT_EQ(object.findKernel("no such kernel"), nullptr);
}

TEST(Loader, PreloadScratchAndGroupSize) {
  CodeObject object = loaded("fixture.co");
  const Kernel *preload = object.findKernel("preload"), *scratch = object.findKernel("scratch");
  ASSERT_TRUE(preload && scratch);
  EXPECT_EQ(preload->preloadDwords, 5); // two pointers and an int
  EXPECT_EQ(preload->preloadOffset, 0);
  ASSERT_EQ(preload->userLayout.size(), 2u);
  EXPECT_EQ(preload->userLayout[0].what, UserSgpr::kernargPtr);
  EXPECT_EQ(preload->userLayout[1].what, UserSgpr::preload);
  EXPECT_EQ(preload->userLayout[1].first, 2);
  EXPECT_GE(preload->userSgprs, 7);
  EXPECT_GE(scratch->scratchBytes, 1600u);
  EXPECT_TRUE(scratch->scratchEnabled);
  EXPECT_EQ(scratch->ldsBytes, 400u);
  EXPECT_EQ(scratch->reqdWorkgroup[0], 64u);
  EXPECT_EQ(scratch->reqdWorkgroup[1], 2u);
  EXPECT_EQ(scratch->maxFlatWorkgroup, 128u);
  EXPECT_TRUE(scratch->workgroupId[1]);
  EXPECT_EQ(loaded("fixture-v5.co").version, 5u);
}

TEST(Loader, GlobalsAndRelocations) {
  CodeObject object = loaded("fixture.co");
  const Global *counter = global(object, "counter"), *table = global(object, "table"),
               *zeros = global(object, "zeros");
  ASSERT_TRUE(counter && table && zeros);
  EXPECT_EQ(zeros->size, 400u);
  EXPECT_EQ(word(object.image.data(), counter->address) & 0xffffffff, 5u);
  for (uint64_t at = 0; at < zeros->size; at += 8)
    EXPECT_EQ(word(object.image.data(), zeros->address + at), 0u);
  constexpr uint64_t kBase = 0x7f0000100000;
  std::vector<std::byte> placed(object.image.begin(), object.image.end());
  object.relocate(placed.data(), kBase);
  EXPECT_EQ(word(placed.data(), table->address), kBase + counter->address);
  EXPECT_EQ(word(placed.data(), table->address + 8), 0u);
}

TEST(Loader, SourceLines) {
  CodeObject object = loaded("fixture.co");
  ASSERT_TRUE(object.lines);
  const Kernel *k = object.findKernel("preload");
  bool marked = false;
  SourceLine line;
  for (uint64_t pc = k->entry; pc < k->entry + 512; pc += 4)
    if (object.lines->lookup(pc, line)) {
      EXPECT_NE(line.file.find("fixture.cl"), std::string::npos);
      marked |= line.line == 9;
    }
  EXPECT_TRUE(marked);
  EXPECT_FALSE(object.lines->lookup(0, line));
  EXPECT_FALSE(object.lines->lookup(object.textAddr + object.textSize + 4096, line));
  EXPECT_EQ(loaded("fixture-v5.co").lines, nullptr); // built without -g
}

TEST(Loader, CallsOfInlinedFunctions) {
  CodeObject object = loaded("fixture.co");
  const Kernel *k = object.findKernel("inlined");
  ASSERT_TRUE(k);
  bool found = false;
  SourceLine line;
  for (uint64_t pc = k->entry; pc < k->entry + 512; pc += 4) {
    if (!object.lines->lookup(pc, line) || line.line != 24)
      continue;
    std::vector<SourceLine> calls = object.lines->inlinedAt(pc);
    ASSERT_EQ(calls.size(), 2u);
    EXPECT_EQ(calls[0].line, 25u);
    EXPECT_EQ(calls[1].line, 26u);
    EXPECT_NE(calls[1].file.find("fixture.cl"), std::string::npos);
    found = true;
  }
  EXPECT_TRUE(found);
  const Kernel *plain = object.findKernel("preload");
  EXPECT_TRUE(object.lines->inlinedAt(plain->entry).empty());
}

TEST(Loader, Disassembly) {
  std::string text = disassemble(loaded("fixture.co"));
  EXPECT_NE(text.find("<preload>:"), std::string::npos);
  EXPECT_NE(text.find("s_endpgm"), std::string::npos);
}

TEST(Loader, ForeignFilesAreNamed) {
  EXPECT_EQ(failure(""), "not an ELF file");
  EXPECT_EQ(failure("__CLANG_OFFLOAD_BUNDLE__ and more text that is no ELF file at all"),
            "not an ELF file");
  std::ifstream self("/proc/self/exe", std::ios::binary);
  std::string host{std::istreambuf_iterator<char>(self), {}};
  EXPECT_NE(failure(host).find("not an AMDGPU code object"), std::string::npos);
  std::string other = fixture("fixture.co");
  other[0x30] = 0x30; // e_flags: another processor
  EXPECT_NE(failure(other).find("another processor (gfx908)"), std::string::npos);
  other = fixture("fixture.co");
  other[8] = 1; // EI_ABIVERSION: code object v3
  EXPECT_NE(failure(other).find("unsupported code object version"), std::string::npos);
  other = fixture("fixture.co");
  other[16] = 1; // ET_REL
  EXPECT_NE(failure(other).find("not a linked code object"), std::string::npos);
}

/// The object with one field of its first loadable segment (or .text's section) set.
std::string changed(bool section, size_t field, uint64_t value) {
  std::string file = fixture("fixture.co");
  auto at = [&](size_t offset, auto v) {
    std::memcpy(&v, &file[offset], sizeof v);
    return v;
  };
  size_t header = at(section ? 40 : 32, uint64_t()), step = section ? 64 : 56;
  auto wanted = [&] {
    return section ? (at(header + 8, uint64_t()) & 4) != 0 : at(header, uint32_t()) == 1;
  };
  while (!wanted())
    header += step;
  std::memcpy(&file[header + field], &value, sizeof value);
  return file;
}

TEST(Loader, SizesThatDisagree) {
  // More bytes in the file than in memory would be written behind the image.
  EXPECT_NE(failure(changed(false, 40, 0)).find("a segment runs past its end"), std::string::npos);
  EXPECT_NE(failure(changed(false, 40, uint64_t(1) << 40)).find("256 MiB"), std::string::npos);
  EXPECT_NE(failure(changed(true, 32, uint64_t(1) << 27)).find("no code section"),
            std::string::npos);
}

// The parser of the metadata allocates what an array announces, before it reads it.
TEST(Loader, ArraysThatAnnounceMoreThanTheFileHolds) {
  std::string file = fixture("fixture-v5.co"), key = "amdhsa.kernels";
  size_t at = file.find(key);
  ASSERT_NE(at, std::string::npos);
  for (std::string claim : {"\xdd\x7f\xff\xff\xff", "\xdf\x3f\xff\xff\xff", "\xdc\xff\xff"}) {
    std::string damaged = file;
    damaged.replace(at + key.size(), claim.size(), claim);
    EXPECT_NE(failure(damaged).find("not valid MessagePack"), std::string::npos)
        << failure(damaged);
  }
}

TEST(Loader, AWorkgroupThatIsNotThreePositiveNumbers) {
  std::string file = fixture("fixture-v5.co"), size = "_workgroup_size\x93\x40\x02\x01";
  size_t at = file.find(size);
  ASSERT_NE(at, std::string::npos);
  at += size.size() - 4;
  for (std::string wrong : {std::string("\x93\0\x02\x01", 4), std::string("\x93\x40\xa0\x01"),
                            std::string("\x92\x40\xa1\x01")}) { // 0; a text; two of them
    std::string damaged = file;
    damaged.replace(at, wrong.size(), wrong);
    EXPECT_EQ(failure(damaged), "kernel 'scratch': its .reqd_workgroup_size is not three positive "
                                "numbers");
  }
}

TEST(Loader, EveryTruncationIsAnError) {
  std::string file = fixture("fixture-v5.co");
  for (size_t size = 0; size < file.size(); size += size < 2048 ? 1 : 61)
    EXPECT_FALSE(failure(file.substr(0, size)).empty()) << size;
}

// Damage in the headers, tables and notes must end in an error or in an object that can be used,
// never in a crash.
TEST(Loader, SeededDamage) {
  std::mt19937 random(20250101);
  std::string file = fixture("fixture.co");
  unsigned accepted = 0;
  for (unsigned round = 0; round < 1500; ++round) {
    std::string damaged = file;
    for (unsigned n = 0; n < 1 + round % 4; ++n) {
      size_t range = round % 3 ? 0x900 : damaged.size();
      damaged[random() % range] = char(random());
    }
    CodeObject object;
    std::string error;
    if (!load(damaged.data(), damaged.size(), object, error)) {
      EXPECT_FALSE(error.empty());
      continue;
    }
    ++accepted;
    std::vector<std::byte> memory(object.image.begin(), object.image.end());
    object.relocate(memory.data(), 0x10000);
    if (round % 16 == 0) {
      EXPECT_FALSE(disassemble(object).empty());
    }
  }
  EXPECT_GT(accepted, 100u);
  EXPECT_LT(accepted, 1400u);
}
