// 512 vector registers a wave: a compute unit holds four such waves.
.rodata
.p2align 6
.amdhsa_kernel greedy
  .amdhsa_next_free_vgpr 512
  .amdhsa_next_free_sgpr 8
  .amdhsa_accum_offset 256
.end_amdhsa_kernel
.text
.globl greedy
.p2align 8
.type greedy,@function
greedy:
  v_accvgpr_write_b32 a255, v0
  s_endpgm
.size greedy, .-greedy
