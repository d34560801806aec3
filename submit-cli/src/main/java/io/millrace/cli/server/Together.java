package io.millrace.cli.server;

import io.millrace.platform.lifecycle.Service;
import io.millrace.platform.lifecycle.Threads;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Executor;
import java.util.function.Consumer;

/**
 * Services that do not need one another: started at once, stopped at once. When one fails to start,
 * the others are stopped and the first failure is thrown.
 */
final class Together implements Service {
  private final String name;
  private final List<Service> services;

  Together(String name, Collection<? extends Service> services) {
    this.name = name;
    this.services = List.copyOf(services);
  }

  @Override
  public void start() {
    try {
      each("start", Service::start);
    } catch (RuntimeException e) {
      stop();
      throw e;
    }
  }

  @Override
  public void stop() {
    each("stop", Service::stop);
  }

  private void each(String verb, Consumer<Service> step) {
    Executor threads = task -> Threads.daemon(verb + "-" + name, task).start();
    List<CompletableFuture<Void>> steps = new ArrayList<>();
    for (Service service : services) {
      steps.add(CompletableFuture.runAsync(() -> step.accept(service), threads));
    }
    RuntimeException first = null;
    for (CompletableFuture<Void> one : steps) {
      try {
        one.join();
      } catch (CompletionException e) {
        first = first != null ? first : cause(e);
      }
    }
    if (first != null) {
      throw first;
    }
  }

  private static RuntimeException cause(CompletionException e) {
    return e.getCause() instanceof RuntimeException known ? known : e;
  }
}
