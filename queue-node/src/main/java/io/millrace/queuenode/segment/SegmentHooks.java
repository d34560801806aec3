package io.millrace.queuenode.segment;

import io.millrace.api.ErrorCode;
import io.millrace.api.MillraceException;
import io.millrace.api.queue.SegmentFigures;
import io.millrace.platform.clock.Clock;
import io.millrace.platform.lifecycle.Loop;
import io.millrace.platform.lifecycle.Service;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SeekableByteChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Opens and closes segments: a segment opens when the node has weight or events of its queue,
 * accepts no events before its start hook has succeeded, and closes when it has no weight and is
 * empty (H-056, H-057). Hooks run one after the other on a separate thread.
 */
public final class SegmentHooks implements Service {
  private static final Logger LOGGER = LoggerFactory.getLogger(SegmentHooks.class);
  private static final Duration EVERY = Duration.ofMillis(500);
  private static final int MAX_DOUBLINGS = 6;

  private final String node;
  private final HookCommand start;
  private final HookCommand stop;
  private final Supplier<List<SegmentFigures>> figures;
  private final SegmentNotes notes;
  private final Clock clock;
  private final Loop loop;
  // Used only by the loop's thread.
  private final Set<String> open = new TreeSet<>();
  private final Map<String, Failing> failing = new HashMap<>();

  private record Failing(int times, long againNanos) {}

  /** Hooks that have not started. */
  public SegmentHooks(
      String node,
      HookSettings hooks,
      Supplier<List<SegmentFigures>> figures,
      SegmentNotes notes,
      Clock clock) {
    this.node = node;
    this.start = new HookCommand(hooks.start(), hooks.timeout());
    this.stop = new HookCommand(hooks.stop(), hooks.timeout());
    this.figures = figures;
    this.notes = notes;
    this.clock = clock;
    this.loop = new Loop(node + "-segments", EVERY, this::follow);
  }

  /**
   * The notes of a node with these hooks: with a start hook, no segment accepts events before it
   * has run.
   */
  public static SegmentNotes notes(HookSettings hooks) {
    return hooks.start().isEmpty()
        ? new SegmentNotes()
        : new SegmentNotes(Optional.of("its start hook has not run yet"));
  }

  /** Checks all segments; called by the loop and by tests. Blocks for the hooks. */
  void follow() throws InterruptedException {
    Set<String> alive = new HashSet<>();
    for (SegmentFigures segment : figures.get()) {
      if (segment.needsManager()) {
        alive.add(segment.queue());
        begin(segment);
      }
    }
    for (String queue : List.copyOf(failing.keySet())) {
      if (!alive.contains(queue)) {
        failing.remove(queue);
        notes.closed(queue);
      }
    }
    for (String queue : List.copyOf(open)) {
      if (!alive.contains(queue)) {
        close(queue);
      }
    }
  }

  private void begin(SegmentFigures segment) throws InterruptedException {
    String queue = segment.queue();
    if (open.contains(queue) || !due(queue)) {
      return;
    }
    Optional<String> failure = start.run(variables(queue, segment.weight()));
    if (failure.isPresent()) {
      failed(queue, failure.get());
      return;
    }
    open.add(queue);
    failing.remove(queue);
    notes.trouble(queue, Optional.empty());
    LOGGER.info("{} opens its segment of {} with {} points", node, queue, segment.weight());
  }

  private boolean due(String queue) {
    Failing last = failing.get(queue);
    return last == null || clock.nanoTime() - last.againNanos() >= 0;
  }

  private void failed(String queue, String failure) {
    Failing last = failing.get(queue);
    int times = last == null ? 1 : last.times() + 1;
    Duration wait = Duration.ofSeconds(1L << Math.min(MAX_DOUBLINGS, times - 1));
    failing.put(queue, new Failing(times, clock.nanoTime() + wait.toNanos()));
    String problem = "its start hook failed " + times + (times == 1 ? " time: " : " times: ");
    notes.trouble(queue, Optional.of(problem + failure));
    LOGGER.warn(
        "{} accepts no events of {}: {}{}; next attempt in {}s",
        node,
        queue,
        problem,
        failure,
        wait.toSeconds());
  }

  private void close(String queue) throws InterruptedException {
    // Before the hook, so that a segment that receives weight in the meantime is opened again.
    open.remove(queue);
    notes.closed(queue);
    stop.run(variables(queue, 0))
        .ifPresentOrElse(
            failure -> LOGGER.warn("{}: the stop hook of {} failed: {}", node, queue, failure),
            () -> LOGGER.info("{} has closed its segment of {}", node, queue));
  }

