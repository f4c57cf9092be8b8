// The kernel behind sim.wave_inst_per_s: a loop of f32 fma and integer adds, 8 waves a workgroup.
	.amdgcn_target "amdgcn-amd-amdhsa--gfx950"
	.text
	.globl valu_loop
	.p2align 8
	.type valu_loop,@function
valu_loop:
	s_load_dword s4, s[0:1], 0x0
	v_cvt_f32_u32_e32 v1, v0
	v_mov_b32_e32 v2, 1.0
	v_mov_b32_e32 v3, v0
	v_mov_b32_e32 v4, 0.5
	s_waitcnt lgkmcnt(0)
.Lloop:
	.rept 16
	v_fma_f32 v1, v1, v4, v2
	v_add_u32_e32 v3, v3, v0
	v_fma_f32 v2, v2, v4, v1
	v_add_u32_e32 v0, v3, v0
	.endr
	s_sub_u32 s4, s4, 1
	s_cmp_lg_u32 s4, 0
	s_cbranch_scc1 .Lloop
	s_endpgm
.Lend:
	.size valu_loop, .Lend-valu_loop

	.rodata
	.p2align 6
	.amdhsa_kernel valu_loop
		.amdhsa_kernarg_size 8
		.amdhsa_user_sgpr_kernarg_segment_ptr 1
		.amdhsa_next_free_vgpr 8
		.amdhsa_next_free_sgpr 8
		.amdhsa_accum_offset 8
		.amdhsa_float_denorm_mode_32 3
	.end_amdhsa_kernel

	.amdgpu_metadata
---
amdhsa.version: [1, 2]
amdhsa.target: amdgcn-amd-amdhsa--gfx950
amdhsa.kernels:
  - .name: valu_loop
    .symbol: valu_loop.kd
    .kernarg_segment_size: 8
    .kernarg_segment_align: 8
    .group_segment_fixed_size: 0
    .private_segment_fixed_size: 0
    .wavefront_size: 64
    .sgpr_count: 8
    .vgpr_count: 8
    .max_flat_workgroup_size: 512
    .args:
      - {.offset: 0, .size: 4, .value_kind: by_value}
...
	.end_amdgpu_metadata
