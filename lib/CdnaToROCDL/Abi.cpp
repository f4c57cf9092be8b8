// cdna-to-rocdl-abi: the kernarg segment. Offsets are computed here and nowhere else.
#include "GridExpression.h"
#include "Reach.h"
#include "dialects/cdna/Cdna.h"
#include "tegula/CdnaToROCDL/Passes.h"
#include "tegula/Support/KernelRecord.h"

#include "mlir/Dialect/LLVMIR/ROCDLDialect.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/MathExtras.h"

namespace tegula::cdna {
#define GEN_PASS_DEF_CDNATOROCDLABIPASS
#include "tegula/CdnaToROCDL/Passes.h.inc"
} // namespace tegula::cdna

using namespace mlir;
using namespace tegula::cdna;
namespace tile = tegula::tile;

// User SGPRs of a kernel, less the two that hold the kernarg segment's address.
static constexpr int64_t kPreloadDwords = 14;
// Alignment of the parts of a workspace: of what hipMalloc returns.
static constexpr int64_t kWorkspaceGranule = 256;

namespace {

/// One parameter of the lowered function.
struct Parameter {
  Type type;
  int64_t offset;
};

/// Arguments that callers don't see: the workspace, and what records are written to.
bool isHiddenArgument(KernelOp kernel, unsigned i) {
  return kernel.getArgAttr(i, tile::kArgWorkspaceAttr) ||
         kernel.getArgAttr(i, tile::kArgRecordsAttr);
}

/// Lays parameters out one after the other, each at its natural alignment.
class KernargLayout {
public:
  explicit KernargLayout(KernelOp kernel) : kernel(kernel), b(kernel.getContext()) {
    // The last pointers are the workspace's, whatever the order of the kernel's arguments.
    for (auto [i, type] : llvm::enumerate(kernel.getArgumentTypes()))
      if (!isHidden(i))
        addArgument(i, type);
    for (auto [i, type] : llvm::enumerate(kernel.getArgumentTypes()))
      if (auto view = dyn_cast<tile::ViewType>(type))
        for (unsigned d = 0; d < view.getRank(); ++d)
          addExtent(i, view, d);
    for (auto [i, type] : llvm::enumerate(kernel.getArgumentTypes()))
      if (auto view = dyn_cast<tile::ViewType>(type))
        for (unsigned d = 0; d < view.getRank(); ++d)
          addStride(i, view, d);
    bool asksResident = false;
    kernel.walk([&](tile::ResidentOp) { asksResident = true; });
    if (asksResident)
      resident = add(b.getI32Type(), 4);
    for (unsigned i = 0; i < kernel.getNumArguments(); ++i)
      if (kernel.getArgAttr(i, tile::kArgWorkspaceAttr))
        addWorkspace(i);
      else if (isHidden(i))
        records = addHidden(i);
  }

  SmallVector<Parameter> parameters;
  std::map<std::pair<unsigned, unsigned>, unsigned> extentOf,
      strideOf;                     ///< (argument, dim) → parameter
  std::optional<unsigned> resident; ///< the parameter that tile.resident is
  std::optional<unsigned> records;  ///< the parameter that assertions and prints write to
  SmallVector<unsigned> argumentOf; ///< kernel argument → parameter
  /// The part of the workspace that a hidden argument is.
  struct Region {
    int64_t offset, recordBytes, share;
    bool zeroed;
  };
  SmallVector<Region> regions;
  int64_t size = 0;

  /// The record for the manifest.
  SmallVector<NamedAttribute> describe() {
    SmallVector<NamedAttribute> record = {b.getNamedAttr("arguments", b.getArrayAttr(arguments)),
                                          b.getNamedAttr("extents", b.getArrayAttr(extents)),
                                          b.getNamedAttr("strides", b.getArrayAttr(strides)),
                                          field("kernarg_size", size)};
    if (resident)
      record.push_back(field("resident_offset", parameters[*resident].offset));
    if (records)
      record.push_back(b.getNamedAttr(
          "records", b.getDictionaryAttr(
                         {field("offset", parameters[*records].offset),
                          field("header", tile::kRecordHeader), field("words", tile::kRecordWords),
                          b.getNamedAttr("sites", kernel->getAttr(tile::kRecordSitesAttr))})));
    return record;
  }

private:
  bool isHidden(unsigned i) { return isHiddenArgument(kernel, i); }

