// libFuzzer target: loads, lowers and runs what it is given, under ASan and UBSan, with limits.
//
// An input that begins as an ELF file is a code object, whose first kernels are launched. Any other
// is a stream of instructions behind a header of four bytes: target, checks and schedule; vector
// registers; waves; LDS. Guest memory lies between unmapped pages and ends, or begins, right at
// one, so that an access of the host outside it is a crash. When the process ends it prints how
// many inputs were executed.
#include "Sim/Device.h"
#include "Sim/Exec/Lower.h"
#include "Sim/Exec/Occupancy.h"
#include "Sim/Exec/Ordering.h"
#include <cstdio>
#include <cstdlib>
#include <random>
#include <sys/mman.h>
#include <unistd.h>

using namespace tegula::sim;

extern "C" size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t maxSize);

namespace {
constexpr size_t kHeader = 4, kBufferBytes = 1000; // not a multiple of a page, nor of 16
constexpr unsigned kMostKernels = 2;

struct Tally {
  uint64_t inputs = 0, executed = 0, instructions = 0;
  ~Tally() {
    std::fprintf(stderr, "%llu inputs, %llu of them executed (%.1f %%), %llu wave-instructions\n",
                 static_cast<unsigned long long>(inputs), static_cast<unsigned long long>(executed),
                 inputs ? 100.0 * double(executed) / double(inputs) : 0.0,
                 static_cast<unsigned long long>(instructions));
  }
} tally;

/// Bytes that end at an unmapped page, or begin behind one.
class Guarded {
public:
  Guarded(size_t bytes, bool atEnd) {
    size_t page = size_t(sysconf(_SC_PAGESIZE)), body = (bytes + page - 1) / page * page;
    mapped_ = body + 2 * page;
    base_ = static_cast<std::byte *>(
        mmap(nullptr, mapped_, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
    if (base_ == MAP_FAILED || mprotect(base_ + page, body, PROT_READ | PROT_WRITE) != 0)
      std::abort();
    data = base_ + page + (atEnd ? body - bytes : 0);
  }
  ~Guarded() { munmap(base_, mapped_); }
  Guarded(const Guarded &) = delete;
  Guarded &operator=(const Guarded &) = delete;
  std::byte *data;

private:
  std::byte *base_;
  size_t mapped_;
};

Config configOf(Arch arch, uint8_t bits) {
  Config c;
  c.arch = arch;
  c.checkWaits = c.checkLdsRaces = c.checkUninitialised = bits & 1;
  c.schedule = Schedule(bits >> 1 & 3 ? (bits >> 1 & 3) - 1 : 0);
  c.seed = bits;
  c.threads = 1;
  c.instructionLimit = 2000;
  c.secondsLimit = 5;
  c.maxFindings = 3;
  return c;
}

/// What a kernel of any signature finds: pointers, a descriptor, small numbers.
std::vector<uint32_t> argumentWords(std::byte *a, std::byte *b) {
  auto low = [](std::byte *p) { return uint32_t(reinterpret_cast<uintptr_t>(p)); };
  auto high = [](std::byte *p) { return uint32_t(reinterpret_cast<uintptr_t>(p) >> 32); };
  return {low(a), high(a), low(b), high(b), low(a), high(a), kBufferBytes, 0x00027000,
          16,     4,       1,      64,      0,      0,       low(b),       high(b)};
}

void runObject(const uint8_t *data, size_t size, uint8_t bits) {
  Guarded a(kBufferBytes, true), b(kBufferBytes, false);
  for (Arch arch : {Arch::gfx942, Arch::gfx950}) {
    Device device(configOf(arch, bits));
    Module *module = nullptr;
    if (device.load(data, size, module) != LoadStatus::Ok)
      continue;
    device.memory.registerHost(a.data, kBufferBytes, kRead | kWrite);
    device.memory.registerHost(b.data, kBufferBytes, kRead | kWrite);
    std::vector<uint32_t> words = argumentWords(a.data, b.data);
    unsigned n = 0;
    bool executed = false;
    for (auto &[name, kernel] : module->kernels) {
      if (n++ == kMostKernels)
        break;
      uint32_t items = kernel.kernel->maxFlatWorkgroup;
      Dims block{items && items <= 256 ? items : 64, 1, 1};
      device.launch(kernel, {2, 1, 1}, block, bits & 64 ? 256 : 0, words.data(), words.size() * 4);
      tally.instructions += device.stats.total();
      executed |= device.stats.total() != 0 || !device.findings.empty();
    }
    tally.executed += executed;
  }
}

void runStream(const uint8_t *data, size_t size) {
  Arch arch = data[0] & 128 ? Arch::gfx950 : Arch::gfx942;
  Config config = configOf(arch, data[0]);
  Kernel kernel;
  kernel.name = "stream";
  kernel.vgprs = uint16_t((data[1] % 64 + 1) * 8);
  kernel.accumOffset = uint16_t(std::min<unsigned>(256, (kernel.vgprs / 2 + 3) / 4 * 4));
  kernel.ldsBytes = data[3] * 16u;
  kernel.scratchBytes = data[3] & 1 ? 32 : 0;
  kernel.floatMode = data[2];
  kernel.workgroupId[0] = true;
  kernel.userLayout = {{UserSgpr::kernargPtr, 0, 2}, {UserSgpr::preload, 2, 14}};
  kernel.userSgprs = 16;

  size_t textBytes = (size - kHeader) / 4 * 4;
  Guarded text(textBytes + 4, true), a(kBufferBytes, true), b(kBufferBytes, false);
  std::memcpy(text.data, data + kHeader, textBytes);
  const uint32_t end = 0xbf810000; // s_endpgm
  std::memcpy(text.data + textBytes, &end, 4);
  LowerOptions options{arch, kernel.vgprs, kernel.accumOffset, config.sanitized(), false};
  auto program = lower(options, text.data, textBytes + 4);

  CodeObject object;
  object.arch = arch;
  object.textSize = textBytes + 4;
  Allocations memory;
  memory.registerHost(text.data, textBytes + 4, kRead);
  memory.registerHost(a.data, kBufferBytes, kRead | kWrite);
  memory.registerHost(b.data, kBufferBytes, kRead | kWrite);
  FindingSink sink(config.maxFindings);
  Launch l;
  l.config = &config;
  l.kernel = &kernel;
  l.object = &object;
  l.program = program.get();
  l.imageBase = reinterpret_cast<uintptr_t>(text.data);
  l.grid = {2, 1, 1};
  l.block = {64u * (data[2] >> 6), 1, 1};
  l.block.x = l.block.x ? l.block.x : 64;
  l.ldsBytes = kernel.ldsBytes;
  l.findings = &sink;
  l.orderedBy = orderDependence(*program, object, kernel);
  std::vector<uint32_t> words = argumentWords(a.data, b.data);
  KernargImage image = buildKernarg(l, words.data(), words.size() * 4);
  Guarded segment(image.bytes.size(), true);
  std::memcpy(segment.data, image.bytes.data(), image.bytes.size());
  memory.registerHost(segment.data, image.bytes.size(), kRead);
  l.kernarg = reinterpret_cast<uintptr_t>(segment.data);
  l.packet = l.kernarg + image.packetOffset;
  finishKernarg(l, segment.data, image.packetOffset);
  l.memory = memory.snapshot();
  l.freed = &memory.freed();
  l.deadline = std::chrono::steady_clock::now() + std::chrono::seconds(5);
  HostThreads threads;
  Stats stats;
  AccessCounters counters;
  runLaunch(l, threads, stats, counters);
  tally.executed += 1; // the first instruction is always reached
  tally.instructions += stats.total();
}

bool isObject(const uint8_t *data, size_t size) {
  return size > 5 && std::memcmp(data,
                                 "\x7f"
                                 "ELF",
                                 4) == 0;
}
} // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  if (isObject(data, size)) {
    ++tally.inputs;
    runObject(data, size, data[size - 1]);
  } else if (size >= kHeader) {
    ++tally.inputs;
    runStream(data, size);
  }
  return 0;
}

