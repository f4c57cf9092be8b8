// Both spellings of the workgroup size, plain registers for matrix instructions, and the normal form.
// RUN: tegula-opt %s -cdna-to-rocdl-attributes | FileCheck %s

// CHECK: llvm.func @k() attributes {cdna.rocdl_only, passthrough = {{\[\[}}"amdgpu-agpr-alloc", "0"]],
// CHECK-SAME: rocdl.flat_work_group_size = "128,128", rocdl.kernel, rocdl.reqd_work_group_size = array<i32: 128, 1, 1>
llvm.func @k() attributes {tegula.abi = {block = [128, 1, 1]}} {
  llvm.return
}
// A function without a record is not ours.
// CHECK: llvm.func @other() {
llvm.func @other() {
  llvm.return
}
