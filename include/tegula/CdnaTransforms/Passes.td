// Passes inside the cdna dialect, in pipeline order. Each runs on one kernel.
#ifndef TEGULA_CDNATRANSFORMS_PASSES
#define TEGULA_CDNATRANSFORMS_PASSES

include "mlir/Pass/PassBase.td"

class CdnaPass<string name> : Pass<name, "::tegula::cdna::KernelOp"> {
  let dependentDialects = ["::tegula::cdna::CdnaDialect", "::mlir::arith::ArithDialect", "::mlir::scf::SCFDialect"];
}

def OrderMemoryPass : CdnaPass<"cdna-order-memory"> {
  let summary = "accesses of one argument keep program order across the waves";
  let description = [{
    A store and a load of the same kernel argument, in either order, meet in a `cdna.order` of the workgroup, unless
    each lane comes back to the very elements that it touched itself (same window, indices and layout). Loops are
    looked at twice, so that an iteration is ordered after the one before. Atomic updates need no order among
    themselves.

    Before:
    ```mlir
    cdna.store %t, %w[%c0] {tail = [none]} : tensor<128xf32, #rows>, !B
    %u = cdna.load_indexed %x[%c0] at(%i) ...
    ```
    After:
    ```mlir
    cdna.store %t, %w[%c0] {tail = [none]} : tensor<128xf32, #rows>, !B
    cdna.order release workgroup
    %u = cdna.load_indexed %x[%c0] at(%i) ...
    ```
  }];
}

def StageOperandsPass : CdnaPass<"cdna-stage-operands"> {
  let summary = "give operands of products and layout conversions a way through LDS (sets cdna.staged)";
  let description = [{
    A tile that is loaded for a product is staged by the way the schedule names: `direct` copies it from global memory to
    LDS without registers, `register` loads and stores it, `none` loads it in the operand's own layout. Each product is
    cut into k-steps, so that fragments of one step are read while the step before computes. Buffers written in a loop
    get the stages of the schedule. What a direct copy writes for lanes outside is not known. So a tile takes the register
    way if its contracted dimension has a tail, or another dimension has one and somebody looks at what the product holds
    beyond it. If nobody does, nothing is compared there (`tail = whole`).

    If the operand is not contiguous along k, the reader transposes where the target can. Elsewhere the tile is loaded in
    a layout with pairs of k in each lane, and the writer stores dwords that are contiguous along k.

    Every other `convert_layout` gets the cheapest path: a renaming, moves between lanes (DPP, permlane swaps), or a
    buffer, a store and a load; so does every `reshape`. Tiles of more than half of the LDS pass through it in parts
    (`cdna.part`, `cdna.join`). The path is a remark.

    Before:
    ```mlir
    %t = cdna.load %w[%c0, %k64] {tail = [records, none], scalar = [1]} : ... -> tensor<256x64xbf16, #rows>
    %a = cdna.convert_layout %t : tensor<256x64xbf16, #rows> -> tensor<256x64xbf16, #a>
    %y = cdna.mfma %a, %b, %x {shape = "16x16x32", swapped} : ...
    ```
    After:
    ```mlir
    %t  = cdna.async_copy %w[%c0, %k64], %l[%s] {fetch = #fetch, width = 16, ...} : ... -> !cdna.token
    %v0 = cdna.lds_view %l[%s] [0, 0] [256, 32] : ...
    %a0 = cdna.lds_load %v0 : ... -> tensor<256x32xbf16, #a0>
    %y0 = cdna.mfma %a0, %b0, %x {shape = "16x16x32", swapped} : ...
    %v1 = cdna.lds_view %l[%s] [0, 32] [256, 32] : ...
    ...
    ```
  }];
}

def SolveSwizzlesPass : CdnaPass<"cdna-solve-swizzles"> {
  let summary = "choose the swizzle of each LDS buffer that asks for one";
  let description = [{
    Collects the accesses of a buffer marked `swizzle` and asks lib/Layout for the XOR masks with the fewest bank
    conflicts. The masks go into the buffer's type and that of its views; a direct copy writes LDS linearly, so for it
    the swizzle goes into the layout in which lanes fetch. Rows whose length is no power of two are permuted in
    groups of the largest one that divides them; if that leaves conflicts they grow by chunks of 16
    bytes, or to a power of two. What conflict remains is a remark with the clocks lost.

    Before:
    ```mlir
    %l = cdna.lds_alloc {swizzle} : !cdna.lds<256x64xbf16, order = [1, 0], stages = 2>
    ```
    After:
    ```mlir
    %l = cdna.lds_alloc : !cdna.lds<256x64xbf16, order = [1, 0], stages = 2, xor = [1, 2, 4]>
    ```
  }];
}

