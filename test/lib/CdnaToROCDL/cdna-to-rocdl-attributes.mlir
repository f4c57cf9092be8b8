// Both spellings of the workgroup size, plain registers for matrix instructions, the mode for denormals, and the normal
// form.
// RUN: tegula-opt %s -cdna-to-rocdl-attributes | FileCheck %s

// CHECK: llvm.func @k() attributes {cdna.rocdl_only, passthrough = {{\[\[}}"amdgpu-agpr-alloc", "0"]],
// CHECK-SAME: rocdl.flat_work_group_size = "128,128", rocdl.kernel, rocdl.reqd_work_group_size = array<i32: 128, 1, 1>
llvm.func @k() attributes {tegula.abi = {block = [128, 1, 1]}} {
  llvm.return
}
// CHECK: llvm.func @flush() attributes {cdna.rocdl_only, denormal_fp_math_f32 = "preserve-sign,preserve-sign",
llvm.func @flush() attributes {tegula.abi = {block = [128, 1, 1], denormals = "flush"}} {
  llvm.return
}
// CHECK: llvm.func @preserve() attributes {cdna.rocdl_only, passthrough
llvm.func @preserve() attributes {tegula.abi = {block = [128, 1, 1], denormals = "preserve"}} {
  llvm.return
}
// A function without a record is not ours.
// CHECK: llvm.func @other() {
llvm.func @other() {
  llvm.return
}
