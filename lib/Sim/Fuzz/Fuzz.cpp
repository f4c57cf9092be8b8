// libFuzzer target: loads, lowers and runs what it is given, under ASan and UBSan, with limits.
//
// Guest memory lies between unmapped pages and ends, or begins, right at one, so that an access of
// the host outside it is a crash. Mappings, devices and host threads live as long as the process:
// an input costs what it executes. When the process ends it prints how many inputs were executed.
#include "Sim/Device.h"
#include "Sim/Exec/Lower.h"
#include "Sim/Exec/Occupancy.h"
#include "Sim/Exec/Ordering.h"
#include "Sim/Fuzz/Inputs.h"
#include <cstdio>
#include <cstdlib>
#include <sys/mman.h>
#include <unistd.h>

using namespace tegula::sim;
using namespace tegula::sim::fuzz;

namespace {
constexpr size_t kBufferBytes = 1000; // not a multiple of a page, nor of 16
constexpr size_t kMostText = 1 << 16, kKernargBytes = 4096;
constexpr unsigned kMostKernels = 2, kMostInstructions = 400; // of an object; of a wave

struct Tally {
  uint64_t inputs = 0, objects = 0, loaded = 0, executed = 0, findings = 0, instructions = 0;
  ~Tally() {
    auto n = [](uint64_t v) { return static_cast<unsigned long long>(v); };
    std::fprintf(stderr,
                 "%llu inputs, %llu of them executed (%.1f %%), %llu wave-instructions; "
                 "%llu code objects, %llu of them loaded; %llu findings\n",
                 n(inputs), n(executed), inputs ? 100.0 * double(executed) / double(inputs) : 0.0,
                 n(instructions), n(objects), n(loaded), n(findings));
  }
} tally;

/// Bytes that end at an unmapped page, or begin behind one. Never unmapped: they are few.
class Guarded {
public:
  Guarded(size_t bytes, bool atEnd) {
    size_t page = size_t(sysconf(_SC_PAGESIZE)), body = (bytes + page - 1) / page * page;
    auto *base = static_cast<std::byte *>(
        mmap(nullptr, body + 2 * page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
    if (base == MAP_FAILED || mprotect(base + page, body, PROT_READ | PROT_WRITE) != 0)
      std::abort();
    end = base + page + body;
    data = atEnd ? end - bytes : base + page;
  }
  std::byte *data, *end;
};

struct Ground {
  Guarded a{kBufferBytes, true}, b{kBufferBytes, false};
  Guarded text{kMostText, true}, kernarg{kKernargBytes, true};
  HostThreads threads;
  void reset() {
    std::memset(a.data, 1, kBufferBytes);
    std::memset(b.data, 2, kBufferBytes);
  }
};
Ground &ground() {
  static Ground instance;
  return instance;
}

/// `bits` chooses checks and order; `more` the checks that need the first, and how numbers are
/// made.
Config configOf(Arch arch, uint8_t bits, uint8_t more) {
  Config c;
  c.arch = arch;
  c.checkWaits = c.checkLdsRaces = c.checkUninitialised = c.checkWaitStates = bits & 1;
  c.checkGlobalRaces = bits & more & 1;
  c.checkContracts = bits & 1 && more & 2;
  c.lateLoads = more & 4;
  c.numerics = more & 8 ? Numerics::Cdna3Fused : Numerics::FmaChain;
  c.transcendentalError = more & 8;
  c.schedule = Schedule(bits >> 1 & 3 ? (bits >> 1 & 3) - 1 : 0);
  c.seed = bits & 7;
  c.countAccesses = bits & 8;
  c.threads = 1;
  c.instructionLimit = kMostInstructions;
  c.secondsLimit = 5;
  c.maxFindings = 3;
  return c;
}

/// What a kernel of any signature finds: pointers, small numbers, and a descriptor where streams
/// may use it (s[8:11]).
std::vector<uint32_t> argumentWords() {
  auto low = [](std::byte *p) { return uint32_t(reinterpret_cast<uintptr_t>(p)); };
  auto high = [](std::byte *p) { return uint32_t(reinterpret_cast<uintptr_t>(p) >> 32); };
  std::byte *a = ground().a.data, *b = ground().b.data;
  return {low(a), high(a), low(b),       high(b),    16, 4,  low(b), high(b),
          low(a), high(a), kBufferBytes, 0x00027000, 1,  64, low(b), high(b)};
}

/// A device for each target and choice of checks, opened once.
Device &deviceFor(Arch arch, uint8_t bits, uint8_t more) {
  static std::map<unsigned, std::unique_ptr<Device>> devices;
  bits &= 15;
  more &= 15;
  std::unique_ptr<Device> &device = devices[unsigned(arch) << 8 | more << 4 | bits];
  if (!device) {
    device = std::make_unique<Device>(configOf(arch, bits, more));
    device->memory.registerHost(ground().a.data, kBufferBytes, kRead | kWrite);
    device->memory.registerHost(ground().b.data, kBufferBytes, kRead | kWrite);
  }
  return *device;
}

void runObject(const uint8_t *data, size_t size) {
  ++tally.objects;
  uint8_t bits = data[size - 1];
  Device &device = deviceFor(archOfObject(data, size), bits, data[size - 2]);
  Module *module = nullptr;
  if (device.load(data, size, module) != LoadStatus::Ok)
    return;
  ++tally.loaded;
  const std::vector<uint32_t> words = argumentWords();
  unsigned n = 0;
  bool executed = false;
  for (auto &[name, kernel] : module->kernels) {
    if (n++ == kMostKernels)
      break;
    uint32_t items = kernel.kernel->maxFlatWorkgroup;
    Dims block{items && items <= 256 ? items : 64, 1, 1};
    device.launch(kernel, {2, 1, 1}, block, bits & 64 ? 256 : 0, words.data(), words.size() * 4);
    tally.instructions += device.stats.total();
    executed |= device.stats.total() != 0;
  }
  tally.executed += executed;
  tally.findings += device.findings.size();
  device.findings.clear();
  device.unload(module);
}

/// Registers, LDS and scratch are one of a few sizes, so that waves of earlier inputs serve again.
Kernel kernelOf(const uint8_t *header) {
  constexpr uint16_t vgprs[] = {32, 64, 128, 512};
  constexpr uint32_t lds[] = {0, 1024, 4080, 65536};
  Kernel kernel;
  kernel.name = "stream";
  kernel.vgprs = vgprs[header[1] & 3];
  kernel.accumOffset = uint16_t(std::min<unsigned>(256, kernel.vgprs / 2));
  kernel.ldsBytes = lds[header[3] & 3];
  kernel.scratchBytes = header[3] & 4 ? 32 : 0;
  kernel.floatMode = header[2];
  kernel.ieee = header[1] & 4;
  kernel.dx10Clamp = header[1] & 8;
  kernel.workgroupId[0] = true;
  kernel.userLayout = {{UserSgpr::kernargPtr, 0, 2}, {UserSgpr::preload, 2, 14}};
  kernel.userSgprs = 16;
  return kernel;
}

void placeKernarg(Launch &l) {
  const std::vector<uint32_t> words = argumentWords();
  KernargImage image = buildKernarg(l, words.data(), words.size() * 4);
  std::byte *segment = ground().kernarg.end - image.bytes.size();
  std::memcpy(segment, image.bytes.data(), image.bytes.size());
  l.kernarg = reinterpret_cast<uintptr_t>(segment);
  l.kernargEnd = l.kernarg + image.argumentBytes;
  l.packet = l.kernarg + image.packetOffset;
  finishKernarg(l, segment, image.packetOffset);
}

void runStream(const uint8_t *data, size_t size) {
  const Config config = configOf(archOfStream(data), data[0], data[1] >> 4);
  const Kernel kernel = kernelOf(data);
  size_t textBytes = std::min((size - kHeader) / 4 * 4, kMostText - 4);
  std::byte *text = ground().text.end - textBytes - 4;
  std::memcpy(text, data + kHeader, textBytes);
  const uint32_t end = 0xbf810000; // s_endpgm
  std::memcpy(text + textBytes, &end, 4);
  LowerOptions options{config.arch, kernel.vgprs, kernel.accumOffset, config.sanitized(),
                       config.countAccesses};
  auto program = lower(options, text, textBytes + 4);

  CodeObject object;
  object.arch = config.arch;
  object.textSize = textBytes + 4;
  FindingSink sink(config);
  Launch l;
  l.config = &config;
  l.kernel = &kernel;
  l.object = &object;
  l.program = program.get();
  l.imageBase = reinterpret_cast<uintptr_t>(text);
  l.grid = {1 + (data[2] >> 5 & 1u), 1, 1};
  l.block = {64u << (data[2] >> 6 & 1), 1, 1};
  l.ldsBytes = kernel.ldsBytes;
  l.findings = &sink;
  l.orderedBy = orderDependence(*program, object, kernel);
  placeKernarg(l);
  Allocations memory;
  memory.registerHost(text, textBytes + 4, kRead);
  memory.registerHost(ground().a.data, kBufferBytes, kRead | kWrite);
  memory.registerHost(ground().b.data, kBufferBytes, kRead | kWrite);
  memory.registerHost(reinterpret_cast<void *>(l.kernarg),
                      size_t(ground().kernarg.end - reinterpret_cast<std::byte *>(l.kernarg)),
                      kRead);
  l.memory = memory.snapshot();
  l.freed = &memory.freed();
  l.deadline = std::chrono::steady_clock::now() + std::chrono::seconds(5);
  Stats stats;
  AccessCounters counters;
  runLaunch(l, ground().threads, stats, counters);
  tally.executed += stats.total() != 0;
  tally.instructions += stats.total();
  tally.findings += sink.take().size();
}
} // namespace

/// Freed memory is kept from reuse, but not 256 MiB of it: that much is slow to walk through. A
/// finding is repeated with its input, so stacks of allocations may be short.
extern "C" const char *__asan_default_options() {
  return "quarantine_size_mb=8:malloc_context_size=1:max_malloc_fill_size=0:"
         "detect_stack_use_after_return=0";
}

extern "C" const char *__ubsan_default_options() { return "halt_on_error=1:print_stacktrace=1"; }

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  if (size < 2 * kHeader)
    return 0;
  ++tally.inputs;
  ground().reset();
  isObject(data, size) ? runObject(data, size) : runStream(data, size);
  return 0;
}
