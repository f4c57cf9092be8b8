// lib/Support: labels, source points, collected diagnostics, output files.
#include "tegula/Support/BuildId.h"
#include "tegula/Support/Diagnostics.h"
#include "tegula/Support/File.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FileUtilities.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"

#include <gtest/gtest.h>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace mlir;
using namespace tegula;

namespace {

TEST(SplitLabel, CutsDottedWordsInBracketsAtTheEnd) {
  auto split = [](std::string message) {
    std::string label = splitLabel(message);
    return std::make_pair(message, label);
  };
  using Pair = std::pair<std::string, std::string>;
  EXPECT_EQ(split("K differs [tile.mma.c2]"), Pair("K differs", "tile.mma.c2"));
  EXPECT_EQ(split("too large     [cdna.kernel.c3]"), Pair("too large", "cdna.kernel.c3"));
  EXPECT_EQ(split("tile [256, 64]"), Pair("tile [256, 64]", ""));
  EXPECT_EQ(split("pad [0.5]"), Pair("pad [0.5]", ""));
  EXPECT_EQ(split("list [word]"), Pair("list [word]", ""));
  EXPECT_EQ(split("no bracket]"), Pair("no bracket]", ""));
  EXPECT_EQ(split("[tile.mma.c2] first"), Pair("[tile.mma.c2] first", ""));
  EXPECT_EQ(split(""), Pair("", ""));
}

class DiagnosticsTest : public ::testing::Test {
protected:
  MLIRContext context{MLIRContext::Threading::DISABLED};
  Location at(unsigned line, unsigned column) {
    return FileLineColLoc::get(&context, "gemm.py", line, column);
  }
};

TEST_F(DiagnosticsTest, SourcePointSeesThroughWrappers) {
  Location inner = at(7, 15);
  for (Location loc : {inner, Location(NameLoc::get(StringAttr::get(&context, "x"), inner)),
                       Location(FusedLoc::get(&context, {inner, UnknownLoc::get(&context)})),
                       Location(CallSiteLoc::get(inner, at(9, 1)))}) {
    SourcePoint point = sourcePoint(loc);
    EXPECT_EQ(point.file, "gemm.py");
    EXPECT_EQ(point.line, 7u);
    EXPECT_EQ(point.column, 15u);
    EXPECT_EQ(point.endLine, 0u);
  }
  EXPECT_EQ(sourcePoint(UnknownLoc::get(&context)).line, 0u);
  SourcePoint range =
      sourcePoint(FileLineColRange::get(StringAttr::get(&context, "gemm.py"), 7, 15, 7, 40));
  EXPECT_EQ(std::make_pair(range.endLine, range.endColumn), std::make_pair(7u, 40u));
}

TEST_F(DiagnosticsTest, CollectsInOrder) {
  DiagnosticCollector collector(&context);
  emitRemark(at(1, 1)) << "chosen";
  EXPECT_FALSE(collector.hasErrors());
  emitWarning(at(2, 1)) << "slow [a.b]";
  InFlightDiagnostic error = emitError(at(3, 4)) << "wrong [tile.mma.c2]";
  error.attachNote(at(5, 6)) << "made here";
  error.report();
  EXPECT_TRUE(collector.hasErrors());
  ASSERT_EQ(collector.remarks.size(), 1u);
  ASSERT_EQ(collector.diagnostics.size(), 2u);
  EXPECT_EQ(collector.diagnostics[0].severity, "warning");
  EXPECT_EQ(collector.diagnostics[1].toText(), "gemm.py:3:4: error: wrong [tile.mma.c2]\n"
                                               "gemm.py:5:6: note: made here\n");
  llvm::json::Object json = collector.diagnostics[1].toJson();
  EXPECT_EQ(json.getString("label"), "tile.mma.c2");
  EXPECT_EQ(json.getString("message"), "wrong");
  EXPECT_EQ(json.getInteger("line"), 3);
  EXPECT_EQ((*json.getArray("notes"))[0].getAsObject()->getString("message"), "made here");
}

std::string contents(llvm::StringRef path) {
  auto buffer = llvm::MemoryBuffer::getFile(path);
  return buffer ? (*buffer)->getBuffer().str() : "";
}

TEST(WriteFile, WritesIntoAPipeAndDoesNotReplaceIt) {
  llvm::SmallString<128> folder;
  ASSERT_FALSE(llvm::sys::fs::createUniqueDirectory("tegula-test", folder));
  std::string path = (folder + "/pipe").str();
  ASSERT_EQ(mkfifo(path.c_str(), 0600), 0);
  int reader = open(path.c_str(), O_RDWR | O_NONBLOCK);
  ASSERT_GE(reader, 0);
  EXPECT_FALSE(writeFile(path, "abc"));
  char bytes[4] = {};
  EXPECT_EQ(read(reader, bytes, 3), 3);
  EXPECT_STREQ(bytes, "abc");
  close(reader);
  struct stat status;
  ASSERT_EQ(stat(path.c_str(), &status), 0);
  EXPECT_TRUE(S_ISFIFO(status.st_mode));
  llvm::sys::fs::remove_directories(folder);
}

TEST(WriteFile, ReplacesAndLeavesNothingBehind) {
  llvm::SmallString<128> folder;
  ASSERT_FALSE(llvm::sys::fs::createUniqueDirectory("tegula-test", folder));
  std::string path = (folder + "/out.bin").str();
  EXPECT_FALSE(writeFile(path, "one"));
  EXPECT_FALSE(writeFile(path, std::string("t\0o", 3)));
  EXPECT_EQ(contents(path), std::string("t\0o", 3));
  EXPECT_TRUE(writeFile((folder + "/missing/out.bin").str(), "x"));
  llvm::sys::fs::create_directory(folder + "/taken");
  EXPECT_TRUE(writeFile((folder + "/taken").str(), "x")) << "a directory is not replaced";
  std::error_code error;
  int files = 0;
  for (llvm::sys::fs::directory_iterator it(folder, error), end; it != end && !error;
       it.increment(error))
    ++files;
  EXPECT_EQ(files, 2) << "out.bin and taken, no temporary file";
  llvm::sys::fs::remove_directories(folder);
}

TEST(BuildId, NamesLlvm) { EXPECT_NE(buildId().find(" llvm-22."), std::string::npos); }

} // namespace