  unsigned addHidden(unsigned i) {
    argumentOf.resize(kernel.getNumArguments());
    return argumentOf[i] = add(LLVM::LLVMPointerType::get(b.getContext(), 1), 8);
  }

  void addWorkspace(unsigned i) {
    auto view = cast<tile::ViewType>(kernel.getArgumentTypes()[i]);
    addHidden(i);
    int64_t bytes = view.getElementBytes();
    for (int64_t extent : view.getShape().drop_front())
      bytes *= extent;
    int64_t share = kernel.getArgAttrOfType<IntegerAttr>(i, tile::kArgWorkspaceAttr).getInt();
    regions.push_back({parameters[argumentOf[i]].offset, bytes, share,
                       bool(kernel.getArgAttr(i, tile::kArgZeroedAttr))});
  }

  unsigned add(Type type, int64_t bytes) {
    size = llvm::alignTo(size, bytes);
    parameters.push_back({type, size});
    size += bytes;
    return parameters.size() - 1;
  }

  NamedAttribute field(StringRef name, int64_t value) {
    return b.getNamedAttr(name, b.getI64IntegerAttr(value));
  }
  NamedAttribute field(StringRef name, const Twine &value) {
    return b.getNamedAttr(name, b.getStringAttr(value));
  }

  /// Static numbers, and unit for what is known at launch.
  Attribute numbers(ArrayRef<int64_t> values) {
    return b.getArrayAttr(llvm::map_to_vector(values, [&](int64_t v) -> Attribute {
      return ShapedType::isDynamic(v) ? Attribute(b.getUnitAttr())
                                      : Attribute(b.getI64IntegerAttr(v));
    }));
  }

  void addArgument(unsigned i, Type type) {
    SmallVector<NamedAttribute> fields = {field("name", tile::argumentName(kernel, i))};
    auto view = dyn_cast<tile::ViewType>(type);
    argumentOf.resize(kernel.getNumArguments());
    argumentOf[i] = parameters.size();
    if (view) {
      unsigned p = add(LLVM::LLVMPointerType::get(b.getContext(), 1), 8);
      SmallVector<Attribute> names;
      for (unsigned d = 0; d < view.getRank(); ++d)
        names.push_back(b.getStringAttr(view.getDimName(d)));
      fields.append({field("kind", "view"), field("dtype", dtypeName(view.getElementType())),
                     b.getNamedAttr("extents", b.getArrayAttr(names)),
                     b.getNamedAttr("shape", numbers(view.getShape())),
                     b.getNamedAttr("strides", numbers(view.getStrides())),
                     field("align", view.getAlign()), field("offset", parameters[p].offset)});
      // Windows are gone by now; cdna-to-rocdl-values has left a note.
      if (auto reach = kernel->getAttrOfType<ArrayAttr>(tegula::kReachAttr))
        fields.push_back(b.getNamedAttr("reach", reach[i]));
    } else {
      // A bool is a byte in the segment.
      unsigned p = add(type.isInteger(1) ? Type(b.getI8Type()) : type, elementBytes(type));
      fields.append({field("kind", "scalar"), field("dtype", dtypeName(type)),
                     field("offset", parameters[p].offset)});
    }
    arguments.push_back(b.getDictionaryAttr(fields));
  }

  void addExtent(unsigned i, tile::ViewType view, unsigned d) {
    if (!view.isDynamicDim(d))
      return;
    StringRef name = view.getDimName(d);
    if (auto known = byName.find(name); !name.empty() && known != byName.end()) {
      extentOf[{i, d}] = known->second;
      return;
    }
    unsigned p = add(b.getI32Type(), 4);
    extentOf[{i, d}] = p;
    if (!name.empty())
      byName[name] = p;
    extents.push_back(
        b.getDictionaryAttr({field("name", name), field("offset", parameters[p].offset),
                             field("argument", i), field("dim", d)}));
  }

