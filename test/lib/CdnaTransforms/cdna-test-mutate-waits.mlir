// RUN: tegula-test-opt %s --pass-pipeline="builtin.module(cdna.kernel(cdna-test-mutate-waits{index=1}))" | FileCheck %s --check-prefix=RAISED
// RUN: tegula-test-opt %s --pass-pipeline="builtin.module(cdna.kernel(cdna-test-mutate-waits{index=3}))" | FileCheck %s --check-prefix=REMOVED
// RUN: not tegula-test-opt %s --pass-pipeline="builtin.module(cdna.kernel(cdna-test-mutate-waits{index=4}))" 2>&1 | FileCheck %s --check-prefix=BEYOND

// The verifier would refuse both results; the mutation drops the attribute that makes it.

#one = #cdna.layout<reg = [], lane = [[0, 0], [0, 0], [0, 0], [0, 0], [0, 0], [0, 0]], wave = [[0, 0]]>

// RAISED-NOT: cdna.waits_inserted
// RAISED: cdna.wait_count{{ ?}}{vm = 1, lgkm = 0}
// RAISED-NEXT: cdna.barrier
// REMOVED: cdna.wait_count{{ ?}}{vm = 0, lgkm = 0}
// REMOVED-NEXT: cdna.lds_load
// BEYOND: kernel has 4 mutations, there is no number 4
cdna.kernel @k() attributes {target = #tile.target<"gfx950">, waves = [1, 2], lds_bytes = 16 : i32, cdna.waits_inserted} {
  %x = arith.constant dense<1.0> : tensor<1x1xf32, #one>
  %l = cdna.lds_alloc {offset = 0 : i32} : !cdna.lds<1x1xf32, order = [1, 0]>
  cdna.lds_store %x, %l : tensor<1x1xf32, #one>, !cdna.lds<1x1xf32, order = [1, 0]>
  cdna.wait_count {vm = 0, lgkm = 0}
  cdna.barrier
  %y = cdna.lds_load %l : !cdna.lds<1x1xf32, order = [1, 0]> -> tensor<1x1xf32, #one>
  cdna.return
}
