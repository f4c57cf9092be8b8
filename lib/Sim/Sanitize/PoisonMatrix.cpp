// Undefined elements through matrix instructions: one in row i of A spoils row i of D, one in
// column j of B spoils column j, one of C spoils its own element.
#include "Sim/Sanitize/PoisonParts.h"
#include <string_view>

namespace tegula::sim::poison {

namespace {
struct Shape {
  unsigned m = 16, blocks = 1;
  bool f64 = false;
};

/// "…_32x32x4_2b_…" has M = 32 and two blocks.
Shape shapeOf(std::string_view name) {
  Shape s;
  s.f64 = name.find("_f64") != name.npos;
  s.m = name.find("_32x32x") != name.npos ? 32 : name.find("_4x4x") != name.npos ? 4 : 16;
  for (unsigned blocks : {2u, 4u}) {
    const char text[] = {'_', char('0' + blocks), 'b', '_', 0};
    if (name.find(text) != name.npos)
      s.blocks = blocks;
  }
  if (name.find("_16b_") != name.npos)
    s.blocks = 16;
  return s;
}

/// Lane and register of D element (b, i, j), register pairs counted once.
void placeOf(const Shape &s, unsigned b, unsigned i, unsigned j, unsigned &lane, unsigned &item) {
  if (s.f64 && s.m == 4) {
    lane = 16 * i + 4 * b + j;
    item = 0;
    return;
  }
  unsigned h = s.f64 ? 1 : 4, perBlock = s.m * s.m / h;
  unsigned bi = (64 + perBlock - 1) / perBlock, mi = 64 / bi / s.m, g = s.m / (h * mi);
  lane = j + s.m * (i / h % mi + mi * (b % bi));
  item = i % h + h * (i / (h * mi) + g * (b / bi));
}

/// Lanes of a source with an undefined bit, one of its registers at least.
uint64_t lanesOf(const Wave &w, const Uses::Run &run) {
  uint64_t lanes = 0;
  for (unsigned r = run.first; r < unsigned(run.first) + run.count; ++r) {
    if (!(w.watch->status[r] & kPoisoned))
      continue;
    const uint32_t *row = shadow(w, r * kRowBytes);
    for (unsigned l = 0; l < kLanes; ++l)
      lanes |= uint64_t(row[l] != 0) << l;
  }
  return lanes;
}

/// Lane l of A holds row l % M of block l / M % blocks, whatever the type; B likewise by columns.
uint64_t linesOf(const Shape &s, uint64_t lanes, unsigned block) {
  uint64_t lines = 0;
  for (uint64_t m = lanes; m; m &= m - 1) {
    unsigned l = unsigned(__builtin_ctzll(m));
    if (l / s.m % s.blocks == block)
      lines |= 1ull << l % s.m;
  }
  return lines;
}

struct Operands {
  const Uses::Run *d = nullptr, *c = nullptr;
  uint64_t a = 0, b = 0;        ///< undefined lanes
  LaneOrigins fromA{}, fromB{}; ///< of them
};
Operands operandsOf(const Wave &w, const Uses &u) {
  Operands o;
  unsigned sources = 0;
  for (const Uses::Run &run : u) {
    if (run.has(kUseWrite) && !o.d)
      o.d = &run;
    if (run.has(kUseAddend))
      o.c = &run;
    if (run.has(kUseSource) && run.first < kScalarReg) {
      // In the order of the operands: A, B, then their scales; a scale spoils its operand's lines.
      (sources % 2 ? o.b : o.a) |= lanesOf(w, run);
      LaneOrigins &from = sources % 2 ? o.fromB : o.fromA;
      for (unsigned r = run.first; r < unsigned(run.first) + run.count; ++r) {
        LaneOrigins its = originsOf(w, r);
        for (unsigned l = 0; l < kLanes; ++l)
          from[l] = named(w, from[l], its[l]);
      }
      ++sources;
    }
  }
  return o;
}
/// The named one of the undefined lanes that hold line `line` of the block.
uint32_t lineOrigin(const Wave &w, const Shape &s, const LaneOrigins &from, unsigned block,
                    bool anyBlock, unsigned line) {
  uint32_t origin = 0;
  for (unsigned l = line; l < kLanes; l += s.m)
    if (anyBlock || l / s.m % s.blocks == block)
      origin = named(w, origin, from[l]);
  return origin;
}
} // namespace

void spreadMatrix(Wave &w, const Op &o, const Uses &u) {
  std::string_view name = semName(Sem(u.sem));
  Shape s = shapeOf(name);
  bool sparse = name.substr(0, 8) == "v_smfmac";
  bool broadcast = s.blocks > 1 && !s.f64 && (o.aux & 7 || o.aux >> 7 & 7); // cbsz, blgp
  Operands x = operandsOf(w, u);
  if (!x.d)
    return;
  std::vector<uint32_t> result(size_t(x.d->count) * kLanes);
  std::vector<LaneOrigins> from(x.d->count, LaneOrigins{});
  if (const Uses::Run *c = sparse ? x.d : x.c) // D takes C's undefined elements
    for (unsigned r = 0; r < x.d->count; ++r)
      if (w.watch->status[c->first + r] & kPoisoned) {
        const uint32_t *row = shadow(w, (c->first + r) * kRowBytes);
        from[r] = originsOf(w, c->first + r);
        for (unsigned l = 0; l < kLanes; ++l)
          result[r * kLanes + l] = row[l] ? ~0u : 0;
      }
  unsigned width = s.f64 ? 2 : 1;
  for (unsigned b = 0; b < s.blocks; ++b) {
    // With cbsz and blgp a block may read another's operand: any undefined one counts then.
    uint64_t rows = 0, columns = 0;
    for (unsigned from = broadcast ? 0 : b; from < (broadcast ? s.blocks : b + 1); ++from) {
      rows |= linesOf(s, x.a, from);
      columns |= linesOf(s, x.b, from);
    }
    uint32_t rowOrigin[32], columnOrigin[32];
    for (unsigned i = 0; i < s.m; ++i) {
      rowOrigin[i] = lineOrigin(w, s, x.fromA, b, broadcast, i);
      columnOrigin[i] = lineOrigin(w, s, x.fromB, b, broadcast, i);
    }
    for (unsigned i = 0; i < s.m; ++i)
      for (unsigned j = 0; j < s.m; ++j) {
        unsigned lane, item;
        placeOf(s, b, i, j, lane, item);
        if (!((rows >> i | columns >> j) & 1))
          continue;
        for (unsigned k = item * width; k < (item + 1) * width && k < x.d->count; ++k) {
          result[k * kLanes + lane] = ~0u;
          from[k][lane] = named(w, from[k][lane], named(w, rowOrigin[i], columnOrigin[j]));
        }
      }
  }
  for (unsigned r = 0; r < x.d->count; ++r) {
    touch(w, x.d->first + r);
    std::memcpy(shadow(w, (x.d->first + r) * kRowBytes), &result[r * kLanes], kRowBytes);
    refreshLanes(w, x.d->first + r, from[r]);
  }
}

} // namespace tegula::sim::poison
