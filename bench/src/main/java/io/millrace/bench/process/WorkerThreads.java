package io.millrace.bench.process;

import io.millrace.api.MillraceException;
import io.millrace.platform.lifecycle.Threads;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.IntConsumer;

/**
 * Threads that do the same until all have ended; the first failure is the caller's. Not
 * thread-safe.
 */
public final class WorkerThreads {
  private final ExecutorService threads;
  private final List<Future<?>> tasks = new ArrayList<>();

  /** Threads of that name; none runs yet. */
  public WorkerThreads(String name) {
    this.threads = Executors.newCachedThreadPool(Threads.daemons(name));
  }

  /** Sets so many to work, each with its number. */
  public void start(int count, IntConsumer work) {
    for (int number = 0; number < count; number++) {
      int own = number;
      tasks.add(threads.submit(() -> work.accept(own)));
    }
  }

  /** Blocks until all of them have ended. */
  public void await() throws InterruptedException {
    try {
      for (Future<?> task : tasks) {
        task.get();
      }
    } catch (ExecutionException e) {
      if (e.getCause() instanceof MillraceException problem) {
        throw problem;
      }
      throw new IllegalStateException("the benchmark failed", e.getCause());
    } finally {
      threads.shutdownNow();
    }
  }
}
