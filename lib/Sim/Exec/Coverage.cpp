#include "Sim/Exec/Coverage.h"
#include "Sim/Exec/Handlers.h"
#include <algorithm>
#include <cstring>

namespace tegula::sim {

std::vector<ExecutedForm> executedForms() {
  std::vector<ExecutedForm> all;
  for (const IsaRow *row = kIsaRows; row != kIsaRows + kNumIsaRows; ++row) {
    if (!findEntry(row->sem))
      continue;
    for (Arch arch : {Arch::gfx942, Arch::gfx950}) {
      if (!(row->archs & archBit(arch)))
        continue;
      std::string name(encodingName(row->encoding));
      all.push_back({row, arch, name});
      if (row->has(kSdwa))
        all.push_back({row, arch, name + "_SDWA"});
      if (row->has(kDpp))
        all.push_back({row, arch, name + "_DPP"});
    }
  }
  std::sort(all.begin(), all.end(), [](const ExecutedForm &a, const ExecutedForm &b) {
    int order = std::strcmp(a.row->mnemonic, b.row->mnemonic);
    return order != 0 ? order < 0 : a.arch != b.arch ? a.arch < b.arch : a.encoding < b.encoding;
  });
  return all;
}

} // namespace tegula::sim
