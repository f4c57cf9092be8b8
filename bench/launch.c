/* Cost of a launch through the C API: a kernel of one workgroup that ends at once.
 *
 *   launch FOLDER DEVICE COUNT     prints the seconds of COUNT launches after a warm one
 */
#include "nothing.h"

#include <stdlib.h>
#include <time.h>

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void check(tgr_status status) {
  if (status == TGR_SUCCESS)
    return;
  fprintf(stderr, "%s: %s\n", tgr_status_name(status), tgr_last_error());
  exit(1);
}

int main(int argc, char **argv) {
  if (argc != 4)
    return 2;
  const tgr_sim_options options = {.threads = 1};
  const long count = atol(argv[3]);
  tgr_device *device;
  tgr_program *program;
  void *x;
  check(tgr_device_open(argv[2], &options, &device));
  check(nothing_open(device, argv[1], &program));
  check(tgr_malloc(device, 256, &x));
  const nothing_args args = {.x = x, .out = x, .N = 64};
  check(nothing_launch(program, &args, NULL));
  const double start = now();
  for (long i = 0; i < count; ++i)
    check(nothing_launch(program, &args, NULL));
  printf("%.9f\n", now() - start);
  check(tgr_free(device, x));
  check(tgr_program_close(program));
  check(tgr_device_close(device));
  return 0;
}
