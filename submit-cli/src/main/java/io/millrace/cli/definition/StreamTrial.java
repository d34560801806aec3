package io.millrace.cli.definition;

import com.fasterxml.jackson.databind.JsonNode;
import io.millrace.api.Json;
import io.millrace.api.event.EventResult;
import io.millrace.api.event.LeaseRequest.DeliveredEvent;
import io.millrace.api.queue.QueueDefinition;
import io.millrace.cli.definition.SampleSegment.Fates;
import io.millrace.cli.invocation.Invocation;
import io.millrace.platform.lifecycle.Threads;
import io.millrace.platform.lifecycle.Waiter;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.lang.ProcessBuilder.Redirect;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Runs a worker that gets its events as a stream on this machine, as the caller, with sample events
 * on its standard input. No server is called.
 */
final class StreamTrial {
  private static final Duration LOOK_AGAIN = Duration.ofMillis(200);

  private final Invocation invocation;

  StreamTrial(Invocation invocation) {
    this.invocation = invocation;
  }

  /** Blocks until the worker has ended; returns its exit code, 124 if it timed out. */
  int run(QueueDefinition queue, List<JsonNode> events) throws IOException, InterruptedException {
    PullTrial local = new PullTrial(invocation);
    local.warn(queue.worker());
    Samples samples = new Samples(queue.batch());
    Process process = local.start(queue, Map.of(), Redirect.PIPE);
    Thread feeder =
        Threads.daemon(
            "trial-stdin", () -> feed(process.getOutputStream(), queue.name(), events, samples));
    feeder.start();
    try {
      boolean ended =
          local.follow(
              process, queue.worker(), new Tap(local.output(), samples), samples::progressAt);
      return local.report(queue, process, ended, samples.fates(events.size()));
    } finally {
      feeder.interrupt();
    }
  }

  private static void feed(
      OutputStream input, String queue, List<JsonNode> events, Samples samples) {
    try (OutputStream out = input) {
      int number = 0;
      for (JsonNode data : events) {
        number++;
        String id = "sample-" + number;
        samples.give(id);
        out.write(Json.writeBytes(new DeliveredEvent(null, id, queue, 1, null, data)));
        out.write('\n');
        out.flush();
      }
    } catch (IOException ended) {
      // The worker reads no more; what it did not get is counted.
      return;
    } catch (InterruptedException over) {
      Thread.currentThread().interrupt();
    }
  }

  /** What the worker has and what it answered. Thread-safe. */
  private static final class Samples {
    private final int window;
    private final Waiter room = new Waiter();
    // Guarded by this.
    private final Set<String> open = new HashSet<>();
    private int given;
    private int acknowledged;
    private int refused;
    private long progressAt = System.nanoTime();

    Samples(int window) {
      this.window = window;
    }

    /** Waits until there is room for another event. */
    void give(String id) throws InterruptedException {
      while (!taken(id)) {
        room.await(LOOK_AGAIN);
      }
    }

    private synchronized boolean taken(String id) {
      if (open.size() >= window) {
        return false;
      }
      open.add(id);
      given++;
      progressAt = System.nanoTime();
      return true;
    }

    void answer(EventResult result) {
      synchronized (this) {
        if (!open.remove(result.id())) {
          return;
        }
        acknowledged += result.ok() ? 1 : 0;
        refused += result.ok() ? 0 : 1;
        progressAt = System.nanoTime();
      }
      room.wake();
    }

    synchronized long progressAt() {
      return progressAt;
    }

    synchronized Fates fates(int all) {
      return new Fates(acknowledged, refused, open.size(), all - given);
    }
  }

  /** Passes the output on and takes the results from it, as execution nodes do. */
  private static final class Tap extends OutputStream {
    private final OutputStream to;
    private final Samples samples;
    private final ByteArrayOutputStream line = new ByteArrayOutputStream();

    Tap(OutputStream to, Samples samples) {
      this.to = to;
      this.samples = samples;
    }

    @Override
    public void write(int one) throws IOException {
      to.write(one);
      if (one == '\n') {
        end();
      } else if (line.size() <= EventResult.LONGEST_LINE) {
        line.write(one);
      }
    }

    @Override
    public void write(byte[] bytes, int from, int length) throws IOException {
      for (int i = from; i < from + length; i++) {
        write(bytes[i]);
      }
    }

    @Override
    public void flush() throws IOException {
      end();
      to.flush();
    }

    private void end() {
      if (line.size() <= EventResult.LONGEST_LINE) {
        EventResult.parse(line.toString(StandardCharsets.UTF_8)).ifPresent(samples::answer);
      }
      line.reset();
    }
  }
}
