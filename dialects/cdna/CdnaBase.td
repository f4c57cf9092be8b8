// The cdna dialect, its enums and its layout attribute. Op families include this file, the types, and no other family.
#ifndef TEGULA_CDNA_BASE
#define TEGULA_CDNA_BASE

include "mlir/IR/OpBase.td"
include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/TensorEncoding.td"
include "mlir/IR/EnumAttr.td"

def Cdna_Dialect : Dialect {
  let name = "cdna";
  let summary = "How one workgroup computes a kernel: registers, lanes, waves, LDS";
  let description = [{
    Values are builtin tensors whose encoding, `#cdna.layout`, says which register of which lane of which wave holds
    which element. Element-wise work stays upstream `arith` and `math`. Control flow is uniform: every wave runs the
    same ops the same number of times. Every rule has a label (`cdna.mfma.c2`) that stands in the message, in the
    README and in a test.
  }];
  let cppNamespace = "::tegula::cdna";
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::math::MathDialect", "::mlir::scf::SCFDialect",
                           "::mlir::LLVM::LLVMDialect", "::tegula::tile::TileDialect"];
  let useDefaultTypePrinterParser = 1;
  let useDefaultAttributePrinterParser = 1;
  let hasConstantMaterializer = 1;
  let hasOperationAttrVerify = 1; // normal forms
  let extraClassDeclaration = [{
    /// The proof that every LDS access is ordered (lib/CdnaTransforms). The dialect cannot depend on that library, so
    /// whoever registers the compiler hands it over by a dialect extension; `cdna.waits_inserted` then runs it.
    using WaitProof = ::std::function<::mlir::LogicalResult(KernelOp)>;
    void setWaitProof(WaitProof proof) { waitProof = ::std::move(proof); }
    /// Likewise what `cdna.rocdl_only` demands of alias scopes (lib/CdnaToROCDL).
    using ScopeCheck = ::std::function<::mlir::LogicalResult(::mlir::Operation *)>;
    void setScopeCheck(ScopeCheck check) { scopeCheck = ::std::move(check); }

    void registerOps();
    void registerTypes();
    void registerAttributes();

  private:
    WaitProof waitProof;
    ScopeCheck scopeCheck;

  public:
  }];
}

class Cdna_Op<string mnemonic, list<Trait> traits = []> : Op<Cdna_Dialect, mnemonic, traits>;

//===-- enums -------------------------------------------------------------------------------------------------===//

class Cdna_Enum<string name, string summary, list<I32EnumAttrCase> cases> : I32EnumAttr<name, summary, cases> {
  let cppNamespace = "::tegula::cdna";
  let genSpecializedAttr = 0;
}

// How the end of a dimension is guarded; the values of the `tail` array.
def Cdna_Tail : Cdna_Enum<"Tail", "how accesses beyond the end of a dimension are kept out", [
  I32EnumAttrCase<"None", 0, "none">, I32EnumAttrCase<"Records", 1, "records">,
  I32EnumAttrCase<"Compare", 2, "compare">, I32EnumAttrCase<"Whole", 3, "whole">]>;

// The tile dialect's; written as a bare keyword by custom<ReduceKind>.
def Cdna_ReduceKindAttr : Attr<CPred<"::llvm::isa<::tegula::tile::ReduceKindAttr>($_self)">,
                               "how a reduction combines two elements"> {
  let storageType = "::tegula::tile::ReduceKindAttr";
  let returnType = "::tegula::tile::ReduceKind";
  let convertFromStorage = "$_self.getValue()";
  let constBuilderCall = "::tegula::tile::ReduceKindAttr::get($_builder.getContext(), $0)";
}

// The tile dialect's too.
def Cdna_AtomicKindAttr : Attr<CPred<"::llvm::isa<::tegula::tile::AtomicKindAttr>($_self)">,
                               "what an atomic update does to an element"> {
  let storageType = "::tegula::tile::AtomicKindAttr";
  let returnType = "::tegula::tile::AtomicKind";
  let convertFromStorage = "$_self.getValue()";
  let constBuilderCall = "::tegula::tile::AtomicKindAttr::get($_builder.getContext(), $0)";
}
def Cdna_ScopeAttr : Attr<CPred<"::llvm::isa<::tegula::tile::MemoryScopeAttr>($_self)">,
                          "who sees the order of memory accesses"> {
  let storageType = "::tegula::tile::MemoryScopeAttr";
  let returnType = "::tegula::tile::MemoryScope";
  let convertFromStorage = "$_self.getValue()";
  let constBuilderCall = "::tegula::tile::MemoryScopeAttr::get($_builder.getContext(), $0)";
}

def Cdna_TargetAttr : Attr<CPred<"::llvm::isa<::tegula::tile::TargetAttr>($_self)">, "target"> {
  let storageType = "::tegula::tile::TargetAttr";
  let returnType = "::tegula::tile::TargetAttr";
  let convertFromStorage = "$_self";
}
def Cdna_ScheduleAttr : Attr<CPred<"::llvm::isa<::tegula::tile::ScheduleAttr>($_self)">, "schedule"> {
  let storageType = "::tegula::tile::ScheduleAttr";
  let returnType = "::tegula::tile::ScheduleAttr";
  let convertFromStorage = "$_self";
}