  private Map<String, String> variables(String queue, int weight) {
    return Map.of(
        "MILLRACE_QUEUE",
        queue,
        "MILLRACE_NODE",
        node,
        "MILLRACE_WEIGHT",
        Integer.toString(weight));
  }

  @Override
  public void start() {
    loop.start();
  }

  @Override
  public void stop() {
    loop.stop();
  }

  /**
   * Commands that run when a segment opens and closes, each a program with its arguments, without a
   * shell. They find MILLRACE_QUEUE, MILLRACE_NODE and MILLRACE_WEIGHT in their environment.
   *
   * @param start run before the segment takes events, also after a restart of the node, so that it
   *     must bear to be run again; empty for none
   * @param stop run after the segment has closed; empty for none
   * @param timeout after which a command is killed and counts as failed
   */
  public record HookSettings(List<String> start, List<String> stop, Duration timeout) {
    public HookSettings {
      start = List.copyOf(start);
      stop = List.copyOf(stop);
      if (timeout.isZero() || timeout.isNegative()) {
        throw new MillraceException(ErrorCode.CONFIGURATION, "the hooks' timeout must be above 0");
      }
    }

    public static HookSettings defaults() {
      return new HookSettings(List.of(), List.of(), Duration.ofSeconds(10));
    }
  }

  /** Runs a hook command and waits for it. Not thread-safe. */
  static final class HookCommand {
    private static final int KEPT_OUTPUT = 500;
    private static final Duration KILLED_WITHIN = Duration.ofSeconds(2);

    private final List<String> command;
    private final Duration timeout;

    /** A command; empty for no command, which always succeeds. */
    HookCommand(List<String> command, Duration timeout) {
      this.command = command;
      this.timeout = timeout;
    }

    boolean isNone() {
      return command.isEmpty();
    }

    /**
     * Runs it. Blocks up to the time-out.
     *
     * @param variables added to the node's own environment
     * @return a readable description of the failure; empty after exit status 0
     */
    Optional<String> run(Map<String, String> variables) throws InterruptedException {
      if (isNone()) {
        return Optional.empty();
      }
      Path output = null;
      try {
        output = Files.createTempFile("millrace-hook", ".out");
        return run(variables, output);
      } catch (IOException e) {
        return Optional.of(command.get(0) + " could not be started: " + e.getMessage());
      } finally {
        delete(output);
      }
    }

    private Optional<String> run(Map<String, String> variables, Path output)
        throws IOException, InterruptedException {
      ProcessBuilder builder =
          new ProcessBuilder(command)
              .redirectInput(ProcessBuilder.Redirect.from(Path.of("/dev/null").toFile()))
              .redirectErrorStream(true)
              .redirectOutput(output.toFile());
      builder.environment().putAll(variables);
      Process process = builder.start();
      try {
        if (!process.waitFor(timeout.toMillis(), TimeUnit.MILLISECONDS)) {
          return Optional.of(
              command.get(0) + " did not end within " + timeout.toSeconds() + "s" + quoted(output));
        }
        int status = process.exitValue();
        return status == 0
            ? Optional.empty()
            : Optional.of(command.get(0) + " ended with status " + status + quoted(output));
      } finally {
        kill(process);
      }
    }

    /** Processes that a successful command has left running are meant to continue. */
    private static void kill(Process process) throws InterruptedException {
      if (process.isAlive()) {
        process.descendants().forEach(ProcessHandle::destroyForcibly);
        process.destroyForcibly().waitFor(KILLED_WITHIN.toMillis(), TimeUnit.MILLISECONDS);
      }
    }

    private static String quoted(Path output) throws IOException {
      try (SeekableByteChannel channel = Files.newByteChannel(output)) {
        channel.position(Math.max(0, channel.size() - KEPT_OUTPUT));
        ByteBuffer tail = ByteBuffer.allocate(KEPT_OUTPUT);
        while (tail.hasRemaining() && channel.read(tail) >= 0) {
          // Reads to the end of the file.
        }
        String text = new String(tail.array(), 0, tail.position(), StandardCharsets.UTF_8).strip();
        return text.isEmpty() ? "" : ": " + text;
      }
    }

    private static void delete(Path output) {
      try {
        if (output != null) {
          Files.deleteIfExists(output);
        }
      } catch (IOException e) {
        // A small file in the temporary folder, which the system cleans up.
        output.toFile().deleteOnExit();
      }
    }
  }
}
