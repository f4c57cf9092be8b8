// What is launched: kernel, grid, block, dynamic LDS and arguments, from the command line or a
// sidecar.
#pragma once

#include "Arguments.h"
#include "Session.h"

struct LaunchOptions {
  std::string kernel, sidecar;
  tgs_dims grid{1, 1, 1}, block{0, 0, 0}; ///< block 0: the kernel's own size
  uint64_t lds = 0;
  std::vector<std::string> words; ///< arguments
  std::string folder;             ///< of the sidecar that the words come from

  void declare(CommandLine &);
  /// Adds what the sidecar says and the command line doesn't.
  bool readSidecar(std::string &error);

private:
  bool gridGiven_ = false, ldsGiven_ = false;
};

/// A launch made ready: memory allocated and filled, arguments packed.
struct PreparedLaunch {
  tgs_kernel *kernel = nullptr;
  tgs_dims grid{}, block{};
  bool blockIsGuess = false; ///< neither the command line nor the kernel says
  uint32_t lds = 0;
  std::vector<Argument> arguments;
  Bytes segment;

  /// False with a one-line reason; throws BadCommandLine for arguments that are wrong themselves.
  bool prepare(Session &, const LaunchOptions &, std::string &error);
  /// Outputs into their files, all or none.
  bool writeOutputs(std::string &error);
};
