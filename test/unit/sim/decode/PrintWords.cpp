// Helper of the comparison with llvm-objdump: reads lines of hexadecimal words, prints "size text"
// or "size ! reason | text".
#include "Sim/Decode/Print.h"
#include <cstdio>
#include <cstring>
#include <iostream>
#include <sstream>
#include <vector>

int main(int argc, char **argv) {
  using namespace tegula::sim;
  Arch arch = argc > 1 && !std::strcmp(argv[1], "gfx942") ? Arch::gfx942 : Arch::gfx950;
  std::string line;
  while (std::getline(std::cin, line)) {
    std::vector<uint32_t> words;
    std::istringstream in(line);
    for (std::string word; in >> word;)
      words.push_back(uint32_t(std::stoul(word, nullptr, 16)));
    Instruction i =
        decode(arch, reinterpret_cast<const std::byte *>(words.data()), words.size() * 4, 0);
    std::printf("%u %s%s%s%s\n", i.size, i.refusal ? "! " : "", i.refusal ? i.refusal : "",
                i.refusal ? " | " : "", print(i).c_str());
  }
}
