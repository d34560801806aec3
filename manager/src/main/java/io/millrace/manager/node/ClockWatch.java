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
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Compares the clocks of the database, this central manager and the execution nodes with this
 * process's monotonic clock, once a second. Every central manager does so independently, so that no
 * step is missed during a failover. Runs on one thread.
 */
public final class ClockWatch implements Service {
  private static final Logger LOGGER = LoggerFactory.getLogger(ClockWatch.class);
  private static final Duration INTERVAL = Duration.ofSeconds(1);
  private static final Duration MIN = Duration.ofSeconds(2);
  private static final Duration SLOWEST_ANSWER = Duration.ofMillis(500);
  private static final Duration LONGEST_TRANSACTION = Duration.ofMinutes(2);
  private static final Duration AGAIN = Duration.ofSeconds(10);

  private final Supplier<Instant> database;
  private final String self;
  private final Supplier<List<NodeClock>> nodes;
  private final ClockSteps steps;
  private final Clock clock;
  private final StepDetector detector = new StepDetector(MIN);
  private final Map<String, Instant> heard = new HashMap<>();
  // Differences only: the monotonic clock may begin anywhere, and wraps around.
  private final long origin;
  private final Runnable readyTimes;
  private final Loop loop;
  // Once at the start, because the clock may have been set back while no manager was running; only
  // touched by the loop's thread.
  private boolean corrected;
  private long correctAtNanos;
  private long correctUntilNanos;
  // The furthest ahead that the database's clock surely was since it was set back.
  private Duration furthest = Duration.ofSeconds(Long.MIN_VALUE);

  /**
   * Creates a watch that is not started yet.
   *
   * @param name name of this central manager
   * @param nodes the clocks that execution nodes last reported
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
   * Creates a watch with another source of the database's time.
   *
   * @param database the database's clock
   * @param readyTimes corrects the ready times of waiting jobs
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
    this.loop = new Loop("clock-watch", INTERVAL, this::check);
  }

  @Override
  public void start() {
    loop.start();
  }

  @Override
  public void stop() {
    loop.stop();
  }

  /** Checks all clocks once. */
  void check() {
    note(self, skew(clock.now(), clock.nanoTime()));
    long before = clock.nanoTime();
    Instant now = database.get();
    long nanos = clock.nanoTime();
    Duration databases = skew(now, before);
    // The database read its clock some time before its answer arrived: a late answer makes the
    // clock
    // look further ahead than it is, and must not count.
    Duration lowerBound = skew(now, nanos);
    if (databases.plus(MIN).compareTo(furthest) < 0) {
      correctUntilNanos = nanos + LONGEST_TRANSACTION.toNanos();
      correctAtNanos = nanos;
      furthest = lowerBound;
    } else if (lowerBound.compareTo(furthest) > 0) {
      furthest = lowerBound;
    }
    correctReadyTimes(nanos);
    if (nanos - before > SLOWEST_ANSWER.toNanos()) {
      return;
    }
    note(ClockSteps.DATABASE, databases);
    List<NodeClock> seen = nodes.get();
    heard.keySet().retainAll(seen.stream().map(NodeClock::name).toList());
    for (NodeClock node : seen) {
      // The offset of a silent node may be from before a step of the database's clock.
      Instant last = heard.put(node.name(), node.heardAt());
      if (last != null && !last.equals(node.heardAt())) {
        note("execution node " + node.name(), databases.plusMillis(node.offsetMillis()));
      }
    }
  }

  // A transaction that began before the clock was set back may commit earlier times after it.
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
                    "the clock of the {} has stepped {} {}; nothing expires because of that",
                    source,
                    Durations.format(step.abs()),
                    step.isNegative() ? "back" : "ahead"));
  }

  // Only changes of the skew are meaningful.
  private Duration skew(Instant wall, long nanos) {
    return Duration.between(Instant.EPOCH, wall).minusNanos(nanos - origin);
  }

  /**
   * The clock of an execution node as last reported.
   *
   * @param name name of the node
   * @param heardAt time of the report, by the database's clock
   * @param offsetMillis its clock minus the database's at that time
   */
  public record NodeClock(String name, Instant heardAt, long offsetMillis) {}
}
