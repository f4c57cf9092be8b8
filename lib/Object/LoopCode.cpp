// Decodes the text section by LLVM's own tables.
#include "LoopCode.h"
#include "Backend.h"

#include "llvm/ADT/BitVector.h"
#include "llvm/MC/MCAsmInfo.h"
#include "llvm/MC/MCContext.h"
#include "llvm/MC/MCDisassembler/MCDisassembler.h"
#include "llvm/MC/MCInst.h"
#include "llvm/MC/MCInstrInfo.h"
#include "llvm/MC/MCRegisterInfo.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Object/ELFObjectFile.h"

extern "C" void LLVMInitializeAMDGPUDisassembler();

using namespace mlir;
using namespace tegula;

namespace {

/// Everything that decoding needs, alive together.
class Decoder {
public:
  Decoder(const llvm::Target &llvmTarget, const Target &target)
      : triple(Backend::triple), registers(llvmTarget.createMCRegInfo(triple)),
        assembler(llvmTarget.createMCAsmInfo(*registers, triple, options)),
        subtarget(llvmTarget.createMCSubtargetInfo(triple, target.name, "")),
        instructions(llvmTarget.createMCInstrInfo()),
        context(triple, assembler.get(), registers.get(), subtarget.get()),
        disassembler(llvmTarget.createMCDisassembler(*subtarget, context)) {}

  LoopCode run(llvm::ArrayRef<uint8_t> text);

private:
  struct Instruction {
    uint64_t address;
    llvm::StringRef name;
    std::optional<uint64_t> branchTarget;
  };
  std::vector<Instruction> decode(llvm::ArrayRef<uint8_t> text);

  llvm::Triple triple;
  llvm::MCTargetOptions options;
  std::unique_ptr<llvm::MCRegisterInfo> registers;
  std::unique_ptr<llvm::MCAsmInfo> assembler;
  std::unique_ptr<llvm::MCSubtargetInfo> subtarget;
  std::unique_ptr<llvm::MCInstrInfo> instructions;
  llvm::MCContext context;
  std::unique_ptr<llvm::MCDisassembler> disassembler;
};

} // namespace

std::vector<Decoder::Instruction> Decoder::decode(llvm::ArrayRef<uint8_t> text) {
  std::vector<Instruction> decoded;
  for (uint64_t address = 0, size = 0; address < text.size(); address += size) {
    llvm::MCInst inst;
    auto status =
        disassembler->getInstruction(inst, size, text.drop_front(address), address, llvm::nulls());
    size = std::max<uint64_t>(size, 4);
    if (status != llvm::MCDisassembler::Success)
      continue; // padding behind the end
    Instruction next{address, instructions->getName(inst.getOpcode()), std::nullopt};
    bool isBranch = next.name.starts_with("S_BRANCH") || next.name.starts_with("S_CBRANCH");
    if (isBranch && inst.getNumOperands() > 0 && inst.getOperand(0).isImm())
      next.branchTarget = address + 4 + 4 * int64_t(int16_t(inst.getOperand(0).getImm()));
    decoded.push_back(next);
  }
  return decoded;
}

LoopCode Decoder::run(llvm::ArrayRef<uint8_t> text) {
  std::vector<Instruction> decoded = decode(text);
  llvm::BitVector inLoop(text.size() / 4 + 1);
  for (const Instruction &branch : decoded)
    if (branch.branchTarget && *branch.branchTarget <= branch.address)
      inLoop.set(*branch.branchTarget / 4, branch.address / 4 + 1);
  LoopCode code;
  for (const Instruction &inst : decoded) {
    if (!inLoop.test(inst.address / 4))
      continue;
    code.scratch += inst.name.starts_with("SCRATCH_");
    code.accumulatorMoves += inst.name.starts_with("V_ACCVGPR_");
  }
  return code;
}

FailureOr<LoopCode> tegula::readLoops(llvm::StringRef elf, const Target &target, Location loc) {
  LLVMInitializeAMDGPUDisassembler();
  auto fail = [&](const llvm::Twine &reason) {
    return emitError(loc) << "decoding the code object: " << reason << " [object.note.c1]";
  };
  std::string error;
  const llvm::Target *found =
      llvm::TargetRegistry::lookupTarget(llvm::Triple(Backend::triple), error);
  if (!found)
    return fail(error);
  auto object = llvm::object::ELFObjectFile<llvm::object::ELF64LE>::create(
      llvm::MemoryBufferRef(elf, "code object"));
  if (!object)
    return fail(llvm::toString(object.takeError()));
  Decoder decoder(*found, target);
  for (const llvm::object::SectionRef &section : object->sections()) {
    if (!section.isText())
      continue;
    llvm::Expected<llvm::StringRef> text = section.getContents();
    if (!text)
      return fail(llvm::toString(text.takeError()));
    return decoder.run(llvm::arrayRefFromStringRef(*text));
  }
  return fail("no text section");
}
