// Kernels of C++ for the simulated device: recursion, variadic functions, virtual calls, 128-bit
// integers.
#define KERNEL extern "C" __attribute__((amdgpu_kernel, amdgpu_flat_work_group_size(64, 64)))
#define NOINLINE __attribute__((noinline))
#define GLOBAL __attribute__((address_space(1)))
using u64 = unsigned long;
using u128 = unsigned __int128;

static int lane() { return int(__builtin_amdgcn_workitem_id_x()); }

NOINLINE int ackermann(int m, int n) {
  if (m == 0)
    return n + 1;
  if (n == 0)
    return ackermann(m - 1, 1);
  return ackermann(m - 1, ackermann(m, n - 1));
}
KERNEL void recursion(GLOBAL int *out) { out[lane()] = ackermann(lane() & 1, lane() & 7); }

NOINLINE int sumOf(int count, ...) {
  __builtin_va_list list;
  __builtin_va_start(list, count);
  int total = 0;
  for (int i = 0; i < count; ++i)
    total += __builtin_va_arg(list, int);
  __builtin_va_end(list);
  return total;
}
KERNEL void variadic_sum(GLOBAL int *out, GLOBAL const int *x) {
  int v = x[lane()];
  out[lane()] = lane() & 1 ? sumOf(4, v, v, v, 3) : sumOf(2, v, 100);
}

// Tables of functions in memory, with relocations.
struct Shape {
  virtual double area(int) const { return -1; }
};
struct Square : Shape {
  double area(int i) const override { return double(i) * i; }
};
struct Strip : Shape {
  double area(int i) const override { return 2.0 * i; }
};
struct Half : Shape {
  double area(int i) const override { return 0.5 * i; }
};
KERNEL void virtual_calls(GLOBAL double *out) {
  Square square;
  Strip strip;
  Half half;
  const Shape *shapes[] = {&square, &strip, &half};
  out[lane()] = shapes[lane() % 3]->area(lane());
}

// Recursion with a table on the stack that each call writes.
NOINLINE u64 fibonacci(int n, u64 *known) {
  if (n < 2)
    return u64(n);
  if (!known[n])
    known[n] = fibonacci(n - 1, known) + fibonacci(n - 2, known);
  return known[n];
}
KERNEL void fibonacci_memo(GLOBAL u64 *out) {
  u64 known[64] = {};
  out[lane()] = fibonacci(lane(), known);
}

template <class T, int N> void insertionSort(GLOBAL T *x) {
  for (int i = 1; i < N; ++i) {
    T v = x[i];
    int j = i;
    for (; j > 0 && x[j - 1] > v; --j)
      x[j] = x[j - 1];
    x[j] = v;
  }
}
KERNEL void template_sort(GLOBAL float *x) { insertionSort<float, 9>(x + 9 * lane()); }

KERNEL void long_arithmetic(GLOBAL u64 *out, GLOBAL const u64 *a, GLOBAL const u64 *b) {
  u128 product = u128(a[lane()]) * b[lane()];
  out[3 * lane()] = u64(product >> 64);
  out[3 * lane() + 1] = u64(product);
  u128 rest = product, quotient = 0; // by hand: there is no runtime library to divide
  u64 divisor = b[lane()] | u64(1) << 40;
  for (int bit = 64; bit >= 0; --bit)
    if (rest >> bit >= divisor) {
      rest -= u128(divisor) << bit;
      quotient |= u128(1) << bit;
    }
  out[3 * lane() + 2] = u64(quotient);
}
