// The passes on the tile dialect, in pipeline order.
#ifndef TEGULA_TILETRANSFORMS_PASSES
#define TEGULA_TILETRANSFORMS_PASSES

include "mlir/Pass/PassBase.td"

def FoldCastsPass : Pass<"tile-fold-casts", "::tegula::tile::KernelOp"> {
  let summary = "Removes casts that change nothing, moves others to the small side of a broadcast";
  let description = [{
    A widening followed by the narrowing back is the value itself: every narrow value survives it,
    whatever the rounding (with `saturate` only where the narrow type has no infinity to clamp). A
    lossless widening of a float of 16 bits or more is spelled `arith.extf`. No rounding is ever
    changed, merged or added.

    Before:
    ```mlir
    %w = arith.extf %x : tensor<1x64xbf16> to tensor<1x64xf32>
    %n = tile.cast %w rne : tensor<1x64xf32> -> tensor<1x64xbf16>
    %b = tile.broadcast %r : tensor<1x1xf32> to tensor<1x64xf32>
    %c = tile.cast %b rne : tensor<1x64xf32> -> tensor<1x64xbf16>
    ```
    After (`%n` is `%x`):
    ```mlir
    %s = tile.cast %r rne : tensor<1x1xf32> -> tensor<1x1xbf16>
    %c = tile.broadcast %s : tensor<1x1xbf16> to tensor<1x64xbf16>
    ```
  }];
}

def FoldViewsPass : Pass<"tile-fold-views", "::tegula::tile::KernelOp"> {
  let summary = "Moves transposes of loaded tiles into the view and orders chains of view ops";
  let description = [{
    A transposed load reads through a permuted view instead, and a transposed tile is stored through
    one, so that the memory order decides the layout. Chains come out as slice, index, permute;
    permutations compose; an index cancels the expand it undoes.

    Before:
    ```mlir
    %t = tile.load %a[%m, %k] pad(0.0) : !A -> tensor<64x32xbf16>
    %u = tile.transpose %t {perm = [1, 0]} : tensor<64x32xbf16> -> tensor<32x64xbf16>
    ```
    After:
    ```mlir
    %p = tile.permute_view %a {perm = [1, 0]} : !A -> !At
    %u = tile.load %p[%k, %m] pad(0.0) : !At -> tensor<32x64xbf16>
    ```
  }];
}

def UnrollBatchesPass : Pass<"tile-unroll-batches", "::tegula::tile::KernelOp"> {
  let summary = "Takes a product of batches apart into one product a batch";
  let description = [{
    With it goes what hangs together with it along the batch axis: loads and stores (by the view of
    one batch, which is empty beyond the last), element-wise ops, transposes and reductions of other
    axes, what loops and branches carry. Where another op looks at a whole tile it is put together.

    Before:
    ```mlir
    %d = tile.mma %a, %b, %c : tensor<2x64x32xbf16>, tensor<2x32x64xbf16>, tensor<2x64x64xf32>
    ```
    After:
    ```mlir
    %d0 = tile.mma %a0, %b0, %c0 : tensor<64x32xbf16>, tensor<32x64xbf16>, tensor<64x64xf32>
    %d1 = tile.mma %a1, %b1, %c1 : tensor<64x32xbf16>, tensor<32x64xbf16>, tensor<64x64xf32>
    ```
  }];
}

def PadProductsPass : Pass<"tile-pad-products", "::tegula::tile::KernelOp"> {
  let summary = "Pads products whose K no instruction divides with zeros, which leave the sums as they are";
  let description = [{
    To the least extent that an instruction for the types divides, or the one that the schedule
    names. A remark says so: the zeros cost matrix cycles, and the operands are no longer what was
    loaded, so that they don't go through the stages of a loop.

    Before:
    ```mlir
    %d = tile.mma %a, %b, %c : tensor<64x30xbf16>, tensor<30x64xbf16>, tensor<64x64xf32>
    ```
    After:
    ```mlir
    %p = tile.concat %a, %z0 {axis = 1} : tensor<64x30xbf16>, tensor<64x2xbf16> -> tensor<64x32xbf16>
    %q = tile.concat %b, %z1 {axis = 0} : tensor<30x64xbf16>, tensor<2x64xbf16> -> tensor<32x64xbf16>
    %d = tile.mma %p, %q, %c : tensor<64x32xbf16>, tensor<32x64xbf16>, tensor<64x64xf32>
    ```
  }];
}

def ExpandQuantizePass : Pass<"tile-expand-quantize", "::tegula::tile::KernelOp"> {
  let summary = "Writes block quantization as arithmetic on the bits of each block's largest magnitude";
  let description = [{
    The blocked axes are split in two by a reshape, so that a block is a row of its own; integer
    comparison of magnitudes makes NaN the largest. Where the mode keeps codes from overflowing, the
    cast does not saturate.

    Before:
    ```mlir
    %q, %s = tile.quantize %x {axis = [1], block = [32], mode = floor} : tensor<64x128xf32> -> tensor<64x128xf8E4M3FN>, tensor<64x4xf8E8M0FNU>
    ```
    After (abbreviated):
    ```mlir
    %b = tile.reshape %x : tensor<64x128xf32> to tensor<64x4x32xf32>
    %m = tile.reduce max %magnitude {axis = 2} : tensor<64x4x32xi32> -> tensor<64x4x1xi32>
    %y = arith.mulf %b, %factor : tensor<64x4x32xf32>
    %c = tile.cast %y rne saturate : tensor<64x4x32xf32> -> tensor<64x4x32xf8E4M3FN>
    %q = tile.reshape %c : tensor<64x4x32xf8E4M3FN> to tensor<64x128xf8E4M3FN>
    ```
  }];
}

