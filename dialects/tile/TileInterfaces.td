// What ops of both dialects have in common.
#ifndef TEGULA_TILE_INTERFACES
#define TEGULA_TILE_INTERFACES

include "mlir/IR/OpBase.td"

def Tile_KernelOpInterface : OpInterface<"KernelOpInterface"> {
  let cppNamespace = "::tegula::tile";
  let description = [{
    A kernel, before or after its tiles have got layouts. Verifiers of ops inside ask it for the
    target.
  }];
  let methods = [
    InterfaceMethod<"Names the function that computes the launch grid; may be null.",
                    "::mlir::FlatSymbolRefAttr", "getGridAttr">,
    InterfaceMethod<"Names a row of lib/Target; may be null.", "::tegula::tile::TargetAttr",
                    "getTargetAttr">,
    InterfaceMethod<"How the kernel is mapped to a workgroup; may be null.",
                    "::tegula::tile::ScheduleAttr", "getScheduleAttr">,
  ];
}

#endif // TEGULA_TILE_INTERFACES
