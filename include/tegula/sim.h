/* The simulated device's C API: loads AMDGPU code objects for gfx942/gfx950 and executes them,
 * instruction by instruction, on the host.
 *
 * Opaque handles; every call returns a status; the text of the last failure belongs to the device.
 * Nothing is read from the environment and no state is global: two devices are independent.
 * Guest addresses are host addresses: a pointer from tgs_malloc, or any host pointer that was
 * registered, may be stored in a kernarg segment as it is.
 *
 * Calls on one device must not overlap in time; tgs_launch itself uses the configured threads.
 */
#ifndef TEGULA_SIM_H
#define TEGULA_SIM_H

#include <stddef.h>
#include <stdint.h>

#if defined(__GNUC__)
#define TGS_API __attribute__((visibility("default")))
#else
#define TGS_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

typedef struct tgs_device tgs_device;
typedef struct tgs_module tgs_module;
typedef struct tgs_kernel tgs_kernel;

typedef struct tgs_dims {
  uint32_t x, y, z;
} tgs_dims;

typedef enum tgs_status {
  TGS_OK = 0,
  TGS_ERROR_INVALID_ARGUMENT = 1, /* a null pointer, an impossible grid, an unknown target … */
  TGS_ERROR_OUT_OF_MEMORY = 2,
  TGS_ERROR_INVALID_OBJECT = 3, /* not an AMDGPU code object, or for another target */
  TGS_ERROR_NOT_FOUND = 4,      /* no such kernel or allocation */
  TGS_ERROR_RESOURCES = 5,      /* more LDS, registers or work-items than the device has */
  TGS_ERROR_FINDINGS = 6,       /* the launch ran to its end and reported at least one error */
  TGS_ERROR_ABORTED = 7,     /* the launch was stopped: unknown opcode, trap, limit, deadlock … */
  TGS_ERROR_OTHER_TARGET = 8 /* a code object, but not for this device */
} tgs_status;

/* Which checks report. Accesses outside live allocations never happen, whatever is selected. */
enum {
  TGS_SANITIZE_NONE = 0,
  TGS_SANITIZE_WAITS = 1 << 0,     /* use of a register or LDS byte before the s_waitcnt it needs */
  TGS_SANITIZE_LDS_RACES = 1 << 1, /* conflicting LDS accesses without a barrier between them */
  /* data nobody wrote that decides an address, a branch, EXEC, or is stored to global memory */
  TGS_SANITIZE_UNINITIALISED = 1 << 2,
  TGS_SANITIZE_WAIT_STATES = 1 << 3,  /* software wait states that are missing (s_nop) */
  TGS_SANITIZE_GLOBAL_RACES = 1 << 4, /* conflicting accesses to memory without a barrier, or
                                         release and acquire, between them */
  /* EXEC masks that an instruction ignores, buffer descriptors, alignment; with
   * TGS_SANITIZE_GLOBAL_RACES also scalar loads of what the launch wrote */
  TGS_SANITIZE_CONTRACTS = 1 << 5,
  TGS_SANITIZE_ALL = (1 << 6) - 1
};

typedef enum tgs_schedule {
  TGS_SCHEDULE_FIFO = 0,   /* each wave runs to its barrier, round robin */
  TGS_SCHEDULE_RANDOM = 1, /* next wave and slice length drawn from `seed`; one thread */
  TGS_SCHEDULE_ADVERSARIAL =
      2 /* one wave of a workgroup is starved as long as another can run (500 turns at most), with
           each barrier another one; newest workgroups first; one thread */
} tgs_schedule;

/* How matrix instructions add up the products of floats; reports and statistics name it. */
typedef enum tgs_numerics {
  TGS_NUMERICS_FMA_CHAIN = 0,  /* one fused multiply-add after the other, k ascending */
  TGS_NUMERICS_CDNA3_FUSED = 1 /* the algorithm published for gfx942 (MMA-Sim); on gfx950, of which
                                  none is published, an approximation */
} tgs_numerics;

