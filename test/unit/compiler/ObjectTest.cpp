// lib/Object on hand-written llvm dialect: from text to a linked code object and its manifest.
#include "tegula/Object/Object.h"
#include "tegula/Support/KernelRecord.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/ROCDLDialect.h"
#include "mlir/Parser/Parser.h"
#include "llvm/Object/ELFObjectFile.h"

#include <gtest/gtest.h>

using namespace mlir;
using namespace tegula;

namespace {

const char *const storeKernel = R"mlir(
llvm.func @store(%out: !llvm.ptr<1>, %x: f32, %n: i32) attributes {rocdl.kernel,
    rocdl.flat_work_group_size = "64,64", rocdl.reqd_work_group_size = array<i32: 64, 1, 1>,
    cdna.rocdl_only, tegula.abi = {
      arguments = [{name = "out", kind = "view", dtype = "f32", extents = ["N"], shape = [unit],
                    strides = [1], align = 16, offset = 0},
                   {name = "x", kind = "scalar", dtype = "f32", offset = 8}],
      extents = [{name = "N", offset = 12, argument = 0, dim = 0}], strides = [],
      kernarg_size = 16, grid = [["ceildiv", ["dim", 0, 0], 64]], block = array<i32: 64, 1, 1>,
      lds_bytes = 0, workspace_bytes = 0}} {
  %tid = rocdl.workitem.id.x : i32
  %bid = rocdl.workgroup.id.x : i32
  %c64 = llvm.mlir.constant(64 : i32) : i32
  %base = llvm.mul %bid, %c64 : i32
  %i = llvm.add %base, %tid : i32
  %in = llvm.icmp "ult" %i, %n : i32
  llvm.cond_br %in, ^store, ^done
^store:
  %p = llvm.getelementptr %out[%i] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, f32
  llvm.store %x, %p : f32, !llvm.ptr<1>
  llvm.br ^done
^done:
  llvm.return
}
)mlir";

class ObjectTest : public ::testing::Test {
protected:
  ObjectTest() : context(registry(), MLIRContext::Threading::DISABLED) {
    context.loadAllAvailableDialects();
    context.getDiagEngine().registerHandler([this](Diagnostic &d) {
      messages += d.str() + "\n";
      for (Diagnostic &note : d.getNotes())
        messages += "note: " + note.str() + "\n";
      return success();
    });
  }
  static DialectRegistry registry() {
    DialectRegistry r;
    r.insert<LLVM::LLVMDialect, ROCDL::ROCDLDialect>();
    registerObjectTranslations(r);
    return r;
  }
  OwningOpRef<ModuleOp> parse(const std::string &text) {
    auto module = parseSourceString<ModuleOp>(text, &context);
    EXPECT_TRUE(module) << messages;
    return module;
  }
  bool said(const char *text) const { return messages.find(text) != std::string::npos; }

  MLIRContext context;
  std::string messages;
};

TEST_F(ObjectTest, TextToCodeObject) {
  for (const char *name : {"gfx942", "gfx950"}) {
    const Target &target = *lookupTarget(name);
    auto module = parse(storeKernel);
    FailureOr<CodeObject> object = emitCodeObject(*module, target, "test-id");
    ASSERT_TRUE(succeeded(object)) << messages;
    EXPECT_EQ(object->elf.substr(0, 4), "\177ELF");
    EXPECT_EQ(object->elf[48] & 0xff, target.elfMach);
    const llvm::json::Object &m = object->manifest;
    EXPECT_EQ(m.getString("kernel"), "store");
    EXPECT_EQ(m.getString("target"), name);
    EXPECT_EQ(m.getString("compiler"), "test-id");
    EXPECT_EQ(m.getInteger("kernarg_size"), 16);
    const llvm::json::Object &out = *(*m.getArray("arguments"))[0].getAsObject();
    EXPECT_EQ(out.getString("dtype"), "f32");
    EXPECT_EQ((*out.getArray("shape"))[0].getAsNull(), nullptr);
    std::string grid;
    llvm::raw_string_ostream(grid) << llvm::json::Value(*m.get("grid"));
    EXPECT_EQ(grid, R"([["ceildiv",["dim",0,0],64]])");
    const llvm::json::Object &resources = *m.getObject("resources");
    EXPECT_GT(*resources.getInteger("vgprs"), 0);
    EXPECT_EQ(*resources.getInteger("vgpr_spills"), 0);
    EXPECT_EQ(*resources.getInteger("lds_bytes"), 0);
  }
  EXPECT_EQ(messages, "");
}

