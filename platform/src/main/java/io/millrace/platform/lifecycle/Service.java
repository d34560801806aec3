package io.millrace.platform.lifecycle;

/**
 * Something that runs between {@link #start()} and {@link #stop()}.
 *
 * <p>A service is started at most once. Both calls block until done; {@code stop} does so within a
 * bounded time, may be called from any thread, before {@code start} and more than once.
 */
public interface Service {

  /** Starts and returns once it is ready for use; after a failure nothing is left running. */
  void start();

  /** Stops and frees everything; does nothing if already stopped or never started. */
  void stop();
}