typedef struct tgs_config {
  const char *target;  /* "gfx942" or "gfx950" */
  uint32_t sanitizers; /* TGS_SANITIZE_… */
  uint32_t threads;    /* host threads for workgroups; 0 = one per CPU */
  tgs_schedule schedule;
  uint64_t seed;              /* for TGS_SCHEDULE_RANDOM */
  uint64_t instruction_limit; /* wave-instructions of one wave; 0 = 2^40 */
  double seconds_limit;       /* of host time for a launch; 0 = none */
  uint32_t max_findings;      /* per launch and kind; the last report of a kind says how
                                 many more there were; 0 = 20 */
  uint32_t unordered_threads; /* 1: several threads even where results depend on the order of
                                 workgroups (tgs_stats.ordered_by) */
  const char *suppressions;   /* findings that are dropped: "kind", "kind:kernel-glob",
                                 "kind:kernel-glob:0xPC" or "...:LINE", separated by spaces or
                                 new lines; null = none. One that stops the launch stays */
  uint32_t late_loads;        /* 1: a register has a load's result from the s_waitcnt on that
                                 covers it, and before it a pattern; results show what a missing
                                 wait does */
  uint32_t count_accesses;    /* 1: launches fill tgs_accesses and tgs_memory_traffic; slower */
  tgs_numerics numerics;
  uint32_t transcendental_error; /* 1: results of transcendentals (rcp, sqrt, exp, sin …) are off by
                                    the error that the hardware states, −1, 0 or +1 ulp (2^29 of the
                                    f64 ones), by a hash of the right result; 0: the right result */
} tgs_config;

/* On failure no device exists, so the reason is written to message[0..message_size) if given. */
TGS_API tgs_status tgs_open(const tgs_config *config, tgs_device **device, char *message,
                            size_t message_size);
TGS_API void tgs_close(tgs_device *device);
TGS_API const char *tgs_last_error(const tgs_device *device);

/* Sizes of the device; those that no launch is checked against (clock, memory) are the product's.
 */
typedef struct tgs_device_info {
  const char *target;
  uint32_t compute_units, xcds, simds_per_cu, waves_per_simd;
  uint32_t lds_bytes;      /* of a compute unit, and the most a workgroup can have */
  uint32_t vector_rows;    /* VGPRs and AGPRs that the waves of one SIMD share, per lane */
  uint32_t max_work_items; /* of a workgroup */
  uint32_t clock_mhz;
  uint64_t memory_bytes;
} tgs_device_info;
TGS_API tgs_status tgs_get_device_info(const tgs_device *device, tgs_device_info *info);

/* Device memory: page aligned, guard pages around it, contents zero. */
TGS_API tgs_status tgs_malloc(tgs_device *device, size_t bytes, void **pointer);
TGS_API tgs_status tgs_free(tgs_device *device, void *pointer);
/* The host's writes can't be seen, so memory counts as written until the host says otherwise. With
 * defined = 0 a kernel that lets [pointer, pointer + bytes) decide something before it wrote it is
 * reported (TGS_SANITIZE_UNINITIALISED); 1 takes that back, after the host has written. */
TGS_API tgs_status tgs_mark_defined(tgs_device *device, void *pointer, size_t bytes, int defined);
/* The host has copied [from, from + bytes), memory of `source` (which may be `device`), to
 * `pointer`: it is as defined as what was copied. */
TGS_API tgs_status tgs_copy_defined(tgs_device *device, void *pointer, const tgs_device *source,
                                    const void *from, size_t bytes);

/* Host memory that kernels may touch, until unregistered; the caller keeps it alive. */
enum { TGS_READ = 1, TGS_WRITE = 2 };
TGS_API tgs_status tgs_register(tgs_device *device, void *pointer, size_t bytes, unsigned rights);
TGS_API tgs_status tgs_unregister(tgs_device *device, void *pointer);
/* What reports call the memory that tgs_malloc returned or tgs_register got, e.g. "argument 2". */
TGS_API tgs_status tgs_name_memory(tgs_device *device, void *pointer, const char *name);

