#include "Sim/Debug/Heatmap.h"
#include "Sim/Exec/Context.h"

namespace tegula::sim {

void Heatmap::add(const Wave &w, const MemTrace &m) {
  if (m.space != MemTrace::Space::Global && m.space != MemTrace::Space::Lds)
    return;
  bool lds = m.space == MemTrace::Space::Lds;
  const Allocation *in = nullptr;
  for (unsigned i = 0; i < m.count; ++i) {
    uint64_t address = m.address[i];
    if (!lds && (!in || address < in->lo || address >= in->hi))
      in = findAllocation(*w.tc->launch->memory, address);
    if (lds ? address >= w.wg->ldsBytes : !in)
      continue; // reported, and no access
    uint64_t base = lds ? 0 : in->lo;
    Heat &h = heat_[{lds, base, (address - base) / bucketBytes_}];
    h.reads += m.reads;
    h.writes += m.writes;
  }
}

std::vector<Heatmap::Row> Heatmap::rows() const {
  std::vector<Row> all;
  for (const auto &[key, heat] : heat_)
    all.push_back({key.lds, key.base, key.bucket * bucketBytes_, heat});
  return all;
}

} // namespace tegula::sim
