// An AMDGPU code object (ELF, code object v4–v6) as plain data: a relocated image, its kernels and
// their arguments.
#pragma once

#include "Sim/Decode/Isa.h"
#include "Sim/State/ZeroedBytes.h"
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace tegula::sim {

struct KernelArg {
  std::string name,
      valueKind; ///< ".value_kind": global_buffer, by_value, dynamic_shared_pointer, hidden_…
  uint32_t offset = 0, size = 0;
  bool hidden() const { return valueKind.compare(0, 7, "hidden_") == 0; }
};

/// User SGPRs, in the order in which the hardware packs them.
enum class UserSgpr : uint8_t {
  privateSegmentBuffer,
  dispatchPtr,
  queuePtr,
  kernargPtr,
  dispatchId,
  flatScratchInit,
  privateSegmentSize,
  preload
};
struct UserSgprSlot {
  UserSgpr what;
  uint8_t first, count;
};

struct Kernel {
  std::string name;
  uint64_t descriptorAddr = 0; ///< image offset of the 64-byte descriptor
  uint64_t entry =
      0; ///< image offset of the first instruction (before any preload prologue is skipped)
  uint32_t ldsBytes = 0, kernargBytes = 0; ///< kernargBytes 0 = unknown
  uint32_t scratchBytes = 0;               ///< with a default for a dynamic stack
  uint16_t vgprs = 0;                      ///< total, architectural + accumulation
  uint16_t accumOffset = 0;                ///< first accumulation register
  // rsrc1
  uint8_t floatMode = 0; ///< MODE[7:0]: round [3:0], denorm [7:4]
  bool dx10Clamp = false, ieee = false, fp16Ovfl = false;
  // rsrc2
  uint8_t userSgprs = 0;
  bool scratchEnabled = false, workgroupId[3] = {false, false, false}, workgroupInfo = false;
  uint8_t workItemIds = 0; ///< 0 = x, 1 = x y, 2 = x y z
  bool tgSplit = false, dynamicStack = false;
  std::vector<UserSgprSlot>
      userLayout; ///< first SGPR of each enabled item; system SGPRs follow at userSgprs
  uint8_t preloadDwords = 0;
  uint16_t preloadOffset =
      0; ///< in dwords of the kernarg segment; > 0 dwords: execution starts at entry + 256
  // metadata note; zero or empty when absent
  std::vector<KernelArg> args;
  uint32_t maxFlatWorkgroup = 0, reqdWorkgroup[3] = {0, 0, 0};
  uint32_t sgprCount = 0, vgprCount = 0, agprCount = 0, sgprSpills = 0, vgprSpills = 0;
};

struct Global { ///< a data symbol of the dynamic symbol table
  std::string name;
  uint64_t address = 0, size = 0; ///< image offset
};

struct Function { ///< a function symbol, kernels included
  std::string name;
  uint64_t address = 0, size = 0;
};

struct SourceLine {
  std::string file;
  unsigned line = 0, column = 0;
};

/// Lookup image offset → source line; empty when the object carries no debug lines.
class LineTable {
public:
  virtual ~LineTable() = default;
  virtual bool lookup(uint64_t address, SourceLine &) const = 0;
  /// Where the functions that were inlined around it are called, innermost first.
  virtual std::vector<SourceLine> inlinedAt(uint64_t address) const = 0;
};

/// Addresses below are image offsets = ELF virtual addresses. The image has no relocation applied
/// until relocate().
struct CodeObject {
  Arch arch = Arch::gfx942;
  bool foreign = false; ///< load() refused it because it is for another processor
  unsigned version = 0; ///< 4, 5 or 6
  ZeroedBytes image;    ///< PT_LOAD segments at their virtual addresses, .bss zeroed
  struct Segment {
    uint64_t address, size, fileBytes; ///< zeros follow what the file holds
    bool writable, executable;
  };
  std::vector<Segment> segments;
  uint64_t textAddr = 0, textSize = 0; ///< the .text section within the image
  std::vector<Kernel> kernels;
  std::vector<Global> globals;
  std::vector<Global> variables;   ///< all that the file still names, hidden ones too; by address
  std::vector<Function> functions; ///< by address
  /// Stores (value + base if usesBase) >> shift, `bytes` of it, at `address`. PC-relative ones are
  /// already differences.
  struct Relocation {
    uint64_t address, value;
    uint8_t bytes, shift;
    bool usesBase;
  };
  std::vector<Relocation> relocations;
  std::shared_ptr<const LineTable> lines;

  const Kernel *findKernel(const std::string &name) const;
  /// Writes relocated values into `memory`, a copy of `image` that will live at guest address
  /// `base`.
  void relocate(std::byte *memory, uint64_t base) const;
};

/// Reads an ELF file. On failure returns false and a one-line reason in `error`; never throws,
/// never reads out of range.
bool load(const void *file, size_t size, CodeObject &, std::string &error);

/// Text of every kernel and function of the object, with offsets in .text: what `tegula-sim
/// disassemble` prints.
std::string disassemble(const CodeObject &);

} // namespace tegula::sim