/// Loads 64 values, then stores them all.
std::string crowdedKernel() {
  std::string loads, stores;
  for (int i = 0; i < 64; ++i) {
    std::string n = std::to_string(i);
    loads += "  %c" + n + " = llvm.mlir.constant(" + n + " : i32) : i32\n  %p" + n +
             " = llvm.getelementptr %q[%c" + n +
             "] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i32\n  %v" + n + " = llvm.load volatile %p" +
             n + " : !llvm.ptr<1> -> i32\n";
    stores += "  llvm.store volatile %v" + n + ", %p" + n + " : i32, !llvm.ptr<1>\n";
  }
  std::string text = storeKernel;
  text.replace(text.find("rocdl.kernel,"), 13,
               "rocdl.kernel, passthrough = [[\"amdgpu-num-vgpr\", \"24\"]],");
  text.replace(text.find("  %bid"), 0,
               "  %q = llvm.getelementptr %out[%tid] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, f32\n" +
                   loads + stores);
  return text;
}

TEST_F(ObjectTest, SpillsAreAWarning) {
  auto object = emitCodeObject(*parse(crowdedKernel()), *lookupTarget("gfx950"), "");
  ASSERT_TRUE(succeeded(object)) << messages;
  EXPECT_GT(*object->manifest.getObject("resources")->getInteger("vgpr_spills"), 0);
  EXPECT_TRUE(said("registers spilled to") && said("[object.resources.c1]")) << messages;
}

/// What the compiler's own passes record of the registers that tiles hold.
const char *pressure = R"(tegula.pressure = {registers = 70 : i64, limit = 64 : i64, tiles = [
    {tile = "64x64 f32", registers = 64 : i64, at = loc("k.py":3:4)}]},)";

TEST_F(ObjectTest, SpillsNameTheTiles) {
  std::string text = crowdedKernel();
  text.replace(text.find("rocdl.kernel,"), 13, std::string("rocdl.kernel,") + pressure);
  ASSERT_TRUE(succeeded(emitCodeObject(*parse(text), *lookupTarget("gfx950"), ""))) << messages;
  EXPECT_TRUE(said("with 0 accesses of it in loops: tiles hold 70 of 64 registers a lane"))
      << messages;
  EXPECT_TRUE(said("note: 64x64 f32: 64 registers")) << messages;
}

TEST_F(ObjectTest, CopiesOfAccumulatorsInLoopsAreAWarning) {
  std::string text = storeKernel;
  const std::string end = "  llvm.br ^done\n^done:";
  text.replace(text.find("rocdl.kernel,"), 13, std::string("rocdl.kernel,") + pressure);
  text.replace(text.find(end), end.size(), R"(
  %c0 = llvm.mlir.constant(0 : i32) : i32
  %c1 = llvm.mlir.constant(1 : i32) : i32
  llvm.inline_asm has_side_effects "v_accvgpr_write_b32 a0, 0", "~{a0}" : () -> ()
  llvm.br ^loop(%c0 : i32)
^loop(%k: i32):
  llvm.inline_asm has_side_effects "v_accvgpr_read_b32 v9, a0", "~{v9}" : () -> ()
  %next = llvm.add %k, %c1 : i32
  %more = llvm.icmp "slt" %next, %n : i32
  llvm.cond_br %more, ^loop(%next : i32), ^done
^done:)");
  ASSERT_TRUE(succeeded(emitCodeObject(*parse(text), *lookupTarget("gfx950"), ""))) << messages;
  EXPECT_TRUE(said("1 copies between vector and accumulation registers in loops")) << messages;
  EXPECT_TRUE(said("[object.resources.c2]") && said("note: 64x64 f32: 64 registers")) << messages;
}

TEST_F(ObjectTest, SameBytesEveryTime) {
  const Target &target = *lookupTarget("gfx950");
  auto first = emitCodeObject(*parse(storeKernel), target, "");
  auto second = emitCodeObject(*parse(storeKernel), target, "");
  ASSERT_TRUE(succeeded(first) && succeeded(second));
  EXPECT_EQ(first->elf, second->elf);
  EXPECT_EQ(llvm::json::Value(llvm::json::Object(first->manifest)),
            llvm::json::Value(llvm::json::Object(second->manifest)));
}

