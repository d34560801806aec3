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

  private final CentralClient central;
  private final Sinks sinks;

  public AttemptOutput(CentralClient central, Sinks sinks) {
    this.central = central;
    this.sinks = sinks;
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
        in.transferTo(out);
        out.flush();
      }
    }
  }

  /**
   * Copies the streams as they grow, until the attempt has ended.
   *
   * @return false if its node does not know the attempt yet, or no longer
   */
  public boolean follow(long job, int attempt, List<String> streams) throws InterruptedException {
    StreamCopy first = new StreamCopy(central, sinks, job, attempt, streams.get(0));
    List<Thread> readers = new ArrayList<>();
    readers.add(reader(first));
    if (!first.found().join()) {
      readers.get(0).join();
      return false;
    }
    // Only now: the attempt may reach its node between two requests.
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

  /**
   * Copies one stream of an attempt to the terminal until the attempt has ended, and resumes where
   * it stopped if the connection breaks. Runs once, on its own thread.
   */
  private static final class StreamCopy implements Runnable {
    private static final int MAX_TRIES = 20;
    private static final Duration PAUSE = Duration.ofMillis(500);

    private final CentralClient central;
    private final Sinks sinks;
    private final long job;
    private final int attempt;
    private final String stream;
    private final CompletableFuture<Boolean> found = new CompletableFuture<>();
    private long offset;

    StreamCopy(CentralClient central, Sinks sinks, long job, int attempt, String stream) {
      this.central = central;
      this.sinks = sinks;
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
      try (OutputStream out = sinks.open(job, attempt, stream)) {
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
      try (InputStream in = central.logs(job, attempt, stream, offset, true)) {
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
        if (e.code() == ErrorCode.UNKNOWN_ATTEMPT) {
          // Nothing shown although the node knows the attempt: the request was too early.
          boolean early = !found.complete(false) && found.join() && offset == 0;
          return !early;
        }
        return e.code() != ErrorCode.UNREACHABLE && e.code() != ErrorCode.UNAVAILABLE;
      }
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
      int shown = 0;
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
