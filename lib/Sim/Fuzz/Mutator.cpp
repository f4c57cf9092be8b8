// Changes streams instruction by instruction, with new ones made from the table of instructions,
// and code objects section by section: a byte anywhere would mostly hit padding.
#include "Sim/Decode/Decoder.h"
#include "Sim/Fuzz/Inputs.h"
#include <algorithm>
#include <cstring>
#include <random>

using namespace tegula::sim;
using namespace tegula::sim::fuzz;

extern "C" size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t maxSize);

namespace {
using Random = std::minstd_rand;
constexpr size_t kMostBytes = 16;   // of an instruction
constexpr size_t kMostStream = 256; // bytes: lowering longer ones costs more than running them

/// Where an encoding keeps its prefix and opcode, and the bits of operands that make small, even
/// registers and plain offsets.
struct Layout {
  Encoding encoding;
  uint32_t prefix;
  uint8_t opcodeShift, dwords;
  uint64_t usual;
};
constexpr uint64_t words(uint64_t low, uint64_t high) { return low | high << 32; }
constexpr Layout kLayouts[] = {
    {Encoding::SOP2, 2u << 30, 23, 1, 0x001e9e9e},
    {Encoding::SOPK, 0xbu << 28, 23, 1, 0x001e000f},
    {Encoding::SOP1, 0x17du << 23, 8, 1, 0x001e009e},
    {Encoding::SOPC, 0x17eu << 23, 16, 1, 0x00009e9e},
    {Encoding::SOPP, 0x17fu << 23, 16, 1, 0x0000000f},
    {Encoding::SMEM, 0x30u << 26, 18, 2, words(0x00020782, 0x000001fc)},
    {Encoding::VOP2, 0, 25, 1, 0x003c3d1e},
    {Encoding::VOP1, 0x3fu << 25, 9, 1, 0x003c011e},
    {Encoding::VOPC, 0x3eu << 25, 17, 1, 0x00003d1e},
    {Encoding::VOP3, 0x34u << 26, 16, 2, words(0x0000ff1e, 0xfc7a3d1e)},
    {Encoding::VOP3P, 0x1a7u << 23, 16, 2, words(0x0000ff1e, 0xfc7a3d1e)},
    {Encoding::MAI, 0x1a7u << 23, 16, 2, words(0x0000ff3c, 0xfcf87d3c)},
    {Encoding::DS, 0x36u << 26, 17, 2, words(0x000000fc, 0x1e1e1e1e)},
    {Encoding::FLAT, 0x37u << 26, 18, 2, words(0x0003007c, 0x1e061e1e)},
    {Encoding::SCRATCH, 0x37u << 26 | 1u << 14, 18, 2, words(0x0003001c, 0x1e7f1e1e)},
    {Encoding::GLOBAL, 0x37u << 26 | 2u << 14, 18, 2, words(0x0003007c, 0x1e061e1e)},
    {Encoding::MUBUF, 0x38u << 26, 18, 2, words(0x0003307c, 0x8c821e1e)},
    {Encoding::MUBUF_LDS, 0x38u << 26 | 1u << 16, 18, 2, words(0x0002307c, 0x8c821e1e)},
    {Encoding::MTBUF, 0x3au << 26, 15, 2, words(0x03f8307c, 0x8c821e1e)},
};

uint64_t drawn64(Random &random) {
  uint64_t v = 0;
  for (unsigned i = 0; i < 4; ++i)
    v = v << 16 | (random() >> 8 & 0xffff);
  return v;
}

/// An instruction of a random row; mostly one that the decoder takes.
size_t newInstruction(Arch arch, Random &random, uint8_t *out) {
  size_t size = 4;
  for (unsigned attempt = 0; attempt < 8; ++attempt) {
    const IsaRow &row = kIsaRows[random() % kNumIsaRows];
    const Layout *layout =
        std::find_if(std::begin(kLayouts), std::end(kLayouts),
                     [&](const Layout &l) { return l.encoding == row.encoding; });
    if (layout == std::end(kLayouts) || !(row.archs & archBit(arch)))
      continue;
    uint64_t fixed = layout->prefix | uint64_t(row.opcode) << layout->opcodeShift;
    uint64_t operands = drawn64(random) & (random() % 4 ? layout->usual : ~uint64_t(0));
    uint64_t word = fixed | operands;
    std::memcpy(out, &word, 8);
    size = 4u * layout->dwords;
    if (decode(arch, reinterpret_cast<const std::byte *>(out), size, 0).ok())
      break;
  }
  return size;
}

struct Place {
  size_t at, size;
};

std::vector<Place> placesOf(Arch arch, const uint8_t *data, size_t from, size_t to) {
  std::vector<Place> places;
  const auto *text = reinterpret_cast<const std::byte *>(data);
  for (size_t at = from; at + 4 <= to && places.size() < 4096;) {
    size_t n = decode(arch, text, to, at).size;
    places.push_back({at, std::min(n, to - at)});
    at += n;
  }
  return places;
}

/// Puts `n` bytes in the place of `place`; what follows moves.
size_t replace(uint8_t *data, size_t size, size_t maxSize, Place place, const uint8_t *bytes,
               size_t n) {
  if (size - place.size + n > maxSize)
    return size;
  size_t rest = size - place.at - place.size;
  std::memmove(data + place.at + n, data + place.at + place.size, rest);
  std::memcpy(data + place.at, bytes, n);
  return size - place.size + n;
}

size_t mutateStream(uint8_t *data, size_t size, size_t maxSize, Random &random) {
  Arch arch = archOfStream(data);
  maxSize = std::min(maxSize, std::max(size, kMostStream));
  if (random() % 16 == 0) { // how it is launched
    data[random() % kHeader] = uint8_t(random() >> 8);
    return size;
  }
  std::vector<Place> places = placesOf(arch, data, kHeader, size);
  Place place = places[random() % places.size()], other = places[random() % places.size()];
  uint8_t bytes[kMostBytes];
  std::memcpy(bytes, data + other.at, other.size);
  switch (random() % 8) {
  case 0: // bits of one
    data[place.at + random() % place.size] ^= uint8_t(1u << random() % 8);
    return size;
  case 1: // a byte: an operand, often
    data[place.at + random() % place.size] = uint8_t(random() >> 8);
    return size;
  case 2: // another's copy in front
    return replace(data, size, maxSize, {place.at, 0}, bytes, other.size);
  case 3: // gone
    return size > kHeader + place.size + 4 ? replace(data, size, maxSize, place, bytes, 0) : size;
  case 4: // words that may be no instruction
    for (size_t i = 0; i < place.size; ++i)
      data[place.at + i] = uint8_t(random() >> 8);
    return size;
  default: { // a new one, in front or instead
    size_t n = newInstruction(arch, random, bytes);
    return replace(data, size, maxSize, random() % 2 ? place : Place{place.at, 0}, bytes, n);
  }
  }
}

template <class T> T readAt(const uint8_t *data, size_t size, size_t at) {
  T v{};
  if (at < size && sizeof v <= size - at)
    std::memcpy(&v, data + at, sizeof v);
  return v;
}

/// A part of an ELF file: its header, its tables, or what a section holds.
Place partOf(const uint8_t *data, size_t size, Random &random, bool &code) {
  auto within = [&](uint64_t at, uint64_t bytes) {
    at = std::min<uint64_t>(at, size - 1);
    return Place{size_t(at), size_t(std::clamp<uint64_t>(bytes, 1, size - at))};
  };
  uint64_t programs = readAt<uint64_t>(data, size, 32), sections = readAt<uint64_t>(data, size, 40);
  uint64_t segments = readAt<uint16_t>(data, size, 56), count = readAt<uint16_t>(data, size, 60);
  switch (random() % 12) {
  case 0:
    return within(0, 64);
  case 1:
    return within(programs, 56 * segments);
  case 2:
    return within(sections, 64 * count);
  default:
    uint64_t header = sections + 64 * (count ? random() % count : 0);
    code = readAt<uint64_t>(data, size, header + 8) & 4; // SHF_EXECINSTR
    return within(readAt<uint64_t>(data, size, header + 24),
                  readAt<uint64_t>(data, size, header + 32));
  }
}

size_t mutateObject(uint8_t *data, size_t size, size_t maxSize, Random &random) {
  bool code = false;
  Place part = partOf(data, size, random, code);
  if (code && part.size >= 4) {
    Arch arch = archOfObject(data, size);
    std::vector<Place> places = placesOf(arch, data, part.at, part.at + part.size);
    Place place = places[random() % places.size()];
    uint8_t bytes[kMostBytes];
    size_t n = std::min(newInstruction(arch, random, bytes), size - place.at);
    std::memcpy(data + place.at, bytes, n); // over what is there: sizes stay
    return size;
  }
  for (unsigned n = 1 + random() % 3; n-- > 0;) {
    uint8_t &byte = data[part.at + random() % part.size];
    byte = random() % 2 ? uint8_t(byte ^ 1u << random() % 8) : uint8_t(random() >> 8);
  }
  return random() % 32 ? size : std::max<size_t>(8, random() % size); // cut short, now and then
}

/// Code objects seen lately. They find less that is new than streams, so the fuzzer would hardly
/// choose them; some of its choices become one of these.
class Objects {
public:
  void remember(const uint8_t *data, size_t size) {
    if (size <= kMost)
      recent_[next_++ % kKept].assign(data, data + size);
  }
  size_t copy(uint8_t *data, size_t maxSize, Random &random) const {
    const std::vector<uint8_t> &chosen = recent_[random() % kKept];
    if (chosen.size() > maxSize)
      return 0;
    std::copy(chosen.begin(), chosen.end(), data);
    return chosen.size();
  }

private:
  static constexpr size_t kKept = 64, kMost = 8192;
  std::vector<uint8_t> recent_[kKept];
  size_t next_ = 0;
};
Objects &objects() {
  static Objects instance;
  return instance;
}
} // namespace

extern "C" size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t maxSize,
                                          unsigned seed) {
  Random random(seed);
  for (unsigned skip = seed % 4; skip-- > 0;)
    random();
  if (isObject(data, size))
    objects().remember(data, size);
  else if (random() % 12 == 0)
    if (size_t copied = objects().copy(data, maxSize, random))
      size = copied;
  if (size <= kHeader + 4 || random() % 16 == 0)
    return LLVMFuzzerMutate(data, size, maxSize);
  if (isObject(data, size))
    return mutateObject(data, size, maxSize, random);
  for (unsigned n = 1 + random() % 4; n-- > 0 && size > kHeader + 4;)
    size = mutateStream(data, size, maxSize, random);
  return size;
}
