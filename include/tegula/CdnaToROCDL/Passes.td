// The passes from the cdna dialect to the LLVM and ROCDL dialects.
#ifndef TEGULA_CDNATOROCDL_PASSES
#define TEGULA_CDNATOROCDL_PASSES

include "mlir/Pass/PassBase.td"

def CdnaToROCDLValuesPass : Pass<"cdna-to-rocdl-values", "::mlir::ModuleOp"> {
  let summary = "Turns every tile into vectors of 128 bits a lane, and every cdna op into LLVM and ROCDL ops";
  let description = [{
    One 1:N dialect conversion: a tile with a layout becomes the chunks a lane holds of it (4 of f32, 8 of 16 bits; 16
    of f32 for the accumulator of a 32x32 instruction), element-wise ops work on the smallest chunk of their operands,
    `scf` carries the chunks. Windows become buffer descriptors, LDS buffers become addresses in one LDS global;
    addresses are linear functions of lane and wave, computed once, with constants left for the instructions' offset
    fields. What is left of the kernel's arguments is `cdna.base_pointer`, `tile.dim` and `tile.stride`.

    Before:
    ```mlir
    %v = cdna.load %w[%c0] {tail = [records]} : !cdna.buffer<?xf32, strides = [1], align = 16> -> tensor<256xf32, #row>
    %f = arith.mulf %v, %v : tensor<256xf32, #row>
    ```
    After:
    ```mlir
    %x = rocdl.raw.ptr.buffer.load %rsrc, %offset, %c0, %c0 : vector<4xi32>
    %v = llvm.bitcast %x : vector<4xi32> to vector<4xf32>
    %f = arith.mulf %v, %v : vector<4xf32>
    ```
    Fails with `cdna.rocdl.c1` (a form this library does not lower, named in the message).
  }];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect", "::mlir::ROCDL::ROCDLDialect", "::mlir::arith::ArithDialect"];
}