def PickSchedulePass : Pass<"tile-pick-schedule", "::tegula::tile::KernelOp"> {
  let summary = "Fills in the schedule fields the user left out, and refuses illegal ones";
  let description = [{
    A field that is there is obeyed or refused, with the list of legal values, never changed. The
    others come from a small table by tile shape and target (ScheduleModel.cpp): waves, matrix
    instruction, stages, LDS path, raster.

    Before:
    ```mlir
    tile.kernel @gemm(…) attributes {target = …,
                                  schedule = #tile.schedule<stages = 2>} { … }
    ```
    After:
    ```mlir
    tile.kernel @gemm(…) attributes {target = …,
        schedule = #tile.schedule<waves = [2, 4], mma = "16x16x32", stages = 2, lds = direct,
                                  raster = {group = 8, xcd = true}, split_k = 1,
                                  persistent = false, occupancy = 1>} { … }
    ```
    Fails with `tile.schedule.c1` … `tile.schedule.c8` and `tile.target.c1`.
  }];
}

def CheckLoweringsPass : Pass<"tile-check-lowerings", "::tegula::tile::KernelOp"> {
  let summary = "Refuses what has no lowering, and promises tile.legal_for_target";
  let description = [{
    From here on every op is on the list of those that are lowered (dialects/tile/TileLowerings.cpp):
    each product has a matrix instruction, each function and conversion an expansion; and the
    schedule is complete. Fails with `tile.target.c1`, which names op, types and what exists. A
    product of the f8 flavour that the target's matrix unit lacks is remarked: its operands will be
    converted to f16, which holds all their numbers.

    Before:
    ```mlir
    tile.kernel @k(…) attributes {schedule = #tile.schedule<waves = [1, 2], …>, …} { … }
    ```
    After:
    ```mlir
    tile.kernel @k(…) attributes {schedule = …, tile.legal_for_target} { … }
    ```
  }];
}

