package io.millrace.cli.server;

import io.millrace.api.client.QueueClient;
import io.millrace.platform.clock.Clock;
import io.millrace.platform.lifecycle.Threads;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;

/** Replays the day, one thread for each queue, from where an earlier life stopped. */
final class Replay implements AutoCloseable {
  private final List<QueueReplay> queues = new ArrayList<>();
  private final List<Thread> threads = new ArrayList<>();
  private final AtomicReference<Exception> failure = new AtomicReference<>();
  private final DemoClock clock;

  Replay(DemoDay day, QueueClient balancer, Journal journal, Clock clock, double speed) {
    for (DemoQueue queue : day.queues()) {
      queues.add(new QueueReplay(queue, new EventCursor(day, queue), balancer, journal));
    }
    double from = queues.stream().mapToDouble(QueueReplay::nextDue).min().orElse(0);
    this.clock = new DemoClock(clock, speed, Math.min(from, day.seconds()), day.seconds());
  }

  void start() {
    for (QueueReplay queue : queues) {
      threads.add(Threads.daemon("replay-" + queue.queue().name(), () -> run(queue)));
    }
    threads.forEach(Thread::start);
  }

  private void run(QueueReplay queue) {
    try {
      queue.run(clock);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (IOException | RuntimeException e) {
      failure.compareAndSet(null, e);
    }
  }

  /** Whether nothing is left to send; throws what stopped a queue's replay. */
  boolean finished() throws IOException {
    Exception stopped = failure.get();
    if (stopped != null) {
      throw new IOException("the replay stopped: " + stopped.getMessage(), stopped);
    }
    return threads.stream().noneMatch(Thread::isAlive);
  }

  /** Seconds of the replayed day that have passed. */
  double seconds() {
    return clock.seconds();
  }

  long sent() {
    return queues.stream().mapToLong(QueueReplay::sent).sum();
  }

  /** What keeps a batch from being acknowledged, if anything does. */
  Optional<String> trouble() {
    return queues.stream().map(QueueReplay::trouble).filter(words -> words != null).findFirst();
  }

  @Override
  public void close() {
    threads.forEach(Thread::interrupt);
  }
}
