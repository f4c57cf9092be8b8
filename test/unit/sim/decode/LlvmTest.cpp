// Our text against llvm-objdump's, by compare.py: real code of the compiler suite, then seeded
// random encodings.
#include <cstdlib>
#include <gtest/gtest.h>
#include <string>

namespace {

int compare(const std::string &mode, const std::string &arch, const std::string &what) {
  std::string command = std::string("cd " SUITE " && " COMPARE " ") + mode +
                        " " PRINTER " " LLVM_BIN " " + arch + " " + what;
  return std::system(command.c_str());
}

} // namespace

TEST(AgainstLlvm, SuiteGfx942) { EXPECT_EQ(compare("object", "gfx942", "suite-gfx942.co"), 0); }
TEST(AgainstLlvm, SuiteGfx950) { EXPECT_EQ(compare("object", "gfx950", "suite-gfx950.co"), 0); }
TEST(AgainstLlvm, RandomWordsGfx942) { EXPECT_EQ(compare("words", "gfx942", "20000"), 0); }
TEST(AgainstLlvm, RandomWordsGfx950) { EXPECT_EQ(compare("words", "gfx950", "20000"), 0); }