/* A code object, or an offload bundle of clang's that has one for the device's target; a bundle
 * that is compressed is refused. */
TGS_API tgs_status tgs_load(tgs_device *device, const void *elf, size_t bytes, tgs_module **module);
TGS_API void tgs_unload(tgs_module *module);
TGS_API size_t tgs_kernel_count(const tgs_module *module);
TGS_API const char *tgs_kernel_name(const tgs_module *module, size_t index);
/* The handle belongs to the module. */
TGS_API tgs_status tgs_get_kernel(tgs_module *module, const char *name, tgs_kernel **kernel);

/* A variable of the module: its address for kernels and the host, and its size. */
TGS_API tgs_status tgs_get_global(tgs_module *module, const char *name, void **pointer,
                                  size_t *bytes);

/* The target that a code object is for, before a device is opened: "gfx942" or "gfx950". If it has
 * none, the reason is written to message[0..message_size) if given. */
TGS_API tgs_status tgs_object_target(const void *elf, size_t bytes, const char **target,
                                     char *message, size_t message_size);

typedef struct tgs_argument {
  const char *name;       /* "" if the object does not say */
  const char *value_kind; /* "global_buffer", "by_value", "hidden_…" */
  uint32_t offset, size;
} tgs_argument;

typedef struct tgs_kernel_info {
  uint32_t kernarg_size;  /* bytes, hidden arguments included */
  uint32_t lds_bytes;     /* static part */
  uint32_t scratch_bytes; /* per work-item */
  uint32_t vgprs, agprs, sgprs;
  uint32_t max_workgroup_size;
  tgs_dims required_workgroup; /* that the kernel was compiled for; 0,0,0 if any will do */
  const tgs_argument *arguments;
  size_t argument_count;
} tgs_kernel_info;
TGS_API tgs_status tgs_kernel_get_info(const tgs_kernel *kernel, tgs_kernel_info *info);

/* Workgroups of `work_items` that one compute unit holds at a time: by registers, LDS and wave
 * slots. 0: not even one. */
TGS_API tgs_status tgs_kernel_occupancy(const tgs_kernel *kernel, uint32_t work_items,
                                        uint32_t dynamic_lds, uint32_t *workgroups);

/* Runs a grid (in workgroups) to its end. `kernarg` holds the explicit arguments; hidden ones, the
 * dispatch packet and preloaded registers are filled in. A short kernarg segment is padded. */
TGS_API tgs_status tgs_launch(tgs_kernel *kernel, const tgs_dims *grid, const tgs_dims *block,
                              uint32_t dynamic_lds, const void *kernarg, size_t kernarg_bytes);

/* Stops the launch that runs on the device, as a limit does. From any thread, signal handlers
 * included. */
TGS_API void tgs_interrupt(tgs_device *device);

typedef enum tgs_severity { TGS_NOTE = 0, TGS_WARNING = 1, TGS_ERROR = 2 } tgs_severity;

typedef struct tgs_finding {
  const char *kind; /* "out-of-bounds", "use-before-wait", "lds-race", "uninitialised", … */
  tgs_severity severity;
  const char *kernel;
  tgs_dims workgroup;
  uint32_t wave;
  uint64_t lanes; /* affected lanes of the wave */
  uint64_t pc;    /* byte offset in the code object's .text */
  const char *instruction;
  const char *file; /* "" without line information */
  uint32_t line;
  uint64_t address; /* memory or LDS address of the first affected lane; 0 if none */
  uint64_t count;   /* occurrences of the same finding (kind and PC) in the launch */
  const char *text; /* the whole report for people */
  const char *json; /* the same as one JSON object */
  int has_earlier;  /* an earlier access conflicts with this one, or is not awaited */
  uint64_t earlier_pc;
  const char *earlier_instruction, *earlier_file;
  uint32_t earlier_line;
} tgs_finding;