def Cdna_FenceKind : Cdna_Enum<"FenceKind", "which side of a fence is ordered", [
  I32EnumAttrCase<"Release", 0, "release">, I32EnumAttrCase<"Acquire", 1, "acquire">]>;
def Cdna_FenceKindAttr : EnumAttr<Cdna_Dialect, Cdna_FenceKind, "fence_kind">;

def Cdna_ConvertPath : Cdna_Enum<"ConvertPath", "how a layout conversion moves its data", [
  I32EnumAttrCase<"None", 0, "none">, I32EnumAttrCase<"Lds", 1, "lds">, I32EnumAttrCase<"Lane", 2, "lane">,
  I32EnumAttrCase<"Exchange", 3, "exchange">]>;
def Cdna_ConvertPathAttr : EnumAttr<Cdna_Dialect, Cdna_ConvertPath, "path">;

def Cdna_HwKind : Cdna_Enum<"HwKind", "an element-wise hardware instruction on f32", [
  I32EnumAttrCase<"Exp2", 0, "exp2">, I32EnumAttrCase<"Log2", 1, "log2">, I32EnumAttrCase<"Rcp", 2, "rcp">,
  I32EnumAttrCase<"Rsq", 3, "rsq">, I32EnumAttrCase<"Sqrt", 4, "sqrt">, I32EnumAttrCase<"Sin", 5, "sin">,
  I32EnumAttrCase<"Cos", 6, "cos">, I32EnumAttrCase<"Fract", 7, "fract">,
  I32EnumAttrCase<"FrexpMant", 8, "frexp_mant">, I32EnumAttrCase<"FrexpExp", 9, "frexp_exp">,
  I32EnumAttrCase<"Ldexp", 10, "ldexp">]>;
def Cdna_HwKindAttr : EnumAttr<Cdna_Dialect, Cdna_HwKind, "hw_kind">;

// The instruction classes that LLVM's group barriers know.
def Cdna_GroupKind : Cdna_Enum<"GroupKind", "a class of instructions", [
  I32EnumAttrCase<"Mfma", 0, "mfma">, I32EnumAttrCase<"Valu", 1, "valu">, I32EnumAttrCase<"Salu", 2, "salu">,
  I32EnumAttrCase<"Vmem", 3, "vmem">, I32EnumAttrCase<"DsRead", 4, "ds_read">,
  I32EnumAttrCase<"DsWrite", 5, "ds_write">, I32EnumAttrCase<"Trans", 6, "trans">]>;
def Cdna_GroupKindAttr : EnumAttr<Cdna_Dialect, Cdna_GroupKind, "group_kind">;

//===-- the layout --------------------------------------------------------------------------------------------===//

def Cdna_LayoutAttr : AttrDef<Cdna_Dialect, "Layout", [DeclareAttrInterfaceMethods<VerifiableTensorEncoding>]> {
  let mnemonic = "layout";
  let summary = "which register of which lane of which wave holds which element of a tile";
  let description = [{
    `reg`, `lane` and `wave` list basis vectors in coordinates: bit i of a register, lane or wave number contributes
    its vector, and contributions combine with XOR. A zero vector is a broadcast. `repeat` holds copies of that base
    tile in more registers, `wave_repeat` in more waves, at distances of the base tile's extents.

    ```mlir
    #cdna.layout<reg = [[0, 1], [0, 2], [0, 4]], lane = [[0, 8], [0, 16], [0, 32], [0, 64], [0, 128], [0, 256]],
                 wave = [[0, 512]], repeat = [1, 3]>
    ```
    is 1x2880 over two waves: 8 neighbours a lane, three times. The vectors are stored flat, `rank` numbers each.
  }];
  let parameters = (ins "unsigned":$rank, ArrayRefParameter<"int32_t">:$reg, ArrayRefParameter<"int32_t">:$lane,
                        ArrayRefParameter<"int32_t">:$wave, ArrayRefParameter<"int32_t">:$repeat,
                        ArrayRefParameter<"int32_t">:$waveRepeats);
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    using Vector = ::llvm::ArrayRef<int32_t>;
    unsigned numRegBits() const { return getReg().size() / getRank(); }
    unsigned numLaneBits() const { return getLane().size() / getRank(); }
    unsigned numWaveBits() const { return getWave().size() / getRank(); }
    Vector regVector(unsigned bit) const { return getReg().slice(bit * getRank(), getRank()); }
    Vector laneVector(unsigned bit) const { return getLane().slice(bit * getRank(), getRank()); }
    Vector waveVector(unsigned bit) const { return getWave().slice(bit * getRank(), getRank()); }

    /// Elements (= registers, before packing) a lane holds: 2^p times the repeats.
    int64_t numRegisters() const;
    /// Waves the layout is defined on.
    int64_t numWaves() const;
    /// The form of lib/Layout, which has the algebra, and back.
    ::tegula::Layout toLayout() const;
    static LayoutAttr get(::mlir::MLIRContext *context, const ::tegula::Layout &layout);
  }];
}

#endif // TEGULA_CDNA_BASE
