package io.millrace.cli.job;

import io.millrace.api.ErrorCode;
import io.millrace.api.MillraceException;
import io.millrace.api.client.CentralClient;
import io.millrace.api.job.JobView;
import io.millrace.platform.lifecycle.Threads;
import io.millrace.platform.lifecycle.Waiter;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/** Copies the output of attempts to the terminal. Thread-safe. */
public final class AttemptOutput {
  /** Both streams of an attempt. */
  public static final List<String> BOTH = List.of("stdout", "stderr");

  /** Most lines of {@code --tail}. */
  public static final int MAX_TAIL = 100_000;

  private final CentralClient central;
  private final Sinks sinks;
  private final Integer tail;

  /** Copies outputs from their beginning. */
  public AttemptOutput(CentralClient central, Sinks sinks) {
    this(central, sinks, null);
  }

  /**
   * Copies the ends of outputs.
   *
   * @param tail number of lines with which each begins; null for all
   */
  public AttemptOutput(CentralClient central, Sinks sinks, Integer tail) {
    this.central = central;
    this.sinks = sinks;
    this.tail = tail;
  }

  /**
   * Copies the current output, one stream after the other.
   *
   * @param attempt number; 0 for the current or last one
   * @throws MillraceException UNKNOWN_ATTEMPT if there is no output, or it was deleted
   */
  public void print(long job, int attempt, List<String> streams) throws IOException {
    for (String stream : streams) {
      try (InputStream in = central.logs(job, attempt, stream, 0, false);
          OutputStream out = sinks.open(job, attempt, stream)) {
        copy(in, out);
      }
    }
  }

  private long copy(InputStream in, OutputStream out) throws IOException {
    long bytes;
    if (tail == null) {
      bytes = in.transferTo(out);
    } else {
      LastLines lines = new LastLines(tail);
      bytes = in.transferTo(lines);
      lines.writeTo(out);
    }
    out.flush();
    return bytes;
  }

