// What the device says it executes, against the list of instructions of the two targets.
#include "tegula/sim.h"
#include <cstdio>
#include <fstream>
#include <gtest/gtest.h>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <vector>

namespace {
struct Known {
  std::string encodings, targets;
  int tier;
};
std::map<std::string, Known> knownInstructions() {
  std::ifstream file(ISA_COVERAGE);
  std::map<std::string, Known> all;
  std::string line;
  for (std::getline(file, line); std::getline(file, line);) {
    std::vector<std::string> cells;
    std::istringstream cut(line);
    for (std::string cell; std::getline(cut, cell, ',');)
      cells.push_back(cell);
    if (cells.size() > 10)
      all[cells[0]] = {cells[1], cells[3], std::stoi(cells[10])};
  }
  return all;
}
std::set<std::string> executed() {
  std::set<std::string> all;
  tgs_instructions(
      [](const tgs_instruction *i, void *user) {
        static_cast<std::set<std::string> *>(user)->insert(std::string(i->mnemonic) + " " +
                                                           i->target + " " + i->encoding);
      },
      &all);
  return all;
}
std::string output(const std::string &command, int &status) {
  std::string text;
  FILE *pipe = popen(command.c_str(), "r");
  for (char buffer[4096]; size_t n = std::fread(buffer, 1, sizeof buffer, pipe);)
    text.append(buffer, n);
  status = pclose(pipe) / 256;
  return text;
}

TEST(Coverage, EveryInstructionOfTiersOneAndTwoInEveryEncoding) {
  std::set<std::string> have = executed();
  auto known = knownInstructions();
  ASSERT_GT(known.size(), 1200u);
  size_t checked = 0;
  for (const auto &[mnemonic, k] : known) {
    if (k.tier == 3)
      continue;
    std::istringstream targets(k.targets);
    for (std::string target; targets >> target;) {
      std::istringstream encodings(k.encodings);
      for (std::string e; std::getline(encodings, e, '+');) {
        size_t only = e.find('(');
        if (only != std::string::npos && e.find(target) == std::string::npos)
          continue;
        ++checked;
        EXPECT_TRUE(have.count(mnemonic + " " + target + " " + e.substr(0, only)))
            << mnemonic << " " << target << " " << e;
      }
    }
  }
  EXPECT_GT(checked, 1500u);
}

/// Trap handlers, forks of control flow, scalar scratch and a table of screen partitions.
TEST(Coverage, WhatIsNotExecutedIsThisList) {
  std::set<std::string> missing, have = executed();
  for (const auto &[mnemonic, k] : knownInstructions()) {
    auto it = have.lower_bound(mnemonic + " ");
    if (it == have.end() || it->rfind(mnemonic + " ", 0) != 0)
      missing.insert(mnemonic);
  }
  EXPECT_EQ(missing,
            (std::set<std::string>{"s_cbranch_g_fork", "s_cbranch_i_fork", "s_cbranch_join",
                                   "s_rfe_b64", "s_rfe_restore_b64", "s_scratch_load_dword",
                                   "s_scratch_load_dwordx2", "s_scratch_load_dwordx4",
                                   "s_scratch_store_dword", "s_scratch_store_dwordx2",
                                   "s_scratch_store_dwordx4", "v_screen_partition_4se_b32"}));
}

TEST(Coverage, NamesOnlyInstructionsOfTheTarget) {
  auto known = knownInstructions();
  for (const std::string &form : executed()) {
    std::istringstream words(form);
    std::string mnemonic, target;
    words >> mnemonic >> target;
    ASSERT_TRUE(known.count(mnemonic)) << form;
    EXPECT_NE(known[mnemonic].targets.find(target), std::string::npos) << form;
  }
}

TEST(Coverage, CommandTakesTestedFromTheRecord) {
  std::string record = ::testing::TempDir() + "tested.csv";
  std::ofstream(record) << "v_add_f32,gfx950,VOP2,5\nv_add_f32,gfx950,VOP2,3\n"
                           "v_add_f32,gfx942,VOP2,7\n";
  int status = -1;
  std::string json = output(CLI " coverage --json --tested " + record, status);
  EXPECT_EQ(status, 0);
  auto row = [](const char *arch, const char *tested) {
    return std::string("{\"mnemonic\": \"v_add_f32\", \"arch\": \"") + arch +
           "\", \"encoding\": \"VOP2\", \"tested\": " + tested + "}";
  };
  EXPECT_NE(json.find(row("gfx950", "true")), std::string::npos);  // 5 + 3 cases
  EXPECT_NE(json.find(row("gfx942", "false")), std::string::npos); // 7 are too few
  EXPECT_NE(json.find("\"VOP2_SDWA\""), std::string::npos);
  output(CLI " coverage --tested /nowhere 2>&1", status);
  EXPECT_EQ(status, 1);
  output(CLI " coverage --everything 2>&1", status);
  EXPECT_EQ(status, 2);
}
} // namespace