/* Calls fn for each finding since the last tgs_clear_findings, in a reproducible order. Strings
 * live until the next launch or clear. */
typedef void (*tgs_finding_fn)(const tgs_finding *finding, void *user);
TGS_API tgs_status tgs_findings(tgs_device *device, tgs_finding_fn fn, void *user);
TGS_API tgs_status tgs_clear_findings(tgs_device *device);

/* Executed wave-instructions of the last launch. */
typedef struct tgs_stats {
  uint64_t total;
  uint64_t valu, salu, mfma, lds, vmem, smem, other;
  uint64_t workgroups, waves;
  double seconds;      /* host time of the launch */
  uint64_t suppressed; /* findings */
  uint32_t threads;    /* host threads that ran it */
  /* Why one thread ran it although more were allowed ("the result of an atomic operation:
   * global_atomic_add_f32 at 0x120"): so results don't depend on the number of threads. "" if none.
   */
  const char *ordered_by; /* lives until the next launch */
  const char *numerics;   /* "fma-chain", "cdna3-fused" */
  /* Why workgroups were not, or from some point on no longer, compared with each other for races
   * (TGS_SANITIZE_GLOBAL_RACES): unordered_threads, or too many synchronising accesses. "" if they
   * were. Lives until the next launch. */
  const char *uncompared;
} tgs_stats;
TGS_API tgs_status tgs_get_stats(const tgs_device *device, tgs_stats *stats);

/* A memory instruction of the last launch on a device that counts accesses. LDS cycles are those of
 * the target's table of phases and banks: lanes of one phase compete, a phase takes as many cycles
 * as its busiest bank has distinct dwords. Where no measurement is published the table is an
 * estimate. */
typedef struct tgs_access {
  uint64_t pc; /* byte offset in the code object's .text */
  const char *instruction;
  const char *file; /* "" without line information */
  uint32_t line;
  const char *space;     /* "lds", "global", "flat", "scratch", "scalar" */
  const char *use;       /* "read", "write", "atomic", "copy" (from memory to LDS) */
  uint32_t width;        /* bytes of a lane, in each part of a two-address form; scalar: in all;
                            typed buffers: of an element, 0 if the descriptor tells its format */
  uint64_t executions;   /* by waves */
  uint64_t lanes, bytes; /* lane accesses that touched memory, and their bytes */
  uint64_t phases;       /* LDS: cycles that the accesses take without conflicts */
  uint64_t conflicts;    /* LDS: cycles lost by bank conflicts */
  uint64_t segments_64;  /* aligned 64-byte segments of memory that an execution touched, summed */
  uint64_t segments_128; /* the same of 128 bytes */
  const char *json;      /* all of it as one JSON object */
} tgs_access;

/* Calls fn for each memory instruction that the last launch executed, by PC. Nothing if the device
 * doesn't count. */
typedef void (*tgs_access_fn)(const tgs_access *access, void *user);
TGS_API tgs_status tgs_accesses(const tgs_device *device, tgs_access_fn fn, void *user);

/* Lane accesses are told apart by width: 1, 2, 4, 8, 12, 16, 32, 64 bytes. The last two, and some
 * of 4, 8 and 16, are scalar loads, which count as one lane. */
enum { TGS_ACCESS_WIDTHS = 8 };
typedef struct tgs_traffic {
  uint64_t executions; /* wave-instructions that touched the allocation */
  uint64_t bytes;
  uint64_t lanes[TGS_ACCESS_WIDTHS];
  uint64_t segments_64, segments_128;
} tgs_traffic;

