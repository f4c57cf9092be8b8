// Types of the cdna dialect.
#ifndef TEGULA_CDNA_TYPES
#define TEGULA_CDNA_TYPES

include "dialects/cdna/CdnaBase.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

class Cdna_Type<string name, string typeMnemonic> : TypeDef<Cdna_Dialect, name> {
  let mnemonic = typeMnemonic;
}

def Cdna_BufferType : Cdna_Type<"Buffer", "buffer"> {
  let summary = "a window of a view, rebased";
  let description = [{
    A buffer descriptor (64-bit base, `num_records`) with the extents that are left from the base and the strides in
    elements. An extent is static only if the view's is and the window starts at a constant.

    `!cdna.buffer<?x?xbf16, strides = [?, 1], align = 16>`
  }];
  let parameters = (ins ArrayRefParameter<"int64_t">:$shape, "::mlir::Type":$elementType,
                        ArrayRefParameter<"int64_t">:$strides, "int64_t":$align);
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    unsigned getRank() const { return getShape().size(); }
    /// Bytes of one element in memory.
    int64_t getElementBytes() const;
    /// A static stride below 0: the window begins at the tile's last element of that dimension.
    bool isMirrored(unsigned d) const {
      return !::mlir::ShapedType::isDynamic(getStrides()[d]) && getStrides()[d] < 0;
    }
    /// The dimension whose stride is statically 1 (the last of several), if any.
    ::std::optional<unsigned> getUnitStrideDim() const;
  }];
}

def Cdna_LdsType : Cdna_Type<"Lds", "lds"> {
  let summary = "a buffer in LDS, or a part of one";
  let description = [{
    `shape` is the tile's; `order` lists dimensions from the fastest; `pitch` = bytes of a row of the fastest dimension
    (printed when it is not the natural one); `stages` copies follow one another. Rows are counted through the other
    dimensions in `order`. With `xor = [m0, m1, ...]` the 16-byte chunk c of row r is stored at chunk c XOR f(r), where
    f is the XOR of the masks of r's set bits. Chunks are counted through the rows: mask bits beyond a row's chunks flip
    bits of the row number, which exchanges rows. Where the pitch is an odd multiple of a power of two, that power is
    the unit in which chunks are permuted: the row stays a sequence of such groups.

    `!cdna.lds<256x64xbf16, order = [1, 0], stages = 2, pitch = 128, xor = [1, 2, 4]>`
  }];
  let parameters = (ins ArrayRefParameter<"int64_t">:$shape, "::mlir::Type":$elementType,
                        ArrayRefParameter<"int32_t">:$order, "int64_t":$stages, "int64_t":$pitch,
                        ArrayRefParameter<"int32_t">:$swizzle);
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    unsigned getRank() const { return getShape().size(); }
    int64_t getElementBytes() const;
    unsigned fastestDim() const { return getOrder().front(); }
    /// Number of rows: the product of all extents but the fastest.
    int64_t numRows() const;
    int64_t stageBytes() const { return numRows() * getPitch(); }
    /// Bytes of a row without padding.
    int64_t naturalPitch() const { return getShape()[fastestDim()] * getElementBytes(); }
    /// The bytes inside which chunks change places: the largest power of two that divides the pitch.
    int64_t swizzleGroup() const { return getPitch() & -getPitch(); }
    /// An element's place before the pitch is multiplied out. Both parts are linear over GF(2) in the bits of the
    /// coordinates where inner extents are powers of two: the group inside its row, and the byte inside the group with
    /// the row above it.
    struct Place { int64_t group, rowAndByte; };
    Place placeOf(::llvm::ArrayRef<int64_t> coordinates) const;
    int64_t bytesOf(Place place) const;
    /// The mask that row `row` XORs into its chunk numbers.
    int64_t rowMask(int64_t row) const;
    /// The row whose chunks lie at row `place`.
    int64_t rowAt(int64_t place) const;
    /// Byte of an element inside its stage; `coordinates` count from the buffer's (not a view's) origin.
    int64_t byteOffset(::llvm::ArrayRef<int64_t> coordinates) const;
    /// Rows between two neighbours along d, which is not the fastest dimension.
    int64_t rowsOf(unsigned d) const;
    /// Whether the places of a tile of this layout, which begins at `origin`, are linear over GF(2) in the bits of
    /// registers, lanes and waves, repeats of waves apart, which add up.
    bool isLinear(const ::tegula::Layout &layout, ::llvm::ArrayRef<int64_t> origin) const;
  }];
}

def Cdna_SlotType : Cdna_Type<"Slot", "slot"> {
  let builderCall = "$_builder.getType<::tegula::cdna::SlotType>()";
  let summary = "which stage of a ring of LDS buffers: an integer modulo the number of stages";
}

def Cdna_TokenType : Cdna_Type<"Token", "token"> {
  let builderCall = "$_builder.getType<::tegula::cdna::TokenType>()";
  let summary = "these LDS bytes, written by these instructions";
}

// What an access touches. Alias sets refine the first: an access belongs to the set of its window's argument.
def Cdna_GlobalMemory : Resource<"::tegula::cdna::GlobalMemory">;
def Cdna_LdsMemory : Resource<"::tegula::cdna::LdsMemory">;

#endif // TEGULA_CDNA_TYPES
