// Ctrl-C while a launch runs: Python's own handler only notes the signal, and looks at the note
// when the call has returned, which a kernel without end never lets it.
#ifndef TEGULA_PYTHON_BINDINGS_INTERRUPT_H
#define TEGULA_PYTHON_BINDINGS_INTERRUPT_H

#include <pybind11/pybind11.h>

#include <atomic>
#include <csignal>

namespace tegula::bindings {

/// While it lives, SIGINT stops a launch of the main thread, which is the one that gets
/// KeyboardInterrupt. Made and ended without the GIL.
template <typename Device, void (*stop)(Device *)> class Interruptible {
public:
  explicit Interruptible(Device *device) {
    if (PyThread_get_thread_ident() != mainThread())
      return;
    struct sigaction ours = {};
    ours.sa_handler = &onSignal;
    sigemptyset(&ours.sa_mask);
    running = device;
    isSet = sigaction(SIGINT, &ours, &before) == 0;
  }
  ~Interruptible() {
    if (isSet)
      sigaction(SIGINT, &before, nullptr);
    running = nullptr;
  }
  Interruptible(const Interruptible &) = delete;

  /// Raises what Python's handler does, if there was a signal. Without the GIL.
  static void raisePending() {
    pybind11::gil_scoped_acquire gil;
    if (PyErr_CheckSignals())
      throw pybind11::error_already_set();
  }
  /// To be called with the GIL before the first launch.
  static unsigned long mainThread() {
    static unsigned long ident = pybind11::module_::import("threading")
                                     .attr("main_thread")()
                                     .attr("ident")
                                     .template cast<unsigned long>();
    return ident;
  }

private:
  static void onSignal(int signal) {
    if (before.sa_handler == SIG_IGN) // as the shell has it for what it runs in the background
      return;
    if (Device *device = running.load())
      stop(device);
    if (before.sa_handler != SIG_DFL)
      before.sa_handler(signal);
  }

  bool isSet = false;
  static inline std::atomic<Device *> running = nullptr;
  static inline struct sigaction before = {};
};

} // namespace tegula::bindings

#endif // TEGULA_PYTHON_BINDINGS_INTERRUPT_H