/* What the last launch did to one allocation. */
typedef struct tgs_memory {
  uint64_t address, size;
  const char *kind;       /* "device", "host", "kernarg", "code", "scratch" (without an address) */
  int64_t kernarg_offset; /* of the first argument that points into it; -1: none does */
  tgs_traffic read, written, atomic;
  const char *json;
} tgs_memory;

/* Calls fn for each allocation that the last launch touched, by address. */
typedef void (*tgs_memory_fn)(const tgs_memory *memory, void *user);
TGS_API tgs_status tgs_memory_traffic(const tgs_device *device, tgs_memory_fn fn, void *user);

/* --- Debugging: a launch that stops
 * ----------------------------------------------------------------- The launch goes on in a thread
 * of its own and in the order that it has without a debugger; a call below returns when it has
 * stopped again. A device has one debugger at a time; while its launch hasn't ended, the device
 * launches nothing else and gives no memory back. Strings live until the debugger's next call. */
typedef struct tgs_debugger tgs_debugger;

typedef enum tgs_event_reason {
  TGS_EVENT_STARTED = 0,    /* before the first instruction */
  TGS_EVENT_BREAKPOINT = 1, /* before an instruction */
  TGS_EVENT_WATCH = 2,      /* after an access */
  TGS_EVENT_STEP = 3,
  TGS_EVENT_FINDING = 4,    /* after the instruction that has it */
  TGS_EVENT_WAVE_ENDED = 5, /* the wave that was stepped */
  TGS_EVENT_ENDED = 6       /* the launch; nothing below is about a wave */
} tgs_event_reason;

typedef struct tgs_event {
  tgs_event_reason reason;
  uint32_t breakpoint; /* id, of BREAKPOINT and WATCH */
  uint64_t workgroup;  /* linear number */
  uint32_t wave;
  uint32_t line;           /* 0 without line information */
  uint64_t pc;             /* of the wave's next instruction: byte offset in .text */
  const char *instruction; /* that instruction */
  const char *file;
  uint64_t address; /* WATCH: first byte of the access that hit, and its lane */
  uint32_t lane;
  tgs_status status;   /* ENDED: what tgs_launch would have returned */
  const char *finding; /* FINDING: the report */
} tgs_event;

TGS_API tgs_status tgs_debug_start(tgs_kernel *kernel, const tgs_dims *grid, const tgs_dims *block,
                                   uint32_t dynamic_lds, const void *kernarg, size_t kernarg_bytes,
                                   tgs_debugger **debugger, tgs_event *event);
/* Abandons the launch if it hasn't ended: what it wrote stays. tgs_unload closes the debuggers of
 * its module's kernels, tgs_close all. */
TGS_API void tgs_debug_close(tgs_debugger *debugger);

typedef enum tgs_break_kind {
  TGS_BREAK_PC = 0,
  TGS_BREAK_LINE = 1, /* where code of the line begins; file: its name or the end of it */
  TGS_WATCH_MEMORY = 2,
  TGS_WATCH_LDS = 3 /* address: offset in the workgroup's LDS */
} tgs_break_kind;
#define TGS_ANY_WORKGROUP UINT64_MAX
#define TGS_ANY_WAVE UINT32_MAX
typedef struct tgs_breakpoint {
  tgs_break_kind kind;
  uint32_t line;
  const char *file;
  uint64_t pc;
  uint64_t address, bytes;
  uint32_t access; /* TGS_READ, TGS_WRITE */
  uint32_t wave;
  uint64_t workgroup;
  uint32_t once; /* 1: deleted when it has stopped the launch */
} tgs_breakpoint;
/* TGS_ERROR_NOT_FOUND: no instruction there, no code of that line. */
TGS_API tgs_status tgs_debug_break(tgs_debugger *debugger, const tgs_breakpoint *breakpoint,
                                   uint32_t *id);
TGS_API tgs_status tgs_debug_delete(tgs_debugger *debugger, uint32_t id);
TGS_API tgs_status tgs_debug_stop_at_findings(tgs_debugger *debugger, int on);

