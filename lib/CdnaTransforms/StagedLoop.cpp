// Finds producers (copies, loads, stores), their address arithmetic and the consumer steps of a
// staged loop.
#include "StagedLoop.h"

#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace tegula::cdna;

namespace {

class Analysis {
public:
  explicit Analysis(scf::ForOp loop) : body(loop.getBody()) { result.loop = loop; }
  std::optional<StagedLoop> run(std::string &obstacle);

private:
  void collectProducers();
  std::string collectAddresses();
  std::string checkBounds();
  std::string collectSteps();
  void addStore(LdsStoreOp store);
  void findKept();

  Block *body;
  StagedLoop result;
  llvm::SetVector<Operation *> producers; ///< ops that the consumer part leaves out
};

} // namespace

/// The staged buffer that an LDS value is a part of, or null.
static LdsAllocOp stagedBuffer(Value lds) {
  std::optional<LdsPlace> place = getLdsPlace(lds);
  return place && place->alloc.getType().getStages() > 1 ? place->alloc : LdsAllocOp();
}

void Analysis::addStore(LdsStoreOp store) {
  SmallVector<Operation *> chain = {store, store.getLds().getDefiningOp<LdsViewOp>()};
  Value value = store.getValue();
  while (auto convert = value.getDefiningOp<ConvertLayoutOp>()) {
    chain.push_back(convert);
    value = convert.getValue();
  }
  auto load = value.getDefiningOp<LoadOp>();
  if (!load || load->getBlock() != body)
    return; // a computed tile: it stays with the consumers
  result.loads.push_back(load);
  producers.insert(load);
  for (Operation *op : llvm::reverse(chain)) {
    result.stores.push_back(op);
    producers.insert(op);
  }
}

void Analysis::collectProducers() {
  for (Operation &op : *body) {
    if (auto copy = dyn_cast<AsyncCopyOp>(op); copy && stagedBuffer(copy.getLds())) {
      result.copies.push_back(copy);
      producers.insert(copy);
      result.ring = stagedBuffer(copy.getLds());
    } else if (auto store = dyn_cast<LdsStoreOp>(op); store && stagedBuffer(store.getLds())) {
      addStore(store);
      result.ring = stagedBuffer(store.getLds());
    } else if (isa<SlotOp, WaitOp>(op)) {
      producers.insert(&op);
    }
  }
  findKept();
}

/// Loads whose values are wanted in registers as well, in the iteration of their tile. Renamings on
/// the way to LDS are made for that alone.
void Analysis::findKept() {
  for (auto [i, load] : llvm::enumerate(result.loads))
    if (!llvm::all_of(load->getUsers(), [&](Operation *user) { return producers.contains(user); }))
      result.kept.push_back(i);
}

std::string Analysis::checkBounds() {
  // Stepping by tiles from 0 is what the front part makes; others would need their own clamps.
  scf::ForOp loop = result.loop;
  bool regular = loop.getInductionVar().getType().isInteger(32) &&
                 getConstantIntValue(loop.getLowerBound()) == int64_t(0) &&
                 getConstantIntValue(loop.getStep()) == int64_t(1);
  return regular ? "" : "it does not count from 0 in steps of 1";
}

/// The scalars behind copies and loads, in program order. They are computed again for the tile
/// ahead, so they may depend on nothing that the loop carries.
std::string Analysis::collectAddresses() {
  llvm::SetVector<Operation *> slice;
  SmallVector<Value> worklist;
  auto push = [&](Operation *op) {
    for (Value operand : op->getOperands())
      worklist.push_back(operand);
  };
  for (AsyncCopyOp copy : result.copies)
    push(copy);
  for (LoadOp load : result.loads)
    push(load);
  while (!worklist.empty()) {
    Value value = worklist.pop_back_val();
    if (auto argument = dyn_cast<BlockArgument>(value)) {
      if (argument.getOwner() == body && value != result.loop.getInductionVar())
        return "the address of a staged tile depends on the iteration before";
      continue;
    }
    Operation *op = value.getDefiningOp();
    if (op->getBlock() != body || producers.contains(op))
      continue;
    if (!isPure(op) || op->getNumRegions() != 0)
      return "the address of a staged tile is not plain arithmetic";
    if (slice.insert(op))
      push(op);
  }
  for (Operation &op : *body)
    if (slice.contains(&op))
      result.addresses.push_back(&op);
  return "";
}

/// Cuts the body behind every product that takes a fragment.
std::string Analysis::collectSteps() {
  SmallVector<LdsLoadOp> waiting;
  ConsumerStep step;
  bool nested = false;
  for (Operation &op : body->without_terminator()) {
    if (producers.contains(&op))
      continue;
    if (auto view = dyn_cast<LdsViewOp>(op); view && stagedBuffer(view.getLds()))
      continue;
    if (auto load = dyn_cast<LdsLoadOp>(op); load && stagedBuffer(load.getLds())) {
      auto view = load.getLds().getDefiningOp<LdsViewOp>();
      if (!view || !view.getLds().getDefiningOp<LdsAllocOp>())
        return "a fragment is not a view of its buffer";
      waiting.push_back(load);
      continue;
    }
    op.walk([&](Operation *inner) {
      nested |= inner != &op && isa<LdsViewOp>(inner) && bool(stagedBuffer(inner->getResult(0)));
    });
    llvm::erase_if(waiting, [&](LdsLoadOp load) {
      bool used =
          llvm::any_of(load->getUsers(), [&](Operation *user) { return op.isAncestor(user); });
      if (used)
        step.fragments.push_back(load);
      return used;
    });
    step.body.push_back(&op);
    if (isa<MfmaOp>(op) && !step.fragments.empty()) {
      result.steps.push_back(step);
      step = ConsumerStep();
    }
  }
  if (nested)
    return "a staged tile is read in a nested region";
  if (result.steps.empty() || !step.fragments.empty())
    return "its staged tiles do not end in products";
  result.steps.back().body.append(step.body);
  return "";
}

std::optional<StagedLoop> Analysis::run(std::string &obstacle) {
  collectProducers();
  if (!result.ring)
    return std::nullopt;
  result.stages = result.ring.getType().getStages();
  obstacle = checkBounds();
  if (obstacle.empty())
    obstacle = collectAddresses();
  if (obstacle.empty())
    obstacle = collectSteps();
  return result;
}

std::optional<StagedLoop> StagedLoop::find(scf::ForOp loop, std::string &obstacle) {
  return Analysis(loop).run(obstacle);
}
