/* The Tegula runtime: load code objects and launch kernels on a real or simulated CDNA device.
 *
 * Plain C, no LLVM, no Python, no global state. A device is opened by name: "hip:0" is the first
 * HIP device (libamdhip64 is loaded at run time), "sim:gfx942" and "sim:gfx950" are simulated ones
 * (libtegula-sim, found beside this library). Every function returns a status; after one that isn't
 * TGR_SUCCESS, tgr_last_error() holds one line about it for the calling thread. Handles may be used
 * from several threads; closing one while another thread uses it is the caller's error.
 */
#ifndef TEGULA_RUNTIME_H
#define TEGULA_RUNTIME_H

#include <stddef.h>
#include <stdint.h>

#if defined(__cplusplus)
extern "C" {
#endif

#define TGR_API __attribute__((visibility("default")))

typedef enum {
  TGR_SUCCESS = 0,
  TGR_INVALID_ARGUMENT = 1, /* a null handle, a size that doesn't fit, a name that doesn't exist */
  TGR_NO_DEVICE = 2,        /* the driver's library is missing or has no such device */
  TGR_INVALID_OBJECT = 3,   /* not a code object, truncated, or for another architecture */
  TGR_NOT_FOUND = 4,        /* no kernel of that name in the module */
  TGR_OUT_OF_MEMORY = 5,
  TGR_LAUNCH_FAILED = 6, /* the launch was refused or the kernel faulted */
  TGR_DRIVER_ERROR =
      7, /* anything else that the driver reported; the text has its name and number */
  TGR_FINDINGS =
      8, /* simulated device: the kernel ran, its sanitizer reported errors (tgr_findings) */
  TGR_NOT_WARM = 9,  /* a first launch, which loads code, on a stream that is being captured */
  TGR_ASSERTION = 10 /* an assertion of the kernel, or a check of its debug build, failed
                        (tgr_failed); the workgroups in which it did have ended there */
} tgr_status;

typedef struct tgr_device tgr_device;
typedef struct tgr_module tgr_module;
typedef struct tgr_kernel tgr_kernel;
typedef void
    *tgr_stream; /* a hipStream_t on HIP (NULL: the default stream); NULL on a simulated device */

typedef struct {
  uint32_t x, y, z;
} tgr_dim3;

/* Options of a simulated device; ignored by HIP. Zero-initialised means the defaults in brackets.
 */
typedef struct {
  uint32_t threads;  /* host threads [all cores] */
  int no_sanitizers; /* 1: report nothing but faults [0: all sanitizers on] */
  uint64_t
      random_seed; /* order of waves and workgroups: 0 in order, else drawn from this seed [0] */
  uint64_t max_wave_instructions; /* stop a launch after so many [no limit] */
  int count_accesses; /* 1: launches count bank conflicts and memory traffic, slower [0] */
} tgr_sim_options;

/* Executed wave-instructions of all launches since the last reset; all 0 on HIP. */
typedef struct {
  uint64_t launches, workgroups, waves;
  uint64_t valu, salu, mfma, lds, vmem, smem, other, total;
} tgr_counters;

/* One line: what went wrong in this thread's last failing call. Never NULL. */
TGR_API const char *tgr_last_error(void);
TGR_API const char *tgr_status_name(tgr_status status);

/* Open a device. `options` may be NULL. */
TGR_API tgr_status tgr_device_open(const char *name, const tgr_sim_options *options,
                                   tgr_device **device);
TGR_API tgr_status tgr_device_close(tgr_device *device);
/* The architecture, "gfx942" or "gfx950"; owned by the device. */
TGR_API const char *tgr_device_arch(const tgr_device *device);
/* Compute units, each with its own LDS. A program's plan tells how many workgroups they hold. */
TGR_API uint32_t tgr_device_compute_units(const tgr_device *device);
/* Stops the launch that runs on a simulated device, which then fails; nothing on others. From any
 * thread, signal handlers included. */
TGR_API void tgr_device_interrupt(tgr_device *device);
/* 1 when kernels address host memory directly (simulated), 0 when they don't. */
TGR_API int tgr_device_uses_host_memory(const tgr_device *device);

TGR_API tgr_status tgr_malloc(tgr_device *device, size_t bytes, void **pointer);
TGR_API tgr_status tgr_free(tgr_device *device, void *pointer);
TGR_API tgr_status tgr_copy_to_device(tgr_device *device, void *to, const void *from, size_t bytes);
TGR_API tgr_status tgr_copy_to_host(tgr_device *device, void *to, const void *from, size_t bytes);

/* Make host memory visible to kernels until tgr_unregister (simulated devices; HIP: nothing to do).
 * Registering the same range again nests. A kernel that leaves all registered ranges is out of
 * bounds. */
TGR_API tgr_status tgr_register(tgr_device *device, void *pointer, size_t bytes, int writable);
TGR_API tgr_status tgr_unregister(tgr_device *device, void *pointer);
/* What findings of a simulated device call the memory that tgr_malloc returned or tgr_register got,
 * e.g. "argument 'x'"; HIP: nothing to do. */
TGR_API tgr_status tgr_name_memory(tgr_device *device, void *pointer, const char *name);

/* Load a code object; the bytes are copied. */
TGR_API tgr_status tgr_module_load(tgr_device *device, const void *bytes, size_t size,
                                   tgr_module **module);
TGR_API tgr_status tgr_module_unload(tgr_module *module);
TGR_API tgr_status tgr_module_kernel(tgr_module *module, const char *name, tgr_kernel **kernel);

/* Launch `grid` workgroups of `block` work-items. `kernarg` is the explicit argument segment;
 * hidden arguments are filled in. An empty grid launches nothing and succeeds. On a simulated
 * device the call returns when the kernel has ended; on HIP it is asynchronous and allocates
 * nothing. */
TGR_API tgr_status tgr_launch(tgr_kernel *kernel, tgr_dim3 grid, tgr_dim3 block,
                              uint32_t dynamic_lds_bytes, const void *kernarg, size_t kernarg_bytes,
                              tgr_stream stream);
TGR_API tgr_status tgr_synchronize(tgr_device *device, tgr_stream stream);
/* Whether work on `stream` is being recorded into a graph (HIP); launches of kernels that have been
 * launched before are safe then, loading is not. */
TGR_API tgr_status tgr_stream_is_capturing(tgr_device *device, tgr_stream stream, int *capturing);

/*===--- Programs: kernels with their manifests ---===
 *
 * A program is one kernel in one or more variants (targets, tile extents, strides), each a code
 * object and the record that `tegula compile` wrote beside it: arguments and what is taken for
 * granted of them, the grid as an expression, the conditions under which the variant is chosen. */

#define TGR_MAX_RANK 5
#define TGR_MAX_KERNARG 4096

typedef struct tgr_program tgr_program;

typedef enum {
  TGR_VIEW = 0,
  TGR_INTEGER = 1,
  TGR_REAL = 2,
  /* Scratch memory on the device, behind the last argument: `data` and in `integer` its bytes. A
   * plan says how many are needed. Two launches that may overlap need two. */
  TGR_WORKSPACE = 3
} tgr_argument_kind;

/* One argument as its caller has it. Extents and strides count elements. */
typedef struct {
  tgr_argument_kind kind;
  uint32_t rank;
  const void *data; /* of element 0, on the device */
  const int64_t *shape, *strides;
  const char *dtype; /* as in the manifest ("bf16"); NULL: not checked */
  int64_t integer;
  double real;
} tgr_argument;

/* What a launch of given arguments is: the variant chosen for the device, and its launch. */
typedef struct {
  uint32_t variant; /* its place in the manifest */
  tgr_dim3 grid, block;
  /* Bytes of a TGR_WORKSPACE that the launch needs (0: none), and how many of them, from the start,
   * must be 0 when it begins; tgr_program_launch sees to that. */
  uint64_t workspace_bytes, workspace_zero_bytes;
  uint32_t resident; /* workgroups of the variant that the device holds at once */
  uint32_t kernarg_bytes;
  uint8_t kernarg[TGR_MAX_KERNARG];
} tgr_plan;

/* Read `path`, a manifest that `tegula compile` wrote; its code objects are read on first use. */
TGR_API tgr_status tgr_program_open(tgr_device *device, const char *path, tgr_program **program);
/* The same from memory: one variant's record and its code object, which is copied. */
TGR_API tgr_status tgr_program_create(tgr_device *device, const char *record, const void *code,
                                      size_t code_bytes, tgr_program **program);
/* Also unloads its modules. The device stays open. */
TGR_API tgr_status tgr_program_close(tgr_program *program);

/* Choose a variant, check the arguments against it, and work out grid and kernel arguments.
 * TGR_INVALID_ARGUMENT when no variant serves them; tgr_refusal says which argument and why. */
TGR_API tgr_status tgr_program_plan(tgr_program *program, const tgr_argument *arguments,
                                    uint32_t count, tgr_plan *plan);
/* Plan and launch; asynchronous on HIP. Allocates nothing once the variant has been launched; its
 * first launch on a stream that is being captured is refused (TGR_NOT_WARM). */
TGR_API tgr_status tgr_program_launch(tgr_program *program, const tgr_argument *arguments,
                                      uint32_t count, tgr_stream stream);

/*===--- Assertions and prints ---===
 *
 * A kernel that prints, or was compiled with its assertions, writes records to memory that is
 * allocated when it is loaded. A launch of it on HIP waits for its end, and reads them, unless the
 * stream is being captured. */

/* A range of a source file; columns count from 1. */
typedef struct {
  const char *file;
  uint32_t line, column, end_line, end_column;
} tgr_place;

/* The first assertion that failed, in the order of the workgroups. */
typedef struct {
  const char *kernel, *message;
  int is_bounds; /* 1: a check of an index, 0: an assertion */
  uint32_t workgroup[3];
  uint32_t rank; /* of the condition; 0: a scalar */
  int64_t element[TGR_MAX_RANK];
  uint64_t workgroups; /* in which an assertion failed */
  uint32_t place_count;
  const tgr_place *places; /* where it stands, then the calls it was inlined through */
} tgr_failure;

/* After TGR_ASSERTION in this thread: which one it was. Owned by the thread, until its next such
 * status. */
TGR_API void tgr_failed(tgr_failure *failure);
/* Who is given what kernels print, whole lines of text; by default it is written to stdout. */
typedef void (*tgr_print)(void *user, const char *text);
TGR_API tgr_status tgr_set_print(tgr_device *device, tgr_print print, void *user);
/* Waits for the stream and reads what replays of a graph have recorded: prints it, and returns
 * TGR_ASSERTION if an assertion failed in the last one. */
TGR_API tgr_status tgr_program_read_records(tgr_program *program, tgr_stream stream);
/* The text of one record; `site` is a site of a manifest's records (JSON), `values` are the words
 * of its fields, scalars first. The text is owned by the thread, until its next call. */
TGR_API tgr_status tgr_format_record(const char *site, const int64_t *values, size_t count,
                                     const char **text);

/* The name of an argument by its place in a call; NULL behind the last. */
TGR_API const char *tgr_program_argument(const tgr_program *program, uint32_t index);
/* Whether some variant needs a workspace. */
TGR_API int tgr_program_uses_workspace(const tgr_program *program);
/* After TGR_INVALID_ARGUMENT of a program's call in this thread: the argument (or "grid axis 0",
 * "target"), what was found, what was expected. Empty strings after other errors. */
TGR_API void tgr_refusal(const char **argument, const char **found, const char **expected);

/* Whether rows of a view overlap or interleave, so that no bound tells where one ends. */
TGR_API int tgr_rows_repeat(uint32_t rank, const int64_t *shape, const int64_t *strides);

/* Sanitizer findings of the launches since the last tgr_clear_findings, as text, one after another;
 * owned by the device until its next call. "" when there are none, and always on HIP. */
TGR_API tgr_status tgr_findings(tgr_device *device, size_t *count, const char **text);
TGR_API tgr_status tgr_clear_findings(tgr_device *device);
TGR_API tgr_status tgr_read_counters(tgr_device *device, tgr_counters *counters);
TGR_API tgr_status tgr_reset_counters(tgr_device *device);

/* Memory accesses of the last launch as a JSON object: "instructions" and "memory" are lists of
 * what sim.h calls tgs_access and tgs_memory. Owned by the device until its next call; both lists
 * are empty unless a simulated device was opened with count_accesses. */
TGR_API tgr_status tgr_access_report(tgr_device *device, const char **json);

#if defined(__cplusplus)
}
#endif

#endif /* TEGULA_RUNTIME_H */
