package io.millrace.manager.job;

import io.millrace.api.job.Usage;
import io.millrace.manager.job.UsageEstimates.Estimate;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.OptionalDouble;

/**
 * What the runs of a definition used so far. Immutable, pure.
 *
 * @param memoryRuns runs of which the memory is known
 * @param cpuRuns runs long enough to tell the processors
 * @param cpuMillis processors kept busy, in thousandths, smoothed
 * @param cpuMost the most of a run
 * @param memoryBytes the most memory of a run, smoothed
 * @param memoryHigh the same, rising at once and falling slowly
 * @param memoryMost the most ever
 * @param success the last success; null before the first
 * @param elsewhere the last success on any other node than that; null before the first
 */
public record UsageProfile(
    long memoryRuns,
    long cpuRuns,
    double cpuMillis,
    double cpuMost,
    double memoryBytes,
    double memoryHigh,
    long memoryMost,
    Success success,
    Success elsewhere) {
  /** Before the first run. */
  public static final UsageProfile NONE = new UsageProfile(0, 0, 0, 0, 0, 0, 0, null, null);

  private static final int ENOUGH_RUNS = 3;
  // The last twenty runs or so matter.
  private static final double SMOOTHING = 0.1;
  private static final double FALLING = 0.05;
  private static final double MARGIN = 1.2;

  /**
   * A success.
   *
   * @param node the node's id
   * @param at by the database's clock
   */
  public record Success(String node, Instant at) {}

  /** With one more run. */
  public UsageProfile plus(Sample sample) {
    UsageProfile next = sample.memoryBytes() > 0 ? plusMemory(sample.memoryBytes()) : this;
    next = sample.cpuMillis().isPresent() ? next.plusCpu(sample.cpuMillis().getAsDouble()) : next;
    return sample.success() == null ? next : next.plusSuccess(sample.success());
  }

  private UsageProfile plusMemory(long bytes) {
    boolean first = memoryRuns == 0;
    double used = (double) bytes;
    double mean = first ? used : memoryBytes + SMOOTHING * (used - memoryBytes);
    double high = first ? used : Math.max(used, memoryHigh - FALLING * (memoryHigh - mean));
    return new UsageProfile(
        memoryRuns + 1,
        cpuRuns,
        cpuMillis,
        cpuMost,
        mean,
        high,
        Math.max(memoryMost, bytes),
        success,
        elsewhere);
  }

  private UsageProfile plusCpu(double millis) {
    double mean = cpuRuns == 0 ? millis : cpuMillis + SMOOTHING * (millis - cpuMillis);
    return new UsageProfile(
        memoryRuns,
        cpuRuns + 1,
        mean,
        Math.max(cpuMost, millis),
        memoryBytes,
        memoryHigh,
        memoryMost,
        success,
        elsewhere);
  }

  private UsageProfile plusSuccess(Success latest) {
    boolean moved = success != null && !success.node().equals(latest.node());
    return new UsageProfile(
        memoryRuns,
        cpuRuns,
        cpuMillis,
        cpuMost,
        memoryBytes,
        memoryHigh,
        memoryMost,
        latest,
        moved ? success : elsewhere);
  }

  /** The last success on another node than that. */
  public Optional<Success> successElsewhere(String node) {
    return Optional.ofNullable(success != null && success.node().equals(node) ? elsewhere : success)
        .filter(found -> !found.node().equals(node));
  }

  /**
   * What a further run is likely to need, in steps coarse enough that jobs of one definition have
   * few shapes; empty as long as too few runs are known.
   */
  public Optional<Estimate> estimate() {
    int cpu = cpuRuns < ENOUGH_RUNS ? 0 : (int) Math.max(100, Math.round(cpuMillis / 100) * 100);
    long memory = memoryRuns < ENOUGH_RUNS ? 0 : MemorySteps.up(memoryHigh * MARGIN);
    return cpu == 0 && memory == 0 ? Optional.empty() : Optional.of(new Estimate(cpu, memory));
  }

  /** Sizes of memory in four steps for each doubling. Pure. */
  static final class MemorySteps {
    private static final long LEAST = 16L << 20;

    private MemorySteps() {}

    /** The next step that is not less; 16 MB at least. */
    static long up(double bytes) {
      long power = LEAST;
      while (power * 2 <= bytes) {
        power *= 2;
      }
      long quarter = power / 4;
      long steps = (long) Math.ceil(Math.max(0, bytes - power) / quarter);
      return power + steps * quarter;
    }
  }

  /**
   * What one run tells of its definition.
   *
   * @param memoryBytes the most memory; 0 for unknown
   * @param cpuMillis processors kept busy, in thousandths; empty for unknown
   * @param success its success; null if it wasn't one
   */
  record Sample(long memoryBytes, OptionalDouble cpuMillis, UsageProfile.Success success) {
    // A shorter run is over before its share of the processors matters, and measures it badly.
    private static final Duration TELLING = Duration.ofSeconds(1);

    static Sample of(EndedAttempt end) {
      Usage usage = end.result().usage();
      long run = end.result().runMillis();
      return new Sample(
          usage == null ? 0 : usage.memoryBytes(),
          usage == null || run < TELLING.toMillis()
              ? OptionalDouble.empty()
              : OptionalDouble.of(1000.0 * usage.cpuMillis() / run),
          end.result().outcome().success()
              ? new UsageProfile.Success(end.job().nodeId(), end.endedAt())
              : null);
    }

    /** Whether it tells anything. */
    boolean telling() {
      return memoryBytes > 0 || cpuMillis.isPresent() || success != null;
    }
  }
}
