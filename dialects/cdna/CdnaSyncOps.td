// Waits, barriers and the guards of the instruction order.
#ifndef TEGULA_CDNA_SYNC_OPS
#define TEGULA_CDNA_SYNC_OPS

include "dialects/cdna/CdnaTypes.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

// Nothing moves across these: they write both memories.
class Cdna_OrderingOp<string mnemonic, list<Trait> traits = []>
    : Cdna_Op<mnemonic, !listconcat(traits, [DeclareOpInterfaceMethods<MemoryEffectsOpInterface>])> {
  let extraClassDefinition = [{
    void $cppClass::getEffects(::llvm::SmallVectorImpl<::mlir::MemoryEffects::EffectInstance> &effects) {
      ::tegula::cdna::addOrderingEffects(effects);
    }
  }];
}

def Cdna_WaitOp : Cdna_OrderingOp<"wait"> {
  let summary = "these copies have landed, for this wave";
  let description = [{
    Declarative; `cdna-insert-waits` turns it into counts. A barrier is a separate op.

    Example:
    ```mlir
    cdna.wait %ta, %tb
    ```
  }];
  let arguments = (ins Variadic<Cdna_TokenType>:$tokens);
  let assemblyFormat = "$tokens attr-dict";
}

def Cdna_WaitCountOp : Cdna_OrderingOp<"wait_count"> {
  let summary = "wait until at most so many operations are outstanding";
  let description = [{
    63 and 15 mean "don't care". Rules: `c1` vm is 0 to 63, lgkm 0 to 15.

    Example:
    ```mlir
    cdna.wait_count {vm = 8, lgkm = 0}
    ```
  }];
  let arguments = (ins I64Attr:$vm, I64Attr:$lgkm);
  let assemblyFormat = "` ` `{` `vm` `=` $vm `,` `lgkm` `=` $lgkm `}` attr-dict";
  let hasVerifier = 1;
}

def Cdna_BarrierOp : Cdna_OrderingOp<"barrier"> {
  let summary = "all waves of the workgroup have come here; implies no wait";
  let description = [{
    Example:
    ```mlir
    cdna.barrier
    ```
  }];
  let assemblyFormat = "attr-dict";
}

def Cdna_StaggerOp : Cdna_OrderingOp<"stagger"> {
  let summary = "every other wave of a SIMD falls one barrier behind";
  let description = [{
    The waves of each SIMD form two groups. Those of the second wait at a barrier here, those of the first meet it at the
    next `cdna.barrier` that they come to. So from here on, until `cdna.align`, the second group is one barrier behind,
    and what one group does between two barriers runs beside what the other one did before: products of one beside
    memory accesses of the other. What a wave did is known to all others after two barriers.

    Example:
    ```mlir
    cdna.stagger
    ```
  }];
  let assemblyFormat = "attr-dict";
}

def Cdna_AlignOp : Cdna_OrderingOp<"align"> {
  let summary = "ends what cdna.stagger began: the waves that were ahead wait for the others";
  let description = [{
    Example:
    ```mlir
    cdna.align
    ```
  }];
  let assemblyFormat = "attr-dict";
}

def Cdna_OrderOp : Cdna_OrderingOp<"order"> {
  let summary = "orders the workgroup's accesses of global memory, as others of the scope see them";
  let description = [{
    `release`: what any wave did before is seen before what any wave does after. `acquire`: what any wave does after sees
    what was seen before. Holds for all waves: there is a barrier in it. Of the scope `workgroup` no cache is written
    back or invalidated.

    Example:
    ```mlir
    cdna.order release agent
    ```
  }];
  let arguments = (ins Cdna_FenceKindAttr:$kind, Tile_MemoryScopeAttr:$scope);
  let assemblyFormat = "`` $kind $scope attr-dict";
}

def Cdna_ExitOp : Cdna_OrderingOp<"exit"> {
  let summary = "ends the workgroup: all its waves come here";
  let description = [{
    What was stored before is written all the same.

    Example:
    ```mlir
    cdna.exit
    ```
  }];
  let assemblyFormat = "attr-dict";
}

def Cdna_SchedFenceOp : Cdna_OrderingOp<"sched_fence"> {
  let summary = "no instruction is moved across";
  let description = [{
    Example:
    ```mlir
    cdna.sched_fence
    ```
  }];
  let assemblyFormat = "attr-dict";
}

def Cdna_SchedGroupOp : Cdna_OrderingOp<"sched_group"> {
  let summary = "the next instructions of the region: so many of this class";
  let description = [{
    Rules: `c1` the count is positive; `c2` groups lie between two fences (checked with `cdna.scheduled`).

    Example:
    ```mlir
    cdna.sched_group {kind = mfma, count = 2}
    ```
  }];
  let arguments = (ins Cdna_GroupKindAttr:$kind, I64Attr:$count);
  let assemblyFormat = "` ` `{` `kind` `=` `` $kind `,` `count` `=` $count `}` attr-dict";
  let hasVerifier = 1;
}

def Cdna_PriorityOp : Cdna_OrderingOp<"priority"> {
  let summary = "this wave's issue priority";
  let description = [{
    Rules: `c1` level is 0 to 3.

    Example:
    ```mlir
    cdna.priority {level = 1}
    ```
  }];
  let arguments = (ins I64Attr:$level);
  let assemblyFormat = "` ` `{` `level` `=` $level `}` attr-dict";
  let hasVerifier = 1;
}

#endif // TEGULA_CDNA_SYNC_OPS
