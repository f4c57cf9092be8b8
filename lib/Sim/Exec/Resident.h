// A resident workgroup: the host memory of its waves, LDS and shadows, kept from workgroup to
// workgroup and from launch to launch.
#pragma once

#include "Sim/Exec/Context.h"
#include "Sim/Sanitize/GlobalRaces.h"
#include "Sim/Sanitize/LdsShadow.h"
#include "Sim/Sanitize/Watch.h"
#include "Sim/State/ZeroedBytes.h"
#include <memory>
#include <unordered_set>

namespace tegula::sim {

/// What a resident is made for; launches of the same shape share residents.
struct ResidentShape {
  size_t rows = 0;
  unsigned waves = 0;
  uint32_t ldsBytes = 0, ldsAllocated = 0, scratchBytes = 0;
  bool sanitized = false, shadow = false, poison = false, races = false;
  bool operator==(const ResidentShape &o) const {
    return rows == o.rows && waves == o.waves && ldsBytes == o.ldsBytes &&
           ldsAllocated == o.ldsAllocated && scratchBytes == o.scratchBytes &&
           sanitized == o.sanitized && shadow == o.shadow && poison == o.poison && races == o.races;
  }
  static ResidentShape of(const Launch &);
};

/// What the scheduler keeps of a wave.
struct WaveTurn {
  bool idle = false; ///< in its last slice it wrote nothing and ended in a loop that waits
  uint64_t writes = 0;
  std::unordered_set<uint64_t> seen; ///< states since anything changed
};

class Resident {
public:
  explicit Resident(const ResidentShape &);
  /// Before the first start() in a launch.
  void join(const Launch &, ThreadContext &);
  /// Begins workgroup `index` of the launch.
  void start(uint64_t index);

  /// Lets waves that arrived go on, once all live ones have. False if some haven't.
  bool passBarrier();
  bool ended() const;
  /// After all waves have ended: what only the whole shows.
  void finish();
  void addTo(Stats &) const;
  /// A number that two states of a wave and the workgroup's LDS share only if they are the same; if
  /// waves met since `since` barriers, of all its waves.
  std::vector<uint64_t> states(uint32_t since) const;

  const ResidentShape shape;
  Workgroup wg;
  std::vector<WaveTurn> turns;
  unsigned rounds = 0;    ///< since the last barrier
  uint32_t quietFrom = 0; ///< barriers passed when memory last changed

private:
  struct Storage {
    std::unique_ptr<std::byte[], void (*)(std::byte *)> rows{nullptr, nullptr};
    ZeroedBytes scratch;
    std::unique_ptr<Watch> watch;
    Wave wave;
  };
  /// Reports waves that ended before the others' last barrier.
  void compareBarriers();
  uint64_t stateOf(unsigned wave) const;

  const Launch *launch_ = nullptr;
  ThreadContext *context_ = nullptr;
  unsigned shadowedVgprs_ = 0; ///< the shadows have the layout of such a program
  LdsShadow shadow_;
  PoisonTable poison_;
  std::unique_ptr<WorkgroupRaces> races_;
  std::vector<std::byte> lds_;
  std::vector<std::unique_ptr<Storage>> storage_;
};

} // namespace tegula::sim