TGS_API tgs_status tgs_debug_run(tgs_debugger *debugger, tgs_event *event);
/* Until the selected wave has executed `count` more instructions; the others go on as they would.
 */
TGS_API tgs_status tgs_debug_step(tgs_debugger *debugger, uint64_t count, tgs_event *event);

/* Resident waves. The selected one is the one that stopped, until another is chosen. */
typedef struct tgs_wave {
  uint64_t workgroup;
  uint32_t wave;
  uint32_t line;
  uint64_t pc;
  const char *state; /* "runs", "waits at a barrier", "sleeps", "has ended" */
  const char *instruction, *file;
  int selected;
} tgs_wave;
typedef void (*tgs_wave_fn)(const tgs_wave *wave, void *user);
TGS_API tgs_status tgs_debug_waves(tgs_debugger *debugger, tgs_wave_fn fn, void *user);
TGS_API tgs_status tgs_debug_select(tgs_debugger *debugger, uint64_t workgroup, uint32_t wave);

/* Registers of the selected wave by name: s0 … s101, v0 …, a0 …, vcc, exec, flat_scratch (2
 * dwords), m0, scc, mode, ttmp0 …. v and a have 64 dwords, one a lane. `count`: room in values,
 * then dwords written. */
TGS_API tgs_status tgs_debug_register(tgs_debugger *debugger, const char *name, uint32_t *values,
                                      size_t *count);
/* Bytes of the selected wave's workgroup, of one of its lanes, and of memory that kernels may read.
 */
TGS_API tgs_status tgs_debug_lds(tgs_debugger *debugger, uint64_t offset, size_t bytes, void *out);
TGS_API tgs_status tgs_debug_scratch(tgs_debugger *debugger, uint32_t lane, uint64_t offset,
                                     size_t bytes, void *out);
TGS_API tgs_status tgs_debug_memory(tgs_debugger *debugger, uint64_t address, size_t bytes,
                                    void *out);

typedef void (*tgs_write_fn)(const char *text, size_t length, void *user);
/* From now on, a line for each instruction of these waves (TGS_ANY_…): text, or a JSON object.
 * `write` is called from the launch's thread, while the caller waits in tgs_debug_run or
 * tgs_debug_step. */
TGS_API tgs_status tgs_debug_trace(tgs_debugger *debugger, uint64_t workgroup, uint32_t wave,
                                   int json, tgs_write_fn write, void *user);
/* From now on, lane accesses are counted by buckets of so many bytes of each allocation and of LDS.
 */
TGS_API tgs_status tgs_debug_heat(tgs_debugger *debugger, uint64_t bucket_bytes);
typedef struct tgs_heat {
  int lds;                /* 1: LDS of all workgroups, base 0 */
  uint64_t base, offset;  /* allocation, and bucket in it */
  uint64_t reads, writes; /* lane accesses that begin there; atomics are both */
} tgs_heat;
typedef void (*tgs_heat_fn)(const tgs_heat *heat, void *user);
TGS_API tgs_status tgs_debug_heatmap(tgs_debugger *debugger, tgs_heat_fn fn, void *user);

/* The text of the whole .text section, one instruction a line, through `write`. */
TGS_API tgs_status tgs_disassemble(tgs_module *module, tgs_write_fn write, void *user);

/* What the device executes: one call for each mnemonic × target × encoding, ordered by mnemonic.
 * SDWA and DPP forms count as encodings of their own ("VOP2_SDWA"). What is not listed is refused
 * by name when it is reached. */
typedef struct tgs_instruction {
  const char *mnemonic; /* as LLVM's, without _e32, _e64, _sdwa, _dpp */
  const char *target, *encoding;
} tgs_instruction;
typedef void (*tgs_instruction_fn)(const tgs_instruction *instruction, void *user);
TGS_API tgs_status tgs_instructions(tgs_instruction_fn fn, void *user);

#ifdef __cplusplus
}
#endif
#endif
