package io.millrace.manager.node;

import io.millrace.api.Durations;
import io.millrace.manager.job.ReadyTimeCorrection;
import io.millrace.platform.clock.Clock;
import io.millrace.platform.database.Database;
import io.millrace.platform.lifecycle.Loop;
import io.millrace.platform.lifecycle.Service;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Compares the clocks of the database, this central manager and the execution nodes with this
 * process's monotonic clock, once a second. Every central manager does so for itself, so that no
 * step is missed while another one takes over. One thread.
 */
public final class ClockWatch implements Service {
  private static final Logger LOGGER = LoggerFactory.getLogger(ClockWatch.class);
  private static final Duration INTERVAL = Duration.ofSeconds(1);
  private static final Duration LEAST = Duration.ofSeconds(2);
  private static final Duration SLOWEST_ANSWER = Duration.ofMillis(500);
  private static final Duration LONGEST_TRANSACTION = Duration.ofMinutes(2);
  private static final Duration AGAIN = Duration.ofSeconds(10);

  private final Supplier<Instant> database;
  private final String self;
  private final Supplier<List<NodeClock>> nodes;
  private final ClockSteps steps;
  private final Clock clock;
  private final StepDetector detector = new StepDetector(LEAST);
  private final Map<String, Instant> heard = new HashMap<>();
  // Differences only: the monotonic clock may begin anywhere, and wraps around.
  private final long origin;
  private final Runnable readyTimes;
  private final Loop loop;
  // Once at the start, because nobody may have watched while the clock was set back; of the loop's
  // thread.
  private boolean corrected;
  private long correctAtNanos;
  private long correctUntilNanos;
  // The furthest ahead that the database's clock surely was since it was set back.
  private Duration furthest = Duration.ofSeconds(Long.MIN_VALUE);

  /**
   * A watch that is not started yet.
   *
   * @param name of this central manager
   * @param nodes what execution nodes last said of their clocks
   */
  public ClockWatch(
      Database database,
      String name,
      Supplier<List<NodeClock>> nodes,
      ClockSteps steps,
      Clock clock) {
    this(database::now, name, nodes, steps, clock, new ReadyTimeCorrection(database)::correct);
  }

  /**
   * The same for another clock.
   *
   * @param database its clock
   * @param readyTimes corrects those of waiting jobs
   */
  ClockWatch(
      Supplier<Instant> database,
      String name,
      Supplier<List<NodeClock>> nodes,
      ClockSteps steps,
      Clock clock,
      Runnable readyTimes) {
    this.database = database;
    this.self = "central manager " + name;
    this.nodes = nodes;
    this.steps = steps;
    this.clock = clock;
    this.origin = clock.nanoTime();
    this.correctAtNanos = origin;
    this.correctUntilNanos = origin;
    this.readyTimes = readyTimes;
    this.loop = new Loop("clock-watch", INTERVAL, this::look);
  }

  @Override
  public void start() {
    loop.start();
  }

  @Override
  public void stop() {
    loop.stop();
  }

  /** One look at all clocks. */
  void look() {
    note(self, skew(clock.now(), clock.nanoTime()));
    long before = clock.nanoTime();
    Instant now = database.get();
    long nanos = clock.nanoTime();
    Duration databases = skew(now, before);
    // The database read its clock at some moment before its answer came: an answer that was late
    // makes the clock look further ahead than it is, and must not count for that.
    Duration atLeast = skew(now, nanos);
    if (databases.plus(LEAST).compareTo(furthest) < 0) {
      correctUntilNanos = nanos + LONGEST_TRANSACTION.toNanos();
      correctAtNanos = nanos;
      furthest = atLeast;
    } else if (atLeast.compareTo(furthest) > 0) {
      furthest = atLeast;
    }
    correctReadyTimes(nanos);
    if (nanos - before > SLOWEST_ANSWER.toNanos()) {
      return;
    }
    note(ClockSteps.DATABASE, databases);
    List<NodeClock> seen = nodes.get();
    heard.keySet().retainAll(seen.stream().map(NodeClock::name).toList());
    for (NodeClock node : seen) {
      // A silent node's offset is that from before a step of the database's clock.
      Instant last = heard.put(node.name(), node.heardAt());
      if (last != null && !last.equals(node.heardAt())) {
        note("execution node " + node.name(), databases.plusMillis(node.offsetMillis()));
      }
    }
  }

  // A transaction that began before the clock was set back commits its times of then after it.
  private void correctReadyTimes(long nanos) {
    if (!corrected || (correctAtNanos - nanos <= 0 && correctUntilNanos - nanos >= 0)) {
      readyTimes.run();
      corrected = true;
      correctAtNanos = clock.nanoTime() + AGAIN.toNanos();
    }
  }

  private void note(String source, Duration skew) {
    detector
        .read(source, skew)
        .filter(step -> steps.record(source, step))
        .ifPresent(
            step ->
                LOGGER.warn(
                    "the clock of the {} has stepped {} {}; nothing expires by that",
                    source,
                    Durations.format(step.abs()),
                    step.isNegative() ? "back" : "ahead"));
  }

  // Only its changes mean anything.
  private Duration skew(Instant wall, long nanos) {
    return Duration.between(Instant.EPOCH, wall).minusNanos(nanos - origin);
  }

  /**
   * Tells steps of clocks from their drift: how far a clock is from a steady one may change slowly,
   * and one odd reading may be a slow answer. Pure but for the memory of the last readings; not
   * thread-safe.
   */
  static final class StepDetector {
    private record Baseline(Duration skew, boolean doubted) {}

    private final Duration least;
    private final Map<String, Baseline> baselines = new HashMap<>();

    /**
     * A detector without readings.
     *
     * @param least the smallest step worth telling
     */
    StepDetector(Duration least) {
      this.least = least;
    }

    /**
     * Notes a reading.
     *
     * @param source whose clock
     * @param skew from a clock that never steps
     * @return the step, once two readings in a row show it
     */
    Optional<Duration> read(String source, Duration skew) {
      Baseline before = baselines.get(source);
      if (before == null) {
        baselines.put(source, new Baseline(skew, false));
        return Optional.empty();
      }
      Duration step = skew.minus(before.skew());
      if (step.abs().compareTo(least) < 0) {
        baselines.put(source, new Baseline(skew, false));
        return Optional.empty();
      }
      if (!before.doubted()) {
        baselines.put(source, new Baseline(before.skew(), true));
        return Optional.empty();
      }
      baselines.put(source, new Baseline(skew, false));
      return Optional.of(step);
    }
  }

  /**
   * What an execution node last said of its clock.
   *
   * @param name the node's
   * @param heardAt when, by the database's clock
   * @param offsetMillis its clock minus the database's then
   */
  public record NodeClock(String name, Instant heardAt, long offsetMillis) {}
}
