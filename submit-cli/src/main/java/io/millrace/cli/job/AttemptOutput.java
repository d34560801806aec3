package io.millrace.cli.job;

import io.millrace.api.client.CentralClient;
import io.millrace.api.problem.MillraceException;
import io.millrace.platform.lifecycle.Threads;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
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
    List<StreamCopy> copies =
        streams.stream()
            .map(stream -> new StreamCopy(central, sinks, job, attempt, stream))
            .toList();
    copy(copies);
    List<StreamCopy> early = copies.stream().filter(one -> !one.found()).toList();
    if (early.size() < copies.size()) {
      // Asked for a moment before the attempt reached its node, as the others tell. They are not
      // copied again: what they have shown would be shown twice.
      copy(early);
      return true;
    }
    return false;
  }

  private static void copy(List<StreamCopy> copies) throws InterruptedException {
    List<Thread> readers =
        copies.stream().map(one -> Threads.daemon("follow-" + one.stream(), one)).toList();
    readers.forEach(Thread::start);
    for (Thread reader : readers) {
      reader.join();
    }
  }
}
