// The compiler and lib/Target as JSON, for those who ask.
#include "tegula/Pipeline/Compiler.h"

#include "tegula/Support/BuildId.h"
#include "tegula/Target/Target.h"

namespace json = llvm::json;
using namespace tegula;

static json::Array describeMfma(const Target &target) {
  json::Array rows;
  for (const MfmaInst &inst : target.mfma)
    rows.push_back(json::Object{{"mnemonic", inst.mnemonic},
                                {"shape", inst.shape},
                                {"blocks", inst.blocks},
                                {"a", inst.aType},
                                {"b", inst.bType},
                                {"acc", inst.cType},
                                {"cycles", inst.cycles}});
  return rows;
}

/// How LDS serves an access of each kind: lanes with equal parities of their number under the masks
/// are served at a time.
static json::Object describePhases(const Target &target) {
  static const std::pair<const char *, LdsOp> ops[] = {{"read_4", LdsOp::ReadB32},
                                                       {"read_8", LdsOp::ReadB64},
                                                       {"read_12", LdsOp::ReadB96},
                                                       {"read_16", LdsOp::ReadB128},
                                                       {"read_transposed_8", LdsOp::ReadTrB64},
                                                       {"write_4", LdsOp::WriteB32},
                                                       {"write_8", LdsOp::WriteB64},
                                                       {"write_12", LdsOp::WriteB96},
                                                       {"write_16", LdsOp::WriteB128}};
  json::Object all;
  for (auto [name, op] : ops) {
    LdsPhases phases = target.phases(op);
    json::Array masks;
    for (uint8_t mask : phases.masks)
      masks.push_back(int64_t(mask));
    all[name] = json::Object{{"banks", phases.banks}, {"masks", std::move(masks)}};
  }
  return all;
}

static json::Array describeTargets() {
  json::Array all;
  for (std::string_view name : targetNames()) {
    const Target &t = *lookupTarget(name);
    json::Array widths;
    for (int width : t.dmaWidths)
      widths.push_back(width);
    all.push_back(json::Object{{"name", t.name},
                               {"product", t.product},
                               {"compute_units", t.cus},
                               {"xcds", t.xcds},
                               {"clock_mhz", t.clockMHz},
                               {"hbm_tb_s", t.hbmTBs},
                               {"lds_bytes", t.ldsBytes},
                               {"wave_size", t.waveSize},
                               {"max_waves_per_workgroup", t.maxWavesPerWorkgroup},
                               {"vgprs", t.vgprsPerSimdLane},
                               {"dma_bytes_per_lane", std::move(widths)},
                               {"fp8", t.fp8Type},
                               {"bf8", t.bf8Type},
                               {"ds_read_transpose", t.hasDsReadTranspose},
                               {"permlane_swap", t.hasPermlaneSwap},
                               {"bf16_conversion", t.hasBf16Cvt},
                               {"scaled_mfma", t.hasScaledMfma},
                               {"lds_phases", describePhases(t)},
                               {"mfma", describeMfma(t)}});
  }
  return all;
}

json::Object tegula::describeCompiler() {
  json::Array libraries;
  for (std::string &path : llvmLibraries())
    libraries.push_back(std::move(path));
  return json::Object{
      {"compiler", buildId()}, {"libraries", std::move(libraries)}, {"targets", describeTargets()}};
}
