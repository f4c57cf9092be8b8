// The tile dialect, its view type, its attributes and enums. Op families include this file and no
// other family.
#ifndef TEGULA_TILE_BASE
#define TEGULA_TILE_BASE

include "mlir/IR/OpBase.td"
include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/EnumAttr.td"
include "mlir/IR/BuiltinAttributeInterfaces.td"
include "mlir/Interfaces/InferTypeOpInterface.td"

def Tile_Dialect : Dialect {
  let name = "tile";
  let summary = "What a workgroup computes on tiles: no threads, no LDS, no layouts";
  let description = [{
    A tile value is the builtin `tensor<128x64xbf16>` with a static shape, a run-time scalar is a
    builtin scalar and uniform. Element-wise work is upstream `arith` and `math`, control flow is
    `scf` with i32 loops. This dialect adds what upstream lacks: views of arrays, loads and stores
    by tile index, shape changes, reductions and products. Every rule has a label (`tile.mma.c2`)
    that stands in the message, the README and a test.
  }];
  let cppNamespace = "::tegula::tile";
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::math::MathDialect",
                           "::mlir::scf::SCFDialect"];
  let useDefaultTypePrinterParser = 1;
  let useDefaultAttributePrinterParser = 1;
  let hasConstantMaterializer = 1;
  let hasOperationAttrVerify = 1; // normal forms of a kernel
  let hasRegionArgAttrVerify = 1; // tile.name, tile.alias
  let extraClassDeclaration = [{
    void registerOps();
    void registerTypesAndAttributes();
  }];
}

class Tile_Op<string mnemonic, list<Trait> traits = []> : Op<Tile_Dialect, mnemonic, traits>;

// enums

class Tile_Enum<string name, string summary, list<I32EnumAttrCase> cases>
    : I32EnumAttr<name, summary, cases> {
  let cppNamespace = "::tegula::tile";
  let genSpecializedAttr = 0;
}

def Tile_LdsPath
    : Tile_Enum<"LdsPath", "how operands of a product reach LDS",
                [I32EnumAttrCase<"Direct", 0, "direct">, I32EnumAttrCase<"Register", 1, "register">,
                 I32EnumAttrCase<"None", 2, "none">]>;

def Tile_Rounding : Tile_Enum<"Rounding", "how a cast rounds",
                              [I32EnumAttrCase<"Rne", 0, "rne">, I32EnumAttrCase<"Rtz", 1, "rtz">,
                               I32EnumAttrCase<"Stochastic", 2, "stochastic">]>;
def Tile_RoundingAttr : EnumAttr<Tile_Dialect, Tile_Rounding, "rounding">;

def Tile_ReduceKind : Tile_Enum<"ReduceKind", "how a reduction combines two elements",
                                [I32EnumAttrCase<"Add", 0, "add">, I32EnumAttrCase<"Mul", 1, "mul">,
                                 I32EnumAttrCase<"Max", 2, "max">, I32EnumAttrCase<"Min", 3, "min">,
                                 I32EnumAttrCase<"And", 4, "and">, I32EnumAttrCase<"Or", 5, "or">,
                                 I32EnumAttrCase<"Xor", 6, "xor">]>;
def Tile_ReduceKindAttr : EnumAttr<Tile_Dialect, Tile_ReduceKind, "reduce_kind">;

def Tile_ScaleMode
    : Tile_Enum<"ScaleMode", "how the scale of a block follows from its largest magnitude",
                [I32EnumAttrCase<"Floor", 0, "floor">, I32EnumAttrCase<"Ceil", 1, "ceil">,
                 I32EnumAttrCase<"Even", 2, "even">, I32EnumAttrCase<"Rceil", 3, "rceil">]>;
def Tile_ScaleModeAttr : EnumAttr<Tile_Dialect, Tile_ScaleMode, "scale_mode">;

