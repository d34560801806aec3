package io.millrace.cli.server;

import io.millrace.platform.lifecycle.Service;
import java.util.function.Supplier;

/**
 * A service that is made when it is started, because making it already opens files. Thread-safe.
 */
final class Deferred<S extends Service> implements Service {
  private final Supplier<S> maker;
  // Guarded by this.
  private S service;

  Deferred(Supplier<S> maker) {
    this.maker = maker;
  }

  @Override
  public synchronized void start() {
    service = maker.get();
    service.start();
  }

  @Override
  public synchronized void stop() {
    if (service != null) {
      service.stop();
    }
  }

  /** The service; only after its start. */
  synchronized S get() {
    return service;
  }
}
