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

/** Threads that run the same task; the first failure is thrown to the caller. Not thread-safe. */
public final class WorkerThreads {
  private final ExecutorService threads;
  private final List<Future<?>> tasks = new ArrayList<>();

  /** Threads with this name; none is started yet. */
  public WorkerThreads(String name) {
    this.threads = Executors.newCachedThreadPool(Threads.daemons(name));
  }

  /** Starts this number of threads, each with its index. */
  public void start(int count, IntConsumer work) {
    for (int number = 0; number < count; number++) {
      int own = number;
      tasks.add(threads.submit(() -> work.accept(own)));
    }
  }

  /** Blocks until all threads have ended. */
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