def PipelineLoopsPass : CdnaPass<"cdna-pipeline-loops"> {
  let summary = "overlap copies, fragment reads and products of a staged loop (sets cdna.pipelined)";
  let description = [{
    A loop with S stages keeps S tiles in flight: the copy for tile t + S goes into the slot that tile t has just left,
    behind the barrier that follows tile t's last read. The first fragments of tile t + 1 are read at the end of iteration
    t and carried, if registers hold them beside those of tile t, else at the head of t + 1. Through registers, the load
    for t + 2 is issued in iteration t and stored at the start of t + 1. Refills beyond the last tile are issued, so that
    counts stay, but read nothing. An odd number of k-steps unrolls the loop by two, so that fragment registers alternate
    without copies. The whole stands under `scf.if` when the loop may run zero times.

    Before:
    ```mlir
    %r = scf.for %k = %c0 to %n step %c1 iter_args(%x = %zero) {
      copy(%k -> slot 0)
      %f0 = frags(slot 0, 0)   %x0 = cdna.mfma %f0, %x
      %f1 = frags(slot 0, 1)   %x1 = cdna.mfma %f1, %x0
      scf.yield %x1 }
    ```
    After:
    ```mlir
    copy(0 -> slot 0)   cdna.sched_fence   copy(1 -> slot 1) where 1 < %n   cdna.sched_fence   %f = frags(slot 0, 0)
    %r:3 = scf.for %k = %c0 to %n step %c1 iter_args(%x = %zero, %s = %slot0, %f0 = %f) {
      %n1 = cdna.next_slot %s {by = 1}
      %f1 = frags(%s, 1)       %x0 = cdna.mfma %f0, %x
      cdna.sched_fence   cdna.barrier   cdna.sched_fence
      copy(%k + 2 -> %s) where %k + 2 < %n
      %g0 = frags(%n1, 0)      %x1 = cdna.mfma %f1, %x0   cdna.sched_fence
      scf.yield %x1, %n1, %g0 }
    ```
  }];
}

def AllocateLdsPass : CdnaPass<"cdna-allocate-lds"> {
  let summary = "give every LDS buffer its bytes (sets cdna.lds_assigned)";
  let description = [{
    The staged buffers of one loop form one ring with a common stage stride, so that one slot serves all. Buffers that
    are never in use at the same time may share bytes. More than the target has, divided by the wished occupancy, is an
    error that lists each buffer and what would fit.

    Before:
    ```mlir
    %la = cdna.lds_alloc : !cdna.lds<256x64xbf16, order = [1, 0], stages = 2, xor = [1, 2, 4]>
    %lb = cdna.lds_alloc : !cdna.lds<64x256xbf16, order = [0, 1], stages = 2, xor = [1, 2, 4]>
    ```
    After:
    ```mlir
    %la = cdna.lds_alloc {offset = 0 : i32, stage_stride = 65536 : i32} : ...
    %lb = cdna.lds_alloc {offset = 32768 : i32, stage_stride = 65536 : i32} : ...
    ```
  }];
}

def InsertWaitsPass : CdnaPass<"cdna-insert-waits"> {
  let summary = "order LDS accesses by the fewest waits and barriers (sets cdna.waits_inserted)";
  let description = [{
    Expands `reduce_waves`, then runs the kernel's LDS traffic along its paths. Before each access that collides with an
    unfinished older one a full wait and a barrier are put; then every barrier that is not needed is removed and every
    count is raised as far as the accesses allow. `cdna.wait` is deleted. The verifier proves the result by another
    method (WaitProof.h).

    Before:
    ```mlir
    cdna.lds_store %x, %l : ...
    %y = cdna.lds_load %l : ...
    ```
    After:
    ```mlir
    cdna.lds_store %x, %l : ...
    cdna.wait_count {vm = 63, lgkm = 0}
    cdna.barrier
    %y = cdna.lds_load %l : ...
    ```
  }];
}

def ProveWaitsPass : CdnaPass<"cdna-prove-waits"> {
  let summary = "check that every LDS access is ordered by waits and barriers";
  let description = [{
    Runs the proof of `tegula/CdnaTransforms/WaitProof.h`, which the verifier of `cdna.waits_inserted` runs too. Changes
    nothing. For a kernel without the attribute:
    ```mlir
    cdna.lds_store %x, %l : ...
    cdna.barrier
    %y = cdna.lds_load %l : ...          // error: ... a wait is missing [cdna.proof.c1]
    ```
  }];
}

def GroupSchedulePass : CdnaPass<"cdna-group-schedule"> {
  let summary = "fix the mix of instructions between two fences of a loop (sets cdna.scheduled)";
  let description = [{
    A phase is what stands between two fences inside a loop. If it has at least 8 matrix instructions, groups at its end
    tell the instruction scheduler to issue global accesses first, one a matrix instruction, then LDS reads with one or
    two matrix instructions each, then the remaining matrix instructions. LDS stores, where there are any, come first of
    all. Counts are those of the instructions that are really there.

    Before:
    ```mlir
    %f1 = cdna.lds_load %v : ...    // 12 reads in all
    %x0 = cdna.mfma %f0, %g0, %x    // 32 instructions
    cdna.sched_fence
    ```
    After:
    ```mlir
    %f1 = cdna.lds_load %v : ...
    %x0 = cdna.mfma %f0, %g0, %x
    cdna.sched_group {kind = ds_read, count = 1}   cdna.sched_group {kind = mfma, count = 2}   // 12 times
    cdna.sched_group {kind = mfma, count = 8}
    cdna.sched_fence
    ```
  }];
}

def CheckBudgetsPass : CdnaPass<"cdna-check-budgets"> {
  let summary = "refuse a kernel whose tiles can't fit into the registers";
  let description = [{
    Estimates the registers of a lane: the most that tiles hold at one point of the kernel. More than a wave can have at
    the schedule's occupancy is an error that names the largest values and their lines. Changes nothing:
    ```mlir
    %x = cdna.load %w[%c0, %c0] ... -> tensor<1024x1024xf32, #big>   // error: registers: ... [cdna.kernel.c5]
    ```
  }];
}

#endif // TEGULA_CDNATRANSFORMS_PASSES
