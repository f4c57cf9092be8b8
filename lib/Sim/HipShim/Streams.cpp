// Streams and events. An operation has ended when the call that enqueues it returns, in the order
// of the calls: an order that every stream and event wait allows, and the same one in each run.
#include "Shim.h"

#include <utility>

using namespace tegula::hip;

namespace {
hipError_t newStream(hipStream_t *stream, unsigned flags, int priority) {
  return api([&](Shim &s) {
    if (!stream || (flags & ~unsigned(hipStreamNonBlocking)))
      return hipErrorInvalidValue;
    *stream = new ihipStream_t{currentDevice(), flags, priority};
    s.streams.insert(*stream);
    return hipSuccess;
  });
}

template <class Body> hipError_t onStream(hipStream_t stream, Body body) {
  return api([&](Shim &s) { return s.isStream(stream) ? body(s) : hipErrorInvalidHandle; });
}
template <class Body> hipError_t onEvent(hipEvent_t event, Body body) {
  return api([&](Shim &s) { return s.events.count(event) ? body(s) : hipErrorInvalidHandle; });
}
hipError_t done(Shim &) { return hipSuccess; }
} // namespace

extern "C" {
hipError_t hipStreamCreate(hipStream_t *stream) { return newStream(stream, hipStreamDefault, 0); }
hipError_t hipStreamCreateWithFlags(hipStream_t *stream, unsigned flags) {
  return newStream(stream, flags, 0);
}
hipError_t hipStreamCreateWithPriority(hipStream_t *stream, unsigned flags, int priority) {
  return newStream(stream, flags, priority);
}
hipError_t hipStreamDestroy(hipStream_t stream) {
  return api([&](Shim &s) {
    if (!s.streams.erase(stream))
      return hipErrorInvalidHandle;
    delete stream;
    return hipSuccess;
  });
}
hipError_t hipStreamSynchronize(hipStream_t stream) { return onStream(stream, done); }
hipError_t hipStreamQuery(hipStream_t stream) { return onStream(stream, done); }
hipError_t hipStreamIsCapturing(hipStream_t stream, hipStreamCaptureStatus *status) {
  return onStream(stream, [&](Shim &) {
    if (!status)
      return hipErrorInvalidValue;
    *status = hipStreamCaptureStatusNone; // graphs are not simulated
    return hipSuccess;
  });
}
hipError_t hipStreamGetCaptureInfo(hipStream_t stream, hipStreamCaptureStatus *status,
                                   unsigned long long *id) {
  if (id)
    *id = 0;
  return hipStreamIsCapturing(stream, status);
}
// Every mode allows what is allowed without graphs.
hipError_t hipThreadExchangeStreamCaptureMode(hipStreamCaptureMode *mode) {
  thread_local hipStreamCaptureMode current = hipStreamCaptureModeGlobal;
  if (!mode)
    return hipErrorInvalidValue;
  std::swap(current, *mode);
  return hipSuccess;
}
hipError_t hipStreamWaitEvent(hipStream_t stream, hipEvent_t event, unsigned) {
  return onStream(
      stream, [&](Shim &s) { return s.events.count(event) ? hipSuccess : hipErrorInvalidHandle; });
}
// The host's function runs unlocked: it may call HIP.
hipError_t hipStreamAddCallback(hipStream_t stream, hipStreamCallback_t callback, void *user,
                                unsigned flags) {
  hipError_t error = onStream(
      stream, [&](Shim &) { return callback && !flags ? hipSuccess : hipErrorInvalidValue; });
  if (error == hipSuccess)
    callback(stream, hipSuccess, user);
  return error;
}
hipError_t hipLaunchHostFunc(hipStream_t stream, hipHostFn_t function, void *user) {
  hipError_t error =
      onStream(stream, [&](Shim &) { return function ? hipSuccess : hipErrorInvalidValue; });
  if (error == hipSuccess)
    function(user);
  return error;
}

hipError_t hipEventCreate(hipEvent_t *event) { return hipEventCreateWithFlags(event, 0); }
hipError_t hipEventCreateWithFlags(hipEvent_t *event, unsigned flags) {
  return api([&](Shim &s) {
    constexpr unsigned known = hipEventBlockingSync | hipEventDisableTiming | hipEventInterprocess;
    constexpr unsigned releases = 0xe0000000; // which caches a record flushes: none here
    if (!event || (flags & ~(known | releases)))
      return hipErrorInvalidValue;
    *event = new ihipEvent_t{flags, false, {}};
    s.events.insert(*event);
    return hipSuccess;
  });
}
hipError_t hipEventDestroy(hipEvent_t event) {
  return api([&](Shim &s) {
    if (!s.events.erase(event))
      return hipErrorInvalidHandle;
    delete event;
    return hipSuccess;
  });
}
hipError_t hipEventRecord(hipEvent_t event, hipStream_t stream) {
  return onEvent(event, [&](Shim &s) {
    if (!s.isStream(stream))
      return hipErrorInvalidHandle;
    event->recorded = true;
    event->time = std::chrono::steady_clock::now();
    return hipSuccess;
  });
}
hipError_t hipEventSynchronize(hipEvent_t event) { return onEvent(event, done); }
hipError_t hipEventQuery(hipEvent_t event) { return onEvent(event, done); }
hipError_t hipEventElapsedTime(float *milliseconds, hipEvent_t start, hipEvent_t stop) {
  return api([&](Shim &s) {
    if (!milliseconds)
      return hipErrorInvalidValue;
    for (hipEvent_t e : {start, stop})
      if (!s.events.count(e) || !e->recorded || (e->flags & hipEventDisableTiming))
        return hipErrorInvalidHandle;
    *milliseconds = std::chrono::duration<float, std::milli>(stop->time - start->time).count();
    return hipSuccess;
  });
}
}
