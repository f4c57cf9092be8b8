// The cdna dialect and its layout attribute. Op families include this file, the types, and no other family.
#ifndef TEGULA_CDNA_BASE
#define TEGULA_CDNA_BASE

include "dialects/cdna/CdnaEnums.td"
include "dialects/tile/TileBase.td"
include "mlir/IR/OpBase.td"
include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/TensorEncoding.td"

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
    void registerOps();
    void registerTypes();
    void registerAttributes();
  }];
}

class Cdna_Op<string mnemonic, list<Trait> traits = []> : Op<Cdna_Dialect, mnemonic, traits>;

//===-- enums (CdnaEnums.td) as attributes --------------------------------------------------------------------===//

def Cdna_FenceKindAttr : EnumAttr<Cdna_Dialect, Cdna_FenceKind, "fence_kind">;
def Cdna_ConvertPathAttr : EnumAttr<Cdna_Dialect, Cdna_ConvertPath, "path">;
def Cdna_HwKindAttr : EnumAttr<Cdna_Dialect, Cdna_HwKind, "hw_kind">;
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