def CdnaToROCDLCarryAddressesPass : Pass<"cdna-to-rocdl-carry-addresses", "::mlir::ModuleOp"> {
  let summary = "Carries addresses round a loop that one iteration computes for the next";
  let description = [{
    A pipelined loop reads the next slot of its ring at the end of an iteration and the same slot at the start of the
    next one. Where both add one loop-invariant value, the sum is carried: one vector addition an address and
    iteration is saved, at the price of a register: eight at most.

    Before:
    ```mlir
    scf.for ... iter_args(%s = %s0) {
      %n = arith.xori %s, %stride : i32
      %a = arith.addi %s, %base : i32
      %b = arith.addi %n, %base : i32
      scf.yield %n }
    ```
    After:
    ```mlir
    %a0 = arith.addi %s0, %base : i32
    scf.for ... iter_args(%s = %s0, %a = %a0) {
      %n = arith.xori %s, %stride : i32
      %b = arith.addi %n, %base : i32
      scf.yield %n, %b }
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::scf::SCFDialect"];
}

def CdnaToROCDLAttachScopesPass : Pass<"cdna-to-rocdl-attach-scopes", "::mlir::ModuleOp"> {
  let summary = "Tells LLVM that LDS accesses need not wait for copies in flight, because our waits have seen to it";
  let description = [{
    LLVM drains every direct-to-LDS copy before an LDS access that may alias. Copies get the scope `dma`, every other
    LDS access the scope `lds` with `noalias [dma]`. The claim is true only because of the waits and barriers of
    `cdna-insert-waits`, so a kernel with copies and without `cdna.waits_inserted` is refused (`cdna.scope.c1`).

    Before:
    ```mlir
    %f = llvm.load %p {alignment = 16 : i64} : !llvm.ptr<3> -> vector<8xbf16>
    ```
    After:
    ```mlir
    %f = llvm.load %p {alias_scopes = [#lds], alignment = 16 : i64, noalias_scopes = [#dma]} : !llvm.ptr<3> -> vector<8xbf16>
    ```
  }];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect"];
}

def CdnaToROCDLAbiPass : Pass<"cdna-to-rocdl-abi", "::mlir::ModuleOp"> {
  let summary = "cdna.kernel becomes llvm.func: the kernarg segment, and the record of it for the manifest";
  let description = [{
    Arguments in order (a view is a pointer), then every distinct dynamic extent once (i32; equal names are equal
    extents), then the dynamic strides (i64). `tegula.abi` records offsets, shapes and the grid, which is read off the
    grid function; that function is erased. Pointer arguments get `noalias`, `readonly` and `align`; leading arguments
    are preloaded while user SGPRs last. A schedule of several workgroups a compute unit becomes `rocdl.waves_per_eu`.

    Before:
    ```mlir
    cdna.kernel @k(%x: !tile.view<?xf32, names = ["N"], strides = [1]>) attributes {...} {
      %p = cdna.base_pointer %x : !tile.view<?xf32, names = ["N"], strides = [1]> -> !llvm.ptr<1>
      %n = tile.dim %x {d = 0} : !tile.view<?xf32, names = ["N"], strides = [1]> -> i32
    ```
    After:
    ```mlir
    llvm.func @k(%p: !llvm.ptr<1> {llvm.inreg}, %n: i32 {llvm.inreg}) attributes {tegula.abi = {kernarg_size = 12, ...}} {
    ```
    Fails with `cdna.abi.c1` (an op in the grid function that no grid expression has).
  }];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect", "::mlir::ROCDL::ROCDLDialect"];
}

def CdnaToROCDLSettleProductsPass : Pass<"cdna-to-rocdl-settle-products", "::mlir::ModuleOp"> {
  let summary = "Results of matrix instructions are there before control flow of a loop meets";
  let description = [{
    The hazard recogniser of LLVM 22 looks for a matrix instruction along all ways back from a read of its result, and
    enters each block once. Where a longer way round a loop comes to a block first, the shorter one is not looked at,
    and wait states are missing: registers are read before the matrix instruction has written them. So a branch in a
    loop, and the body of a loop without a count, that end with matrix instructions wait for the slowest of them. A loop
    with a count is one block, where nothing of the kind can happen.

    Before:
    ```mlir
    scf.while ... do {
      %d = rocdl.mfma.f32.16x16x16f16 %a, %b, %c, ...
      scf.yield %d : vector<4xf32>
    }
    ```
    After:
    ```mlir
    scf.while ... do {
      %d = rocdl.mfma.f32.16x16x16f16 %a, %b, %c, ...
      rocdl.sched.barrier 0
      llvm.call_intrinsic "llvm.amdgcn.s.nop"(%c15) : (i16) -> ()
      llvm.call_intrinsic "llvm.amdgcn.s.nop"(%c3) : (i16) -> ()
      scf.yield %d : vector<4xf32>
    }
    ```
  }];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect", "::mlir::ROCDL::ROCDLDialect"];
}

def CdnaToROCDLOrderArithmeticPass : Pass<"cdna-to-rocdl-order-arithmetic", "::mlir::ModuleOp"> {
  let summary = "Arithmetic stands in front of what uses it, one element after the other";
  let description = [{
    Tiles are lowered op by op, so that every step of an element-wise chain is done for all elements before the next one
    begins, and each step's results are live at once. LLVM's scheduler starts from that order, and where a tile takes
    most of the registers it spills. So loads, stores and whatever else has an effect stay in their order, and of the
    rest each op moves to where it is needed first, behind its operands: a sum over a row takes each element as it comes.
    Blocks with matrix instructions are left alone: their order is the schedule's.

    Before:
    ```mlir
    %e0 = llvm.fmul %x0, %x0 : f32
    %e1 = llvm.fmul %x1, %x1 : f32
    %f0 = llvm.fadd %e0, %c : f32
    %f1 = llvm.fadd %e1, %c : f32
    llvm.store %f0, %p : f32, !llvm.ptr
    llvm.store %f1, %q : f32, !llvm.ptr
    ```
    After:
    ```mlir
    %e0 = llvm.fmul %x0, %x0 : f32
    %f0 = llvm.fadd %e0, %c : f32
    llvm.store %f0, %p : f32, !llvm.ptr
    %e1 = llvm.fmul %x1, %x1 : f32
    %f1 = llvm.fadd %e1, %c : f32
    llvm.store %f1, %q : f32, !llvm.ptr
    ```
  }];
}

def CdnaToROCDLControlFlowPass : Pass<"cdna-to-rocdl-control-flow", "::mlir::ModuleOp"> {
  let summary = "scf to branches, with loops tested at the bottom";
  let description = [{
    A loop becomes one block that branches to itself (and a test in front, unless the first iteration surely runs):
    the unit that the backend schedules is then a whole iteration. The rest of scf goes the upstream way.

    Before:
    ```mlir
    %r = scf.for %i = %lo to %hi step %c1 iter_args(%x = %a) -> (f32) : i32 {
      scf.yield %y : f32
    }
    ```
    After:
    ```mlir
      %enters = arith.cmpi slt, %lo, %hi : i32
      cf.cond_br %enters, ^loop(%lo, %a : i32, f32), ^end(%a : f32)
    ^loop(%i: i32, %x: f32):
      %next = arith.addi %i, %c1 : i32
      %again = arith.cmpi slt, %next, %hi : i32
      cf.cond_br %again, ^loop(%next, %y : i32, f32), ^end(%y : f32)
    ^end(%r: f32):
    ```
  }];
  let dependentDialects = ["::mlir::cf::ControlFlowDialect", "::mlir::arith::ArithDialect"];
}

def CdnaToROCDLAttributesPass : Pass<"cdna-to-rocdl-attributes", "::mlir::ModuleOp"> {
  let summary = "Function attributes without which the backend wastes registers; declares the kernel lowered";
  let description = [{
    `rocdl.kernel`, the exact workgroup size in both spellings (the metadata alone does not set the register budget),
    `amdgpu-agpr-alloc = 0` (matrix instructions take plain registers), and for `denormals` = "flush" the mode in which
    f32 arithmetic takes denormals for zeros. Sets `cdna.rocdl_only`.

    Before:
    ```mlir
    llvm.func @k(...) attributes {tegula.abi = {block = [128, 1, 1], ...}}
    ```
    After:
    ```mlir
    llvm.func @k(...) attributes {cdna.rocdl_only, passthrough = [["amdgpu-agpr-alloc", "0"]],
        rocdl.flat_work_group_size = "128,128", rocdl.kernel, rocdl.reqd_work_group_size = array<i32: 128, 1, 1>, ...}
    ```
  }];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect", "::mlir::ROCDL::ROCDLDialect"];
}

#endif // TEGULA_CDNATOROCDL_PASSES
