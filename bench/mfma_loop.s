// The kernel behind sim.mfma_16x16x32_bf16_per_s: a loop of matrix instructions on eight accumulators.
	.amdgcn_target "amdgcn-amd-amdhsa--gfx950"
	.text
	.globl mfma_loop
	.p2align 8
	.type mfma_loop,@function
mfma_loop:
	s_load_dword s4, s[0:1], 0x0
	v_cvt_f32_u32_e32 v1, v0
	.irp r, 2, 3, 4, 5, 6, 7, 8, 9
	v_mov_b32_e32 v\r, v1
	.endr
	.irp r, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31
	v_accvgpr_write_b32 a\r, 0
	.endr
	s_waitcnt lgkmcnt(0)
	s_nop 1
.Lloop:
	.rept 4
	v_mfma_f32_16x16x32_bf16 a[0:3], v[2:5], v[6:9], a[0:3]
	v_mfma_f32_16x16x32_bf16 a[4:7], v[2:5], v[6:9], a[4:7]
	v_mfma_f32_16x16x32_bf16 a[8:11], v[2:5], v[6:9], a[8:11]
	v_mfma_f32_16x16x32_bf16 a[12:15], v[2:5], v[6:9], a[12:15]
	v_mfma_f32_16x16x32_bf16 a[16:19], v[2:5], v[6:9], a[16:19]
	v_mfma_f32_16x16x32_bf16 a[20:23], v[2:5], v[6:9], a[20:23]
	v_mfma_f32_16x16x32_bf16 a[24:27], v[2:5], v[6:9], a[24:27]
	v_mfma_f32_16x16x32_bf16 a[28:31], v[2:5], v[6:9], a[28:31]
	.endr
	s_sub_u32 s4, s4, 1
	s_cmp_lg_u32 s4, 0
	s_cbranch_scc1 .Lloop
	s_endpgm
.Lend:
	.size mfma_loop, .Lend-mfma_loop

	.rodata
	.p2align 6
	.amdhsa_kernel mfma_loop
		.amdhsa_kernarg_size 8
		.amdhsa_user_sgpr_kernarg_segment_ptr 1
		.amdhsa_next_free_vgpr 48
		.amdhsa_next_free_sgpr 8
		.amdhsa_accum_offset 16
	.end_amdhsa_kernel

	.amdgpu_metadata
---
amdhsa.version: [1, 2]
amdhsa.target: amdgcn-amd-amdhsa--gfx950
amdhsa.kernels:
  - .name: mfma_loop
    .symbol: mfma_loop.kd
    .kernarg_segment_size: 8
    .kernarg_segment_align: 8
    .group_segment_fixed_size: 0
    .private_segment_fixed_size: 0
    .wavefront_size: 64
    .sgpr_count: 8
    .vgpr_count: 48
    .agpr_count: 32
    .max_flat_workgroup_size: 512
    .args:
      - {.offset: 0, .size: 4, .value_kind: by_value}
...
	.end_amdgpu_metadata
