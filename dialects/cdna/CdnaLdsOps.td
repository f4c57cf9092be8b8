// LDS buffers, their stages and the accesses to them.
#ifndef TEGULA_CDNA_LDS_OPS
#define TEGULA_CDNA_LDS_OPS

include "dialects/cdna/CdnaTypes.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def Cdna_LdsAllocOp : Cdna_Op<"lds_alloc"> {
  let summary = "a buffer in LDS";
  let description = [{
    `offset` (bytes) and, for several stages, `stage_stride` (bytes from one stage of the ring to the next, which
    covers all buffers of the ring) are set by `cdna-allocate-lds`. `xor` of the type absent = no swizzle;
    the unit attribute `swizzle` asks `cdna-solve-swizzles` for one and is removed by it.

    Rules: `c1` not inside a loop or branch; `c2` offset and stage stride are multiples of 16, of 1024 when an
    async copy writes the buffer.

    Example:
    ```mlir
    %l = cdna.lds_alloc {offset = 0 : i32, stage_stride = 65536 : i32} : !cdna.lds<256x64xbf16, order = [1, 0], stages = 2, xor = [1, 2, 4]>
    ```
  }];
  let arguments = (ins OptionalAttr<I32Attr>:$offset, OptionalAttr<I32Attr>:$stage_stride, UnitAttr:$swizzle);
  let results = (outs Res<Cdna_LdsType, "", [MemAlloc<Cdna_LdsMemory>]>:$result);
  let assemblyFormat = "attr-dict `:` qualified(type($result))";
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// Bytes between stages: `stage_stride`, or the buffer's own stage.
    int64_t stageStride() { return getStageStride() ? *getStageStride() : getType().stageBytes(); }
  }];
}

def Cdna_LdsViewOp : Cdna_Op<"lds_view", [Pure]> {
  let summary = "one stage of an LDS buffer, or a static part of it";
  let description = [{
    Origin and extents are static. The view keeps the pitch and the swizzle of its buffer: element (i, j) of the view
    is element (o0 + i, o1 + j) of the stage.

    Rules: `c1` inside; `c2` a slot if and only if there are several stages; `c3` the origin along the fastest
    dimension is a multiple of a 16-byte chunk; `c4` the result has the view's shape, one stage, and the rest from the
    operand.

    Example:
    ```mlir
    %v = cdna.lds_view %l[%s] [0, 32] [256, 32] : !cdna.lds<256x64xbf16, order = [1, 0], stages = 2, xor = [1, 2, 4]> -> !cdna.lds<256x32xbf16, order = [1, 0], pitch = 128, xor = [1, 2, 4]>
    ```
  }];
  let arguments = (ins Cdna_LdsType:$lds, Optional<Cdna_SlotType>:$slot, DenseI64ArrayAttr:$origin,
                       DenseI64ArrayAttr:$shape);
  let results = (outs Cdna_LdsType:$result);
  let assemblyFormat = [{
    $lds custom<Place>($slot, $origin, $shape) attr-dict `:` qualified(type($lds)) `->` qualified(type($result))
  }];
  let builders = [OpBuilder<(ins "::mlir::Value":$lds, "::mlir::Value":$slot, "::llvm::ArrayRef<int64_t>":$origin,
                                 "::llvm::ArrayRef<int64_t>":$shape)>];
  let hasVerifier = 1;
}

def Cdna_LdsReshapeOp : Cdna_Op<"lds_reshape", [Pure]> {
  let summary = "the same bytes of LDS as a buffer of another shape";
  let description = [{
    Rules: `c1` element types and element counts are equal; `c2` both lie row-major without gaps, in one
    stage; `c3` the operand is a whole buffer.

    Example:
    ```mlir
    %v = cdna.lds_reshape %l : !cdna.lds<16x48xf32, order = [1, 0]> -> !cdna.lds<4x4x48xf32, order = [2, 1, 0]>
    ```
  }];
  let arguments = (ins Cdna_LdsType:$lds);
  let results = (outs Cdna_LdsType:$result);
  let assemblyFormat = "$lds attr-dict `:` qualified(type($lds)) `->` qualified(type($result))";
  let hasVerifier = 1;
}

def Cdna_LdsStoreOp : Cdna_Op<"lds_store"> {
  let summary = "write a tile to LDS";
  let description = [{
    The access width is the widest, up to 16 bytes, that layout, order and pitch allow. Copies of an element in several
    lanes or waves are all written: they hold the same value.

    Rules: `c1` element type equal, the buffer at least as large; `c2` one stage.

    Example:
    ```mlir
    cdna.lds_store %t, %v : tensor<64x64xbf16, #f>, !cdna.lds<64x64xbf16, order = [1, 0]>
    ```
  }];
  let arguments = (ins Tile_Tensor:$value, Arg<Cdna_LdsType, "", [MemWrite<Cdna_LdsMemory>]>:$lds);
  let assemblyFormat = "$value `,` $lds attr-dict `:` type($value) `,` qualified(type($lds))";
  let hasVerifier = 1;
}