/// Changes whole instructions: one's bits, its place, its neighbours. Objects: bytes, anywhere.
extern "C" size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t maxSize,
                                          unsigned seed) {
  std::minstd_rand random(seed);
  if (size <= kHeader + 4 || isObject(data, size) || random() % 8 == 0)
    return LLVMFuzzerMutate(data, size, maxSize);
  Arch arch = data[0] & 128 ? Arch::gfx950 : Arch::gfx942;
  const auto *text = reinterpret_cast<const std::byte *>(data + kHeader);
  std::vector<std::pair<size_t, size_t>> places; // offset and size
  for (size_t at = 0; at + 4 <= size - kHeader;) {
    size_t n = decode(arch, text, size - kHeader, at).size;
    places.emplace_back(kHeader + at, n);
    at += n;
  }
  auto [at, n] = places[random() % places.size()];
  auto [other, m] = places[random() % places.size()];
  n = std::min(n, size - at);
  m = std::min(m, size - other);
  uint8_t copy[16];
  std::memcpy(copy, data + other, m);
  switch (random() % 5) {
  case 0: // bits of one
    data[at + random() % n] ^= uint8_t(1u << random() % 8);
    return size;
  case 1: // a byte: an operand, often
    data[at + random() % n] = uint8_t(random());
    return size;
  case 2: // another's copy in front
    if (size + m > maxSize)
      return size;
    std::memmove(data + at + m, data + at, size - at);
    std::memcpy(data + at, copy, m);
    return size + m;
  case 3: // gone
    std::memmove(data + at, data + at + n, size - at - n);
    return size - n;
  default: // a new one of the same length
    for (size_t i = 0; i < n; ++i)
      data[at + i] = uint8_t(random());
    return size;
  }
}