def ApplyPersistentPass : Pass<"tile-apply-persistent", "::mlir::ModuleOp"> {
  let summary = "Gives the workgroups that a device holds at once all tiles of a grid to walk over";
  let description = [{
    `persistent = true`: the grid becomes the smaller of `tile.resident` and the number of tiles, and
    the body a loop over every so many-th place of the raster. A kernel that walks by itself
    (`tile.tile_id … at`) stays as it is.

    Before:
    ```mlir
    %m, %n = tile.tile_id %c [256, 256] : !C -> i32, i32
    body(%m, %n)
    ```
    After (`%tiles`: what the grid function returned):
    ```mlir
    %w = tile.resident : i32
    scf.for %i = %c0 to %mine step %c1 : i32 {      // %mine = (%tiles - %p + %w - 1) / %w
      %t = %p + %i * %w
      %m, %n = tile.tile_id %c [256, 256] at(%t) : !C -> i32, i32
      body(%m, %n)
    }
    ```
    Fails with `tile.schedule.c7`.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::scf::SCFDialect"];
}

def SplitContractionPass : Pass<"tile-split-contraction", "::mlir::ModuleOp"> {
  let summary = "Splits the loop that sums up a tile over several workgroups";
  let description = [{
    `split_k = s`: the grid has s times as many workgroups. Each runs its part of the loop over tiles
    and writes its partial sum to the workspace, a hidden argument. The last one to arrive at a tile
    adds the parts up, from the first to the last whoever wrote them when, so that a launch has the
    same bits each time, and goes on with what follows the loop. A kernel's own initial value goes
    into the first part. The tile of the loop that is partly outside is the last workgroup's.

    Before:
    ```mlir
    %n = arith.ceildivui %K, %c64 : i32
    %r = scf.for %k = %c0 to %n step %c1 iter_args(%x = %init) -> (T) : i32 { body(%k, %x) }
    rest(%r)
    ```
    After (`%full` = `%K` / 64, `%part` = position / tiles of the grid, `%t` = position mod them):
    ```mlir
    %first = min(%part * ceildiv(%full, s), %full)
    %end = min(%first + ceildiv(%full, s), %full)
    %r = scf.for %i = %c0 to %end - %first iter_args(%x = …) { body(%first + %i, %x) }
    tile.store %r, %parts[%t * s + %part, …]
    %last = tile.arrive %counters[%t] of s : …
    scf.if %last {
      %sum = scf.for … { %x + tile.load %parts[…] }
      rest(%sum)
    }
    ```
    Fails with `tile.schedule.c6`.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::scf::SCFDialect"];
}

def ApplyRasterPass : Pass<"tile-apply-raster", "::tegula::tile::KernelOp"> {
  let summary = "Turns tile.tile_id into arithmetic on the linear grid position";
  let description = [{
    `xcd`: hardware deals workgroups to the chip's dies in turn; renumbering gives each die a
    contiguous run of tiles, so that its L2 sees neighbours; `at`, a place in the raster, is taken
    like a position in the grid. `group`: tiles are walked in groups of
    that many rows. Both are bijections for every grid, remainders included. All arithmetic is
    scalar i32.

    Before:
    ```mlir
    %m, %n = tile.tile_id %c [256, 256] : !C -> i32, i32
    ```
    After (`group = 1, xcd = false`, abbreviated):
    ```mlir
    %p = tile.program_id {axis = 0} : i32
    %m = arith.divui %p, %tiles_n : i32
    %n = arith.remui %p, %tiles_n : i32
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
}

def LowerRecordsPass : Pass<"tile-lower-records", "::mlir::ModuleOp"> {
  let summary = "Assertions and prints write records to a hidden argument, which the host reads";
  let description = [{
    The argument (`tile.records`) is a view of i64. Its first word counts the words that are taken; a
    record takes its words by an atomic addition, and what no longer fits is dropped. A record is:
    number of its site, its words, the workgroup's place on three axes, the failing element, then its
    values as words (integers extended, floats as f64), scalars first. `tile.record_sites` of the
    kernel holds what the host needs to make text of them. A workgroup whose assertion fails ends
    there (`tile.exit`), so that nothing is done which the assertion was to prevent. Kernels without
    assertions and prints stay as they are; assertions of kernels without `tile.asserts` are gone
    already (canonicalization).

    Before:
    ```mlir
    tile.assert %ok, "n is {}"(%n) : i1, i32
    ```
    After:
    ```mlir
    %failed = arith.xori %ok, %true : i1
    scf.if %failed {
      %old = tile.atomic_rmw add %words, %records[%c0] relaxed agent : tensor<1xi64>, !R -> tensor<1xi64>
      %first = tile.element %old : tensor<1xi64> -> i64     // behind the header
      tile.scatter %record, %records[%places] : tensor<7xi64>, !R, tensor<7xi64>
      tile.exit
    }
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::scf::SCFDialect"];
}

def RaiseRanksPass : Pass<"tile-raise-ranks", "::tegula::tile::KernelOp"> {
  let summary = "Gives tiles of rank 0 a dimension of extent 1";
  let description = [{
    A layout deals coordinates to lanes and waves, and a tile of rank 0 has none.

    Before:
    ```mlir
    %s = tile.reshape %r : tensor<1x1xf32> to tensor<f32>
    %q = arith.mulf %s, %s : tensor<f32>
    ```
    After:
    ```mlir
    %s = tile.reshape %r : tensor<1x1xf32> to tensor<1xf32>
    %q = arith.mulf %s, %s : tensor<1xf32>
    ```
  }];
}

def SplitTailsPass : Pass<"tile-split-tails", "::tegula::tile::KernelOp"> {
  let summary = "Splits loops over the tiles of a dimension into full tiles and one masked rest";
  let description = [{
    For loops that carry a product or a reduction and whose bound is ceildiv(extent, tile): the loop
    runs over extent / tile full tiles, so its loads need no mask, and one copy of the body under
    `scf.if` reads the rest. The order of accumulation stays; an extent of 0 leaves the initial
    value; a static extent decides at compile time. Sets `tile.tails_split`.

    Before:
    ```mlir
    %n = arith.ceildivui %K, %c64 : i32
    %r = scf.for %k = %c0 to %n step %c1 iter_args(%x = %zero) -> (T) : i32 { body(%k, %x) }
    ```
    After:
    ```mlir
    %full = arith.divui %K, %c64 : i32
    %s = scf.for %k = %c0 to %full step %c1 iter_args(%x = %zero) -> (T) : i32 { body(%k, %x) }
    %rest = arith.remui %K, %c64 : i32
    %some = arith.cmpi ne, %rest, %c0 : i32
    %r = scf.if %some -> (T) { body(%full, %s) } else { scf.yield %s }
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::scf::SCFDialect"];
}

def HoistLoadsPass : Pass<"tile-hoist-loads", "::tegula::tile::KernelOp"> {
  let summary = "Moves loads that a loop repeats in front of it";
  let description = [{
    A load moves when its operands do not change in the loop, the loop writes nothing of its alias
    set, and its view is an argument or a reordered one: such a load is safe at any index, so it may
    run although the loop does not.

    Before:
    ```mlir
    scf.for %i = %c0 to %n step %c1 : i32 {
      %w = tile.load %a[%c0] pad(0.0) : !W -> tensor<64xf32>
      …
    }
    ```
    After:
    ```mlir
    %w = tile.load %a[%c0] pad(0.0) : !W -> tensor<64xf32>
    scf.for %i = %c0 to %n step %c1 : i32 { … }
    ```
  }];
}

#endif // TEGULA_TILETRANSFORMS_PASSES
