package io.millrace.cli.job;

import io.millrace.api.MillraceException;
import io.millrace.api.client.CentralClient;
import io.millrace.platform.lifecycle.Threads;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.util.ArrayList;
import java.util.List;

/** Copies the output of attempts to the user. Thread-safe. */
public final class AttemptOutput {
  /** Both streams of an attempt. */
  public static final List<String> BOTH = List.of("stdout", "stderr");

  private final CentralClient central;
  private final Sinks sinks;

  public AttemptOutput(CentralClient central, Sinks sinks) {
    this.central = central;
    this.sinks = sinks;
  }

  /**
   * Copies what there is now, one stream after the other.
   *
   * @param attempt 0 for the current or last one
   * @throws MillraceException UNKNOWN_ATTEMPT when there is no output, or no more
   */
  public void print(long job, int attempt, List<String> streams) throws IOException {
    for (String stream : streams) {
      try (InputStream in = central.logs(job, attempt, stream, 0, false);
          OutputStream out = sinks.open(job, attempt, stream)) {
        in.transferTo(out);
        out.flush();
      }
    }
  }

  /**
   * Copies the streams as they grow, until the attempt has ended.
   *
   * @return false when its node knows nothing of it: not yet, or not any more
   */
  public boolean follow(long job, int attempt, List<String> streams) throws InterruptedException {
    StreamCopy first = new StreamCopy(central, sinks, job, attempt, streams.get(0));
    List<Thread> readers = new ArrayList<>();
    readers.add(reader(first));
    if (!first.found().join()) {
      readers.get(0).join();
      return false;
    }
    // Not before: the attempt may reach its node between two questions.
    for (String stream : streams.subList(1, streams.size())) {
      readers.add(reader(new StreamCopy(central, sinks, job, attempt, stream).known()));
    }
    for (Thread reader : readers) {
      reader.join();
    }
    return true;
  }

  private static Thread reader(StreamCopy copy) {
    Thread reader = Threads.daemon("follow-" + copy.stream(), copy);
    reader.start();
    return reader;
  }
}
