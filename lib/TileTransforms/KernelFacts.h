// What the choice of a schedule needs to know about a kernel.
#ifndef TEGULA_TILETRANSFORMS_KERNELFACTS_H
#define TEGULA_TILETRANSFORMS_KERNELFACTS_H

#include "dialects/tile/Tile.h"

namespace tegula::tile {

/// One operand of the product, followed back to the load it comes from.
struct OperandFacts {
  LoadOp load;            ///< null when the operand is computed
  bool converted = false; ///< something lies between load and product
  int64_t bytes = 0;      ///< of one tile in LDS
  unsigned kDim = 0;      ///< the dimension that the product contracts
};

struct KernelFacts {
  MmaOp mma;                   ///< the largest product; null when there is none
  int64_t M = 0, N = 0, K = 0; ///< its tile
  std::string aType, bType;    ///< dtype names
  OperandFacts a, b;
  int64_t stagedBytes = 0; ///< operands in LDS at a time: all that its loop loads for products
  bool inTileLoop = false; ///< the product and its loads repeat in one loop
  bool hasTileId = false;
  bool walks = false;       ///< over tiles, by itself: its grid is what the device holds
  int64_t maxElements = 0;  ///< of the largest tile loaded or stored
  int64_t elementBytes = 1; ///< of that tile
  bool widestIsLast = true; ///< that tile's largest extent is its last one
  bool hasReduce = false;
  bool isTransposed = false; ///< some view or tile has its dimensions in another order
};

KernelFacts collectFacts(KernelOp kernel);

} // namespace tegula::tile

#endif // TEGULA_TILETRANSFORMS_KERNELFACTS_H