TEST_F(ObjectTest, SourceIsUntouchedAndStagesPrint) {
  const Target &target = *lookupTarget("gfx950");
  auto module = parse(storeKernel);
  auto ir = emitLLVMIR(*module, target);
  ASSERT_TRUE(succeeded(ir)) << messages;
  EXPECT_NE(ir->find("define amdgpu_kernel void @store("), std::string::npos);
  EXPECT_NE(ir->find("amdgpu-no-"), std::string::npos) << "the attributor has run";
  auto assembly = emitAssembly(*module, target);
  ASSERT_TRUE(succeeded(assembly)) << messages;
  EXPECT_NE(assembly->find("global_store_dword"), std::string::npos);
  auto kernel = *module->getOps<LLVM::LLVMFuncOp>().begin();
  EXPECT_TRUE(kernel->hasAttr(kAbiAttr));
}

TEST_F(ObjectTest, TooMuchLdsIsAnError) {
  std::string text =
      "llvm.mlir.global external @big() {addr_space = 3 : i32} : !llvm.array<300000 x i8>\n";
  std::string kernel = storeKernel;
  kernel.replace(
      kernel.find("llvm.store %x"), 0,
      "%b = llvm.mlir.addressof @big : !llvm.ptr<3>\n  llvm.store %x, %b : f32, !llvm.ptr<3>\n  ");
  EXPECT_TRUE(failed(emitCodeObject(*parse(text + kernel), *lookupTarget("gfx950"), "")));
  EXPECT_TRUE(said("exceeds limit") && said("[object.codegen.c1]")) << messages;
}

TEST_F(ObjectTest, UndefinedSymbolsDoNotLink) {
  std::string kernel = storeKernel;
  kernel.replace(kernel.find("llvm.store %x, %p"), 17,
                 "%y = llvm.call @missing(%x) : (f32) -> f32\n  llvm.store %y, %p");
  EXPECT_TRUE(failed(emitCodeObject(*parse("llvm.func @missing(f32) -> f32\n" + kernel),
                                    *lookupTarget("gfx950"), "")));
  EXPECT_TRUE(said("undefined symbol: missing") && said("[object.link.c1]")) << messages;
  EXPECT_FALSE(said("/tmp")) << messages;
}

TEST_F(ObjectTest, KernelsAndTheirAbi) {
  const Target &target = *lookupTarget("gfx950");
  EXPECT_TRUE(failed(emitCodeObject(*parse("llvm.func @f() { llvm.return }"), target, "")));
  EXPECT_TRUE(said("holds no kernel [object.kernel.c1]")) << messages;
  messages.clear();
  std::string second = storeKernel;
  second.replace(second.find("@store"), 6, "@other");
  EXPECT_TRUE(failed(emitCodeObject(*parse(storeKernel + second), target, "")));
  EXPECT_TRUE(said("@store is one already [object.kernel.c1]")) << messages;
  messages.clear();
  EXPECT_TRUE(failed(emitCodeObject(
      *parse("llvm.func @f() attributes {rocdl.kernel} { llvm.return }"), target, "")));
  EXPECT_TRUE(said("[object.abi.c1]")) << messages;
  messages.clear();
  std::string wrong = storeKernel;
  wrong.replace(wrong.find("kernarg_size = 16"), 17, "kernarg_size = 24");
  EXPECT_TRUE(failed(emitCodeObject(*parse(wrong), target, "")));
  EXPECT_TRUE(said("[object.abi.c2]")) << messages;
}

TEST_F(ObjectTest, ResourcesOfBrokenFiles) {
  Location loc = UnknownLoc::get(&context);
  EXPECT_TRUE(failed(readResources("", "k", loc)));
  EXPECT_TRUE(failed(readResources("\177ELF", "k", loc)));
  auto object = emitCodeObject(*parse(storeKernel), *lookupTarget("gfx950"), "");
  ASSERT_TRUE(succeeded(object));
  EXPECT_TRUE(failed(readResources(object->elf, "other", loc)));
  EXPECT_TRUE(said("the note does not know kernel other [object.note.c1]")) << messages;
  EXPECT_EQ(readResources(object->elf, "store", loc)->kernargBytes, 16);
}

TEST_F(ObjectTest, RocdlNamesOfTheTableExist) {
  for (std::string_view name : targetNames())
    for (const MfmaInst &inst : lookupTarget(name)->mfma)
      EXPECT_TRUE(RegisteredOperationName::lookup(inst.rocdl, &context)) << inst.rocdl;
}

} // namespace
