package io.millrace.platform.lifecycle;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Services that are started in the given order and stopped in reverse order.
 *
 * <p>If one fails to start, those already started are stopped and the failure is thrown. Stopping
 * continues after failures and throws the first with the others suppressed. Thread-safe; a {@code
 * stop} during {@code start} ends the start after the current service.
 */
public final class ServiceGroup implements Service {

  /** The state of the group; it only moves forward. */
  public enum State {
    LATENT,
    STARTING,
    STARTED,
    STOPPING,
    STOPPED
  }

  private final List<Service> services;
  private final AtomicReference<State> state = new AtomicReference<>(State.LATENT);
  private final ReentrantLock transition = new ReentrantLock();
  // Only touched while holding `transition`.
  private final Deque<Service> running = new ArrayDeque<>();

  /** Groups the services in the order in which they are to be started. */
  public ServiceGroup(List<? extends Service> services) {
    this.services = List.copyOf(services);
  }

  /** The current state. */
  public State state() {
    return state.get();
  }

  @Override
  public void start() {
    if (!state.compareAndSet(State.LATENT, State.STARTING)) {
      throw new IllegalStateException("cannot start: already " + state.get());
    }
    transition.lock();
    try {
      for (Service service : services) {
        if (state.get() != State.STARTING) {
          throw new IllegalStateException("stopped while starting");
        }
        service.start();
        running.push(service);
      }
      if (!state.compareAndSet(State.STARTING, State.STARTED)) {
        throw new IllegalStateException("stopped while starting");
      }
    } catch (Throwable failure) {
      state.set(State.STOPPING);
      stopRunning(failure);
      throw failure;
    } finally {
      transition.unlock();
    }
  }

  @Override
  public void stop() {
    // Announced before waiting for the lock, so that a start in progress notices and gives up.
    state.updateAndGet(old -> old == State.STOPPED ? old : State.STOPPING);
    transition.lock();
    try {
      Throwable failure = stopRunning(null);
      if (failure instanceof Error error) {
        throw error;
      }
      if (failure instanceof RuntimeException exception) {
        throw exception;
      }
    } finally {
      transition.unlock();
    }
  }

  /** Returns the first failure: the given one, if there is one. */
  private Throwable stopRunning(Throwable earlier) {
    Throwable first = earlier;
    while (!running.isEmpty()) {
      try {
        running.pop().stop();
      } catch (RuntimeException | Error failure) {
        if (first == null) {
          first = failure;
        } else {
          first.addSuppressed(failure);
        }
      }
    }
    state.set(State.STOPPED);
    return first;
  }
}