  void addStride(unsigned i, tile::ViewType view, unsigned d) {
    if (!view.isDynamicStride(d))
      return;
    unsigned p = add(b.getI64Type(), 8);
    strideOf[{i, d}] = p;
    strides.push_back(b.getDictionaryAttr(
        {field("argument", i), field("dim", d), field("offset", parameters[p].offset)}));
  }

  KernelOp kernel;
  Builder b;
  llvm::StringMap<unsigned> byName;
  SmallVector<Attribute> arguments, extents, strides;
};

//===--- facts about pointers ---===//

/// The view argument whose memory a descriptor or pointer reaches.
BlockArgument argumentOf(Value value) {
  while (Operation *op = value.getDefiningOp()) {
    if (auto base = dyn_cast<BasePointerOp>(op))
      return dyn_cast<BlockArgument>(base.getView());
    if (!isa<ROCDL::MakeBufferRsrcOp, LLVM::GEPOp>(op))
      return {};
    value = op->getOperand(0);
  }
  return {};
}

/// Arguments the kernel writes. A store that cannot be traced counts for all.
SmallVector<bool> writtenArguments(KernelOp kernel) {
  SmallVector<bool> written(kernel.getNumArguments(), false);
  auto note = [&](Value destination) {
    BlockArgument argument = argumentOf(destination);
    for (unsigned i = 0; i < written.size(); ++i)
      written[i] = written[i] || !argument || argument.getArgNumber() == i;
  };
  auto noteGlobal = [&](Value pointer) {
    if (cast<LLVM::LLVMPointerType>(pointer.getType()).getAddressSpace() == 1)
      note(pointer);
  };
  kernel.walk([&](Operation *op) {
    llvm::TypeSwitch<Operation *>(op)
        .Case([&](ROCDL::RawPtrBufferStoreOp store) { note(store.getRsrc()); })
        .Case([&](LLVM::StoreOp store) { noteGlobal(store.getAddr()); })
        .Case<LLVM::AtomicRMWOp, LLVM::AtomicCmpXchgOp>(
            [&](auto atomic) { noteGlobal(atomic.getPtr()); });
  });
  return written;
}

/// Whether argument i is alone in its alias set.
bool isAlone(KernelOp kernel, unsigned i) {
  auto setOf = [&](unsigned j) {
    auto set = kernel.getArgAttrOfType<IntegerAttr>(j, tile::kArgAliasAttr);
    return set ? set.getInt() : 0;
  };
  for (unsigned j = 0; j < kernel.getNumArguments(); ++j)
    if (j != i && isa<tile::ViewType>(kernel.getArgumentTypes()[j]) && setOf(j) == setOf(i))
      return false;
  return true;
}

void attachArgumentAttributes(LLVM::LLVMFuncOp function, KernelOp kernel,
                              const KernargLayout &layout) {
  Builder b(kernel.getContext());
  SmallVector<bool> written = writtenArguments(kernel);
  for (auto [i, type] : llvm::enumerate(kernel.getArgumentTypes())) {
    auto view = dyn_cast<tile::ViewType>(type);
    if (!view)
      continue;
    unsigned p = layout.argumentOf[i];
    function.setArgAttr(p, LLVM::LLVMDialect::getAlignAttrName(),
                        b.getI64IntegerAttr(view.getAlign()));
    if (isHiddenArgument(kernel, i))
      continue; // other workgroups write it while this one runs
    if (isAlone(kernel, i))
      function.setArgAttr(p, LLVM::LLVMDialect::getNoAliasAttrName(), b.getUnitAttr());
    if (!written[i])
      function.setArgAttr(p, LLVM::LLVMDialect::getReadonlyAttrName(), b.getUnitAttr());
  }
  // Preloading takes a prefix of the segment; anything narrower than a dword ends it.
  for (auto [i, parameter] : llvm::enumerate(layout.parameters)) {
    int64_t bytes =
        isa<LLVM::LLVMPointerType>(parameter.type) ? 8 : parameter.type.getIntOrFloatBitWidth() / 8;
    if (bytes < 4 || parameter.offset + bytes > 4 * kPreloadDwords)
      break;
    function.setArgAttr(i, LLVM::LLVMDialect::getInRegAttrName(), b.getUnitAttr());
  }
}

//===--- the function ---===//

LLVM::LLVMFuncOp createFunction(KernelOp kernel, const KernargLayout &layout) {
  OpBuilder b(kernel);
  SmallVector<Type> types =
      llvm::map_to_vector(layout.parameters, [](const Parameter &p) { return p.type; });
  auto type = LLVM::LLVMFunctionType::get(LLVM::LLVMVoidType::get(b.getContext()), types);
  auto function = LLVM::LLVMFuncOp::create(b, kernel.getLoc(), kernel.getSymName(), type);
  attachArgumentAttributes(function, kernel, layout);
  return function;
}

/// Moves the body over and replaces what still speaks of views.
void moveBody(KernelOp kernel, LLVM::LLVMFuncOp function, const KernargLayout &layout) {
  function.getBody().takeBody(kernel.getBody());
  Block &entry = function.getBody().front();
  unsigned numOld = entry.getNumArguments();
  SmallVector<Value> values;
  for (const Parameter &parameter : layout.parameters)
    values.push_back(entry.addArgument(parameter.type, kernel.getLoc()));
  function.walk([&](Operation *op) {
    auto replace = [&](Value value) {
      op->getResult(0).replaceAllUsesWith(value);
      op->erase();
    };
    auto position = [&](unsigned d) {
      return std::pair(cast<BlockArgument>(op->getOperand(0)).getArgNumber(), d);
    };
    if (auto base = dyn_cast<BasePointerOp>(op))
      replace(values[layout.argumentOf[position(0).first]]);
    else if (auto dim = dyn_cast<tile::DimOp>(op))
      replace(values[layout.extentOf.at(position(dim.getD()))]);
    else if (auto stride = dyn_cast<tile::StrideOp>(op))
      replace(values[layout.strideOf.at(position(stride.getD()))]);
    else if (isa<tile::ResidentOp>(op))
      replace(values[*layout.resident]);
    else if (isa<ReturnOp>(op)) {
      OpBuilder b(op);
      LLVM::ReturnOp::create(b, op->getLoc(), ValueRange());
      op->erase();
    }
  });
  auto b = OpBuilder::atBlockBegin(&entry);
  for (unsigned i = 0; i < numOld; ++i) {
    BlockArgument old = entry.getArgument(i);
    if (old.use_empty())
      continue;
    Value value = values[layout.argumentOf[i]];
    if (old.getType().isInteger(1))
      value = LLVM::TruncOp::create(b, kernel.getLoc(), old.getType(), value);
    old.replaceAllUsesWith(value);
  }
  entry.eraseArguments(0, numOld);
}

/// Regions of the workspace: a record for every `share` workgroups of the grid. Those that are
/// zeroed come first.
ArrayAttr describeWorkspace(const KernargLayout &layout, ArrayAttr grid, Builder &b) {
  auto number = [&](int64_t value) -> Attribute { return b.getI64IntegerAttr(value); };
  auto list = [&](StringRef head, Attribute x, Attribute y) -> Attribute {
    return b.getArrayAttr({b.getStringAttr(head), x, y});
  };
  Attribute workgroups = grid[0];
  for (Attribute axis : grid.getValue().drop_front())
    workgroups = list("mul", workgroups, axis);
  SmallVector<Attribute> regions;
  for (const auto &region : layout.regions) {
    Attribute records =
        region.share == 1 ? workgroups : list("ceildiv", workgroups, number(region.share));
    regions.push_back(b.getDictionaryAttr(
        {b.getNamedAttr("offset", number(region.offset)),
         b.getNamedAttr("bytes", list("mul", records, number(region.recordBytes))),
         b.getNamedAttr("zeroed", b.getBoolAttr(region.zeroed))}));
  }
  return b.getArrayAttr(regions);
}

/// What a launch needs: the regions, each rounded up so that the next one is aligned.
Attribute workspaceBytes(ArrayAttr regions, Builder &b) {
  auto list = [&](StringRef head, Attribute x, Attribute y) -> Attribute {
    return b.getArrayAttr({b.getStringAttr(head), x, y});
  };
  Attribute sum = b.getI64IntegerAttr(0), granule = b.getI64IntegerAttr(kWorkspaceGranule);
  for (Attribute region : regions) {
    Attribute bytes = cast<DictionaryAttr>(region).get("bytes");
    Attribute rounded = list("mul", list("ceildiv", bytes, granule), granule);
    sum = region == regions[0] ? rounded : list("add", sum, rounded);
  }
  return sum;
}

LogicalResult lowerKernel(KernelOp kernel) {
  Builder b(kernel.getContext());
  KernargLayout layout(kernel);
  SmallVector<NamedAttribute> record = layout.describe();
  auto integer = [&](int64_t value) -> Attribute { return b.getI64IntegerAttr(value); };
  if (kernel.getGrid()) {
    auto grid = SymbolTable::lookupNearestSymbolFrom<tile::FuncOp>(kernel, kernel.getGridAttr());
    if (!grid)
      return kernel.emitOpError() << "grid " << kernel.getGridAttr()
                                  << " is no tile.func [cdna.abi.c1]";
    FailureOr<ArrayAttr> axes = gridExpressions(grid);
    if (failed(axes))
      return failure();
    record.push_back(b.getNamedAttr("grid", *axes));
    grid.erase();
  }
  record.push_back(b.getNamedAttr("target", b.getStringAttr(kernel.getTargetInfo().name)));
  record.push_back(b.getNamedAttr(
      "block", b.getArrayAttr({integer(tegula::Target::waveSize * kernel.getWaveCount()),
                               integer(1), integer(1)})));
  record.push_back(b.getNamedAttr("lds_bytes", integer(kernel.getLdsBytes().value_or(0))));
  ArrayAttr workspace = b.getArrayAttr({});
  if (!layout.regions.empty()) {
    // tile-split-contraction has seen to it that there is a grid.
    auto grid = llvm::find_if(record, [](NamedAttribute a) { return a.getName() == "grid"; });
    workspace = describeWorkspace(layout, cast<ArrayAttr>(grid->getValue()), b);
    record.push_back(b.getNamedAttr("workspace", workspace));
  }
  record.push_back(b.getNamedAttr("workspace_bytes", workspaceBytes(workspace, b)));
  if (std::optional<tile::Denormals> denormals = kernel.getDenormals())
    record.push_back(
        b.getNamedAttr("denormals", b.getStringAttr(tile::stringifyDenormals(*denormals))));
  if (kernel->hasAttr(tile::kOrderDependentAttr))
    record.push_back(b.getNamedAttr("deterministic", b.getBoolAttr(false)));
  if (kernel.getSchedule()) {
    std::string text;
    llvm::raw_string_ostream(text) << *kernel.getSchedule();
    record.push_back(b.getNamedAttr("schedule", b.getStringAttr(text)));
  }
  LLVM::LLVMFuncOp function = createFunction(kernel, layout);
  function->setAttr(tegula::kAbiAttr, b.getDictionaryAttr(record));
  if (Attribute pressure = kernel->getAttr(tegula::kPressureAttr))
    function->setAttr(tegula::kPressureAttr, pressure);
  // Else LLVM takes the registers that one workgroup alone could have.
  if (kernel.getOccupancy() > 1) {
    int64_t waves =
        kernel.getTargetInfo().wavesPerSimd(kernel.getWaveCount(), kernel.getOccupancy());
    auto *rocdl = b.getContext()->getLoadedDialect<ROCDL::ROCDLDialect>();
    rocdl->getWavesPerEuAttrHelper().setAttr(function, b.getI32IntegerAttr(waves));
  }
  moveBody(kernel, function, layout);
  kernel.erase();
  return success();
}

struct AbiPass : tegula::cdna::impl::CdnaToROCDLAbiPassBase<AbiPass> {
  void runOnOperation() final {
    for (KernelOp kernel : llvm::make_early_inc_range(getOperation().getOps<KernelOp>()))
      if (failed(lowerKernel(kernel)))
        return signalPassFailure();
  }
};

} // namespace