  /**
   * Copies the streams as they grow, until the attempt has ended.
   *
   * @return false if its node does not know the attempt yet, or no longer
   */
  public boolean follow(long job, int attempt, List<String> streams) throws InterruptedException {
    StreamCopy first = new StreamCopy(this, job, attempt, streams.get(0));
    List<Thread> readers = new ArrayList<>();
    readers.add(reader(first));
    if (!first.found().join()) {
      readers.get(0).join();
      return false;
    }
    // Only now: the attempt may reach its node between two requests.
    for (String stream : streams.subList(1, streams.size())) {
      readers.add(reader(new StreamCopy(this, job, attempt, stream).known()));
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

  /**
   * Copies one stream of an attempt to the terminal until the attempt has ended, and resumes where
   * it stopped if the connection breaks. Runs once, on its own thread.
   */
  private static final class StreamCopy implements Runnable {
    private static final int MAX_TRIES = 20;
    private static final Duration PAUSE = Duration.ofMillis(500);

    private final AttemptOutput output;
    private final long job;
    private final int attempt;
    private final String stream;
    private final CompletableFuture<Boolean> found = new CompletableFuture<>();
    private long offset;
    private boolean begun;

    StreamCopy(AttemptOutput output, long job, int attempt, String stream) {
      this.output = output;
      this.job = job;
      this.attempt = attempt;
      this.stream = stream;
    }

    String stream() {
      return stream;
    }

    /**
     * Completes once the attempt's node has answered, with whether it knows the attempt; with true
     * if it could not be asked.
     */
    CompletableFuture<Boolean> found() {
      return found;
    }

    /** Called before it runs if the node is known to have the attempt. */
    StreamCopy known() {
      found.complete(true);
      return this;
    }

    @Override
    public void run() {
      Waiter waiter = new Waiter();
      try (OutputStream out = output.sinks.open(job, attempt, stream)) {
        for (int tried = 0; tried < MAX_TRIES && !copiedToTheEnd(out); tried++) {
          waiter.await(PAUSE);
        }
      } catch (IOException e) {
        // The output is closed (for example a pipe to head).
        return;
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      } finally {
        found.complete(true);
      }
    }

    private boolean copiedToTheEnd(OutputStream out) throws IOException {
      byte[] chunk = new byte[8192];
      try {
        if (output.tail != null && !begun) {
          begin(out);
        }
      } catch (MillraceException e) {
        return ended(e);
      }
      try (InputStream in = output.central.logs(job, attempt, stream, offset, true)) {
        found.complete(true);
        while (true) {
          int read = readOrBreak(in, chunk);
          if (read <= 0) {
            return read == 0;
          }
          out.write(chunk, 0, read);
          out.flush();
          offset += read;
        }
      } catch (MillraceException e) {
        return ended(e);
      }
    }

    // The last lines of what exists; what follows them is copied as it grows.
    private void begin(OutputStream out) throws IOException {
      try (InputStream in = output.central.logs(job, attempt, stream, 0, false)) {
        found.complete(true);
        offset = output.copy(in, out);
        begun = true;
      }
    }

    private boolean ended(MillraceException e) {
      if (e.code() == ErrorCode.UNKNOWN_ATTEMPT) {
        // Nothing shown although the node knows the attempt: the request was too early.
        boolean early = !found.complete(false) && found.join() && offset == 0;
        return !early;
      }
      return e.code() != ErrorCode.UNREACHABLE && e.code() != ErrorCode.UNAVAILABLE;
    }

    /** Number of bytes read, 0 at the end, -1 if the connection broke. */
    private static int readOrBreak(InputStream in, byte[] chunk) {
      try {
        return Math.max(0, in.read(chunk));
      } catch (IOException e) {
        return -1;
      }
    }
  }

  /** Shows the output of a job, attempt by attempt, until the job has ended. Not thread-safe. */
  static final class JobFollower {
    private static final Duration MIN_INTERVAL = Duration.ofMillis(10);
    private static final Duration MAX_INTERVAL = Duration.ofMillis(250);
    private static final Duration AFTER_END = Duration.ofSeconds(1);

    private final CentralClient central;
    private final AttemptOutput output;
    private final List<String> streams;
    private final Waiter waiter = new Waiter();

    JobFollower(CentralClient central, AttemptOutput output, List<String> streams) {
      this.central = central;
      this.output = output;
      this.streams = streams;
    }

    /** Blocks until the job has ended; returns its last state. */
    JobView follow(long id) throws InterruptedException {
      return follow(id, 1);
    }

    /** The same from an attempt on. */
    JobView follow(long id, int first) throws InterruptedException {
      int shown = Math.max(0, first - 1);
      Duration interval = MIN_INTERVAL;
      JobView job = central.job(id).job();
      while (!job.state().ended() || shown < job.attempt()) {
        int before = shown;
        shown = show(job, shown);
        if (shown > before) {
          interval = MIN_INTERVAL;
          job = central.await(id, AFTER_END);
        } else {
          waiter.await(interval);
          interval = longer(interval);
          job = central.job(id).job();
        }
      }
      return job;
    }

    /** Shows attempts from the first one not shown; returns the last one that is complete. */
    private int show(JobView job, int shown) throws InterruptedException {
      int last = shown;
      while (last < job.attempt()) {
        boolean found = output.follow(job.id(), last + 1, streams);
        // The current attempt may not have reached its node yet; other attempts write nothing more.
        boolean mayStart = last + 1 == job.attempt() && !job.state().ended();
        if (!found && mayStart) {
          return last;
        }
        last++;
      }
      return last;
    }

    private static Duration longer(Duration interval) {
      Duration next = interval.multipliedBy(3).dividedBy(2);
      return next.compareTo(MAX_INTERVAL) < 0 ? next : MAX_INTERVAL;
    }
  }
}
