// Enums of the cdna dialect. A file of its own: TableGen declares the enums of whatever it reads, and those of the tile
// dialect, which ops use too, are declared there.
#ifndef TEGULA_CDNA_ENUMS
#define TEGULA_CDNA_ENUMS

include "mlir/IR/EnumAttr.td"

class Cdna_Enum<string name, string summary, list<I32EnumAttrCase> cases> : I32EnumAttr<name, summary, cases> {
  let cppNamespace = "::tegula::cdna";
  let genSpecializedAttr = 0;
}

// How the end of a dimension is guarded; the values of the `tail` array.
def Cdna_Tail : Cdna_Enum<"Tail", "how accesses beyond the end of a dimension are kept out", [
  I32EnumAttrCase<"None", 0, "none">, I32EnumAttrCase<"Records", 1, "records">,
  I32EnumAttrCase<"Compare", 2, "compare">, I32EnumAttrCase<"Whole", 3, "whole">]>;

def Cdna_FenceKind : Cdna_Enum<"FenceKind", "which side of a fence is ordered", [
  I32EnumAttrCase<"Release", 0, "release">, I32EnumAttrCase<"Acquire", 1, "acquire">]>;

def Cdna_ConvertPath : Cdna_Enum<"ConvertPath", "how a layout conversion moves its data", [
  I32EnumAttrCase<"None", 0, "none">, I32EnumAttrCase<"Lds", 1, "lds">, I32EnumAttrCase<"Lane", 2, "lane">,
  I32EnumAttrCase<"Exchange", 3, "exchange">]>;

def Cdna_HwKind : Cdna_Enum<"HwKind", "an element-wise hardware instruction on f32", [
  I32EnumAttrCase<"Exp2", 0, "exp2">, I32EnumAttrCase<"Log2", 1, "log2">, I32EnumAttrCase<"Rcp", 2, "rcp">,
  I32EnumAttrCase<"Rsq", 3, "rsq">, I32EnumAttrCase<"Sqrt", 4, "sqrt">, I32EnumAttrCase<"Sin", 5, "sin">,
  I32EnumAttrCase<"Cos", 6, "cos">, I32EnumAttrCase<"Fract", 7, "fract">,
  I32EnumAttrCase<"FrexpMant", 8, "frexp_mant">, I32EnumAttrCase<"FrexpExp", 9, "frexp_exp">,
  I32EnumAttrCase<"Ldexp", 10, "ldexp">]>;

// The instruction classes that LLVM's group barriers know.
def Cdna_GroupKind : Cdna_Enum<"GroupKind", "a class of instructions", [
  I32EnumAttrCase<"Mfma", 0, "mfma">, I32EnumAttrCase<"Valu", 1, "valu">, I32EnumAttrCase<"Salu", 2, "salu">,
  I32EnumAttrCase<"Vmem", 3, "vmem">, I32EnumAttrCase<"DsRead", 4, "ds_read">,
  I32EnumAttrCase<"DsWrite", 5, "ds_write">, I32EnumAttrCase<"Trans", 6, "trans">]>;

#endif // TEGULA_CDNA_ENUMS
