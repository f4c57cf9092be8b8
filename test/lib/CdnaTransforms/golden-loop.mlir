// The golden loops through all passes of this library: waits, barriers and groups are exactly these.
// RUN: tegula-opt %S/Inputs/gemm_nt_gfx950.mlir --pass-pipeline="builtin.module(cdna.kernel(cdna-stage-operands,cdna-solve-swizzles,cdna-pipeline-loops,cdna-allocate-lds,cdna-insert-waits,cdna-group-schedule,cdna-check-budgets),canonicalize,cse)" | FileCheck %s --check-prefix=GFX950
// RUN: tegula-opt %S/Inputs/gemm_nt_gfx942.mlir --pass-pipeline="builtin.module(cdna.kernel(cdna-stage-operands,cdna-solve-swizzles,cdna-pipeline-loops,cdna-allocate-lds,cdna-insert-waits,cdna-group-schedule,cdna-check-budgets),canonicalize,cse)" | FileCheck %s --check-prefix=GFX942

// GFX950: lds_bytes = 131072
// GFX950: cdna.async_copy
// GFX950: cdna.async_copy
// GFX950: cdna.async_copy
// GFX950: cdna.async_copy
// GFX950: cdna.wait_count{{ ?}}{vm = 8, lgkm = 15}
// GFX950-NEXT: cdna.barrier
// GFX950: scf.for
// GFX950-NOT: cdna.wait_count
// GFX950: cdna.mfma
// GFX950-COUNT-12: cdna.sched_group{{ ?}}{kind = mfma, count = 2}
// GFX950: cdna.sched_group{{ ?}}{kind = mfma, count = 8}
// GFX950-NEXT: cdna.sched_fence
// GFX950-NEXT: cdna.wait_count{{ ?}}{vm = 0, lgkm = 0}
// GFX950-NEXT: cdna.barrier
// GFX950-NEXT: cdna.sched_fence
// GFX950-NOT: cdna.wait_count
// GFX950: cdna.mfma
// GFX950-COUNT-8: cdna.sched_group{{ ?}}{kind = vmem, count = 1}
// GFX950-COUNT-12: cdna.sched_group{{ ?}}{kind = ds_read, count = 1}
// GFX950-NEXT: cdna.sched_group{{ ?}}{kind = mfma, count = 1}
// GFX950-NEXT: cdna.sched_group{{ ?}}{kind = mfma, count = 12}
// GFX950-NEXT: cdna.sched_fence
// GFX950-NEXT: scf.yield
// GFX950-NEXT: }
// GFX950-NEXT: cdna.wait_count{{ ?}}{vm = 0, lgkm = 0}
// GFX950: scf.if
// GFX950-NOT: cdna.wait_count
// GFX950: cdna.barrier
// GFX950: cdna.lds_store
// GFX950: cdna.lds_store
// GFX950: cdna.wait_count{{ ?}}{vm = 63, lgkm = 0}
// GFX950-NEXT: cdna.barrier

// GFX942: lds_bytes = 65536
// GFX942: scf.for
// GFX942: cdna.lds_store
// GFX942: cdna.load
// GFX942: cdna.mfma {{.*}}steps = array<i64: 0, 1>
// GFX942-NEXT: cdna.sched_group{{ ?}}{kind = mfma, count = 3}
// GFX942-NEXT: cdna.sched_group{{ ?}}{kind = ds_write, count = 1}
// GFX942: cdna.wait_count{{ ?}}{vm = 63, lgkm = 0}
// GFX942-NEXT: cdna.barrier
// GFX942: cdna.lds_load
// GFX942: cdna.mfma {{.*}}steps = array<i64: 1, 2>
// GFX942: cdna.lds_store
// GFX942: cdna.wait_count{{ ?}}{vm = 63, lgkm = 0}
// GFX942-NEXT: cdna.barrier
// GFX942: cdna.lds_load
// GFX942-NOT: cdna.wait_count
// GFX942: scf.yield