def Cdna_LdsLoadOp : Cdna_Op<"lds_load"> {
  let summary = "read a tile from LDS";
  let description = [{
    `transpose` reads with the transposing instruction of the target: memory is contiguous along a dimension that is
    not the one the lane's registers run along.

    Rules: `c1` element type equal, buffer at least as large; `c2` one stage; `c3` `transpose` needs a target that
    has it, an element of 8 or 16 bits, and a layout whose low register bits and lanes are the instruction's rotation.

    Example:
    ```mlir
    %a = cdna.lds_load %v : !cdna.lds<256x32xbf16, order = [1, 0], pitch = 128, xor = [1, 2, 4]> -> tensor<256x32xbf16, #a>
    ```
  }];
  let arguments = (ins Arg<Cdna_LdsType, "", [MemRead<Cdna_LdsMemory>]>:$lds, UnitAttr:$transpose);
  let results = (outs Tile_Tensor:$result);
  let assemblyFormat = "$lds attr-dict `:` qualified(type($lds)) `->` type($result)";
  let hasVerifier = 1;
}

def Cdna_AsyncCopyOp : Cdna_Op<"async_copy", [AttrSizedOperandSegments]> {
  let summary = "copy a tile from global memory to LDS without registers";
  let description = [{
    `fetch` is the layout in which the lanes fetch: one instruction takes `width` bytes a lane, and the hardware puts
    lane l at base + width * l, so the swizzle of the buffer is in the fetch. Indices, `tail` and `scalar` as in
    `cdna.load`. The slot is given when the buffer has several stages. Where `where` is false nothing is read, and what
    the slot then holds is unspecified; the instructions count as ever.

    Rules: `c1` to `c4` as `cdna.load`, and the width is a DMA width of the target (`c1`); `c5` lane l of each
    instruction lands at base + width * l; `c6` a slot if and only if there are several stages; `c7` the registers of one
    instruction are contiguous in memory and the alignment is at least `width`.

    Example:
    ```mlir
    %t = cdna.async_copy %w[%c0, %k], %l[%s] {fetch = #fetchA, width = 16, tail = [records, none], scalar = [1]} : !cdna.buffer<?x?xbf16, strides = [?, 1], align = 16>, !cdna.lds<256x64xbf16, order = [1, 0], stages = 2, xor = [1, 2, 4]> -> !cdna.token
    ```
  }];
  let arguments = (ins Arg<Cdna_BufferType, "", [MemRead<Cdna_GlobalMemory>]>:$buffer, Variadic<I32>:$indices,
                       Arg<Cdna_LdsType, "", [MemWrite<Cdna_LdsMemory>]>:$lds, Optional<Cdna_SlotType>:$slot,
                       Optional<I1>:$where, Cdna_LayoutAttr:$fetch, I64Attr:$width, DenseI32ArrayAttr:$tail, DenseI32ArrayAttr:$scalar);
  let results = (outs Cdna_TokenType:$token);
  let assemblyFormat = [{
    $buffer `[` $indices `]` `,` $lds (`[` $slot^ `]`)? (`where` $where^)? custom<Fetch>($fetch, $width, $tail, $scalar)
    attr-dict-with-keyword `:` qualified(type($buffer)) `,` qualified(type($lds)) `->` qualified(type($token))
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    ::tegula::cdna::Tail tailOf(unsigned d) { return static_cast<::tegula::cdna::Tail>(getTail()[d]); }
    bool isScalar(unsigned d) { return ::llvm::is_contained(getScalar(), static_cast<int32_t>(d)); }
    /// Instructions a wave issues.
    int64_t numInstructions();
  }];
}

def Cdna_SlotOp : Cdna_Op<"slot", [Pure]> {
  let summary = "a constant stage of the ring that an LDS buffer belongs to";
  let description = [{
    Rules: `c1` the stage exists.

    Example:
    ```mlir
    %s = cdna.slot %l 0 : !cdna.lds<256x64xbf16, order = [1, 0], stages = 2, xor = [1, 2, 4]> -> !cdna.slot
    ```
  }];
  let arguments = (ins Cdna_LdsType:$lds, I64Attr:$stage);
  let results = (outs Cdna_SlotType:$result);
  let assemblyFormat = "$lds $stage attr-dict `:` qualified(type($lds)) `->` qualified(type($result))";
  let hasVerifier = 1;
}

def Cdna_NextSlotOp : Cdna_Op<"next_slot", [Pure]> {
  let summary = "a later stage of the same ring";
  let description = [{
    Rules: `c1` 0 < by < stages, and the ring is known (every value that reaches it is a `cdna.slot` of one ring).

    Example:
    ```mlir
    %n = cdna.next_slot %s {by = 1} : !cdna.slot
    ```
  }];
  let arguments = (ins Cdna_SlotType:$slot, I64Attr:$by);
  let results = (outs Cdna_SlotType:$result);
  let assemblyFormat = "$slot ` ` `{` `by` `=` $by `}` attr-dict `:` qualified(type($result))";
  let hasVerifier = 1;
}

#endif // TEGULA_CDNA_LDS_OPS