def Tile_MathKind
    : Tile_Enum<"MathKind", "a function with a promised ulp bound",
                [I32EnumAttrCase<"Exp", 0, "exp">, I32EnumAttrCase<"Exp2", 1, "exp2">,
                 I32EnumAttrCase<"Log", 2, "log">, I32EnumAttrCase<"Log2", 3, "log2">,
                 I32EnumAttrCase<"Sqrt", 4, "sqrt">, I32EnumAttrCase<"Rsqrt", 5, "rsqrt">,
                 I32EnumAttrCase<"Rcp", 6, "rcp">, I32EnumAttrCase<"Pow", 7, "pow">,
                 I32EnumAttrCase<"Sin", 8, "sin">, I32EnumAttrCase<"Cos", 9, "cos">,
                 I32EnumAttrCase<"Tanh", 10, "tanh">, I32EnumAttrCase<"Erf", 11, "erf">,
                 I32EnumAttrCase<"Sigmoid", 12, "sigmoid">, I32EnumAttrCase<"Silu", 13, "silu">,
                 I32EnumAttrCase<"Gelu", 14, "gelu">]>;
def Tile_MathKindAttr : EnumAttr<Tile_Dialect, Tile_MathKind, "math_kind">;

def Tile_AtomicKind
    : Tile_Enum<"AtomicKind", "what an atomic update does to an element",
                [I32EnumAttrCase<"Add", 0, "add">, I32EnumAttrCase<"Max", 1, "max">,
                 I32EnumAttrCase<"Min", 2, "min">, I32EnumAttrCase<"UMax", 3, "umax">,
                 I32EnumAttrCase<"UMin", 4, "umin">, I32EnumAttrCase<"And", 5, "and">,
                 I32EnumAttrCase<"Or", 6, "or">, I32EnumAttrCase<"Xor", 7, "xor">,
                 I32EnumAttrCase<"Xchg", 8, "xchg">]>;
def Tile_AtomicKindAttr : EnumAttr<Tile_Dialect, Tile_AtomicKind, "atomic_kind">;

def Tile_MemoryOrder
    : Tile_Enum<"MemoryOrder", "what an atomic update orders beside itself",
                [I32EnumAttrCase<"Relaxed", 0, "relaxed">, I32EnumAttrCase<"Acquire", 1, "acquire">,
                 I32EnumAttrCase<"Release", 2, "release">,
                 I32EnumAttrCase<"AcqRel", 3, "acq_rel">]>;
def Tile_MemoryOrderAttr : EnumAttr<Tile_Dialect, Tile_MemoryOrder, "order">;

def Tile_MemoryScope
    : Tile_Enum<"MemoryScope", "who sees the order of atomic updates",
                [I32EnumAttrCase<"Workgroup", 0, "workgroup">, I32EnumAttrCase<"Agent", 1, "agent">,
                 I32EnumAttrCase<"System", 2, "system">]>;
def Tile_MemoryScopeAttr : EnumAttr<Tile_Dialect, Tile_MemoryScope, "scope">;

def Tile_Denormals : Tile_Enum<"Denormals", "what f32 arithmetic does with denormals",
                               [I32EnumAttrCase<"Preserve", 0, "preserve">,
                                I32EnumAttrCase<"Flush", 1, "flush">]>;
def Tile_DenormalsAttr : EnumAttr<Tile_Dialect, Tile_Denormals, "denormals"> {
  let assemblyFormat = "`<` $value `>`";
}

// the view type

