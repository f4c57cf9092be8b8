// Interference colouring of LDS items, largest first, lowest free offset.
#include "LdsPlan.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace tegula::cdna;

static constexpr int64_t kSmallBytes = 1024;

static bool interferes(const LdsItem &a, const LdsItem &b) {
  return a.begin <= b.end && b.begin <= a.end;
}

static int64_t lowestOffset(const LdsItem &item, llvm::ArrayRef<const LdsItem *> placed,
                            bool shareBytes) {
  int64_t offset = 0;
  // Each round skips at least one placed item, so there are at most as many rounds as items.
  for (bool moved = true; moved;) {
    moved = false;
    for (const LdsItem *other : placed) {
      bool collides = offset < other->offset + other->bytes && other->offset < offset + item.bytes;
      if (collides && (!shareBytes || interferes(item, *other))) {
        offset = llvm::alignTo(other->offset + other->bytes, item.alignment);
        moved = true;
      }
    }
  }
  return offset;
}

static int64_t place(llvm::MutableArrayRef<LdsItem> items, bool smallShare) {
  llvm::SmallVector<LdsItem *> order;
  for (LdsItem &item : items)
    order.push_back(&item);
  // Equal sizes keep the order of first use, so that the result depends on nothing else.
  llvm::sort(order, [](const LdsItem *a, const LdsItem *b) {
    return a->bytes != b->bytes ? a->bytes > b->bytes : a < b;
  });
  llvm::SmallVector<const LdsItem *> placed;
  int64_t total = 0;
  for (LdsItem *item : order) {
    item->offset = lowestOffset(*item, placed, smallShare || item->bytes > kSmallBytes);
    placed.push_back(item);
    total = std::max(total, item->offset + item->bytes);
  }
  return total;
}

int64_t tegula::cdna::planLds(llvm::MutableArrayRef<LdsItem> items, int64_t budget) {
  int64_t total = place(items, /*smallShare=*/false);
  return total <= budget ? total : place(items, /*smallShare=*/true);
}