def Tile_ViewType : TypeDef<Tile_Dialect, "View"> {
  let mnemonic = "view";
  let summary = "a strided array in global memory";
  let description = [{
    Base address (64 bits), extents (i32) and strides (i64, in elements). `names` holds one string
    an extent: a name, `name*const`, `name/const`, a literal, or "" for anonymous; equal names are
    equal extents. `align` is a power of two in bytes: the base, and every stride but the unit one,
    are multiples of it. From 4 bytes on, rows of views of rank 2 and more end with a whole dword,
    too (of slices: the rows that they are cut from), so that one may be read in dwords to its end.
    Default: the element's size.

    `!tile.view<?x2880xbf16, names = ["R", "N"], strides = [?, 1], align = 16>`
  }];
  let parameters = (ins ArrayRefParameter<"int64_t">:$shape, "::mlir::Type":$elementType,
      ArrayRefParameter<"::mlir::StringAttr">:$names, ArrayRefParameter<"int64_t">:$strides,
      "int64_t":$align);
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    int64_t getRank() const { return getShape().size(); }
    bool isDynamicDim(unsigned d) const { return ::mlir::ShapedType::isDynamic(getShape()[d]); }
    bool isDynamicStride(unsigned d) const {
      return ::mlir::ShapedType::isDynamic(getStrides()[d]);
    }
    /// The extent's name, "" when anonymous.
    ::llvm::StringRef getDimName(unsigned d) const {
      return getNames().empty() ? ::llvm::StringRef() : getNames()[d].getValue();
    }
    /// The dimension whose stride is 1; the last one if several are, nothing if none is.
    ::std::optional<unsigned> getUnitStrideDim() const;
    /// Size of an element in bytes (an i1 takes one).
    int64_t getElementBytes() const;
    /// Alignment a view has when its type does not say: one element.
    static int64_t naturalAlign(::mlir::Type elementType);
  }];
}

// attributes

def Tile_TargetAttr : AttrDef<Tile_Dialect, "Target"> {
  let mnemonic = "target";
  let summary = "names a row of lib/Target";
  let parameters = (ins StringRefParameter<"architecture">:$name);
  let assemblyFormat = "`<` $name `>`";
}

def Tile_ScheduleAttr : AttrDef<Tile_Dialect, "Schedule"> {
  let mnemonic = "schedule";
  let summary =
      "how a kernel is mapped to a workgroup; a field left out is chosen by tile-pick-schedule";
  let description = [{
    `#tile.schedule<waves = [2, 4], mma = "16x16x32", stages = 2, lds = direct, raster = {group = 8,
    xcd = true}, split_k = 1, persistent = false, occupancy = 1, pingpong = true>`: all fields are
    optional in this order.
  }];
  let parameters = (ins OptionalArrayRefParameter<"int64_t">:$waves,
      OptionalParameter<"::mlir::StringAttr">:$mma,
      OptionalParameter<"::std::optional<int64_t>">:$stages,
      OptionalParameter<"::std::optional<::tegula::tile::LdsPath>">:$lds,
      OptionalParameter<"::std::optional<int64_t>">:$rasterGroup,
      OptionalParameter<"::std::optional<bool>">:$rasterXcd,
      OptionalParameter<"::std::optional<int64_t>">:$splitK,
      OptionalParameter<"::std::optional<bool>">:$persistent,
      OptionalParameter<"::std::optional<int64_t>">:$occupancy,
      OptionalParameter<"::std::optional<bool>">:$pingpong);
  let hasCustomAssemblyFormat = 1;
  let extraClassDeclaration = [{
    /// Waves of a workgroup: the product of `waves`; 0 when not given.
    int64_t getWaveCount() const;
    /// The field names that are not given although a kernel with/without a product needs them.
    ::llvm::SmallVector<::llvm::StringRef> missingFields(bool hasMma, bool hasTileId) const;
  }];
}

// operand types

def Tile_Tensor : Type<CPred<"::llvm::isa<::mlir::RankedTensorType>($_self)">,
                       "tile (ranked tensor)", "::mlir::RankedTensorType">;
def Tile_Scalar
    : Type<CPred<"::llvm::isa<::mlir::IntegerType, ::mlir::FloatType>($_self)">, "scalar">;
def Tile_Value : AnyTypeOf<[Tile_Tensor, Tile_Scalar], "tile or scalar">;
def Tile_View : Type<CPred<"::llvm::isa<::tegula::tile::ViewType>($_self)">, "view",
                     "::tegula::tile::ViewType">;

#endif // TEGULA_TILE_BASE
