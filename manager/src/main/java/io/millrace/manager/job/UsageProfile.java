package io.millrace.manager.job;

import io.millrace.api.job.Usage;
import io.millrace.manager.job.PoolCapacity.NodeOffer;
import io.soabase.recordbuilder.core.RecordBuilder;
import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.OptionalDouble;

/**
 * What the runs of a definition have used so far. Immutable, pure.
 *
 * @param memoryRuns runs of which the memory is known
 * @param cpuRuns runs long enough to measure the processors
 * @param cpuMillis processors kept busy, in thousandths, smoothed
 * @param cpuMost the maximum of {@code cpuMillis} over all runs
 * @param memoryBytes peak memory of a run, smoothed
 * @param memoryHigh peak memory of a run, rising at once and falling slowly
 * @param memoryMost peak memory of all runs
 * @param success the last success; null before the first
 * @param elsewhere the last success on a node other than that of {@code success}; null for none
 */
@RecordBuilder
public record UsageProfile(
    long memoryRuns,
    long cpuRuns,
    double cpuMillis,
    double cpuMost,
    double memoryBytes,
    double memoryHigh,
    long memoryMost,
    Success success,
    Success elsewhere)
    implements UsageProfileBuilder.With {
  /** Before the first run. */
  public static final UsageProfile NONE = new UsageProfile(0, 0, 0, 0, 0, 0, 0, null, null);

  private static final int ENOUGH_RUNS = 3;
  // About the last twenty runs count.
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

  /** This profile with one more run. */
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
    return with(
        next ->
            next.memoryRuns(memoryRuns + 1)
                .memoryBytes(mean)
                .memoryHigh(high)
                .memoryMost(Math.max(memoryMost, bytes)));
  }

  private UsageProfile plusCpu(double millis) {
    double mean = cpuRuns == 0 ? millis : cpuMillis + SMOOTHING * (millis - cpuMillis);
    return with(
        next -> next.cpuRuns(cpuRuns + 1).cpuMillis(mean).cpuMost(Math.max(cpuMost, millis)));
  }

  private UsageProfile plusSuccess(Success latest) {
    boolean moved = success != null && !success.node().equals(latest.node());
    return with(next -> next.success(latest).elsewhere(moved ? success : elsewhere));
  }

  /** The last success on any other node. */
  public Optional<Success> successElsewhere(String node) {
    return Optional.ofNullable(success != null && success.node().equals(node) ? elsewhere : success)
        .filter(found -> !found.node().equals(node));
  }

  /**
   * What the next run is likely to need, in steps coarse enough that jobs of one definition have
   * few shapes; empty as long as too few runs are known.
   */
  public Optional<Estimate> estimate() {
    int cpu = cpuRuns < ENOUGH_RUNS ? 0 : (int) Math.max(100, Math.round(cpuMillis / 100) * 100);
    long memory = memoryRuns < ENOUGH_RUNS ? 0 : MemorySteps.up(memoryHigh * MARGIN);
    return cpu == 0 && memory == 0 ? Optional.empty() : Optional.of(new Estimate(cpu, memory));
  }

  /** Memory sizes in four steps for each doubling. Pure. */
  static final class MemorySteps {
    private static final long MIN = 16L << 20;

    private MemorySteps() {}

    /** The smallest step that is not less than the size; at least 16 MB. */
    static long up(double bytes) {
      long power = MIN;
      while (power * 2 <= bytes) {
        power *= 2;
      }
      long quarter = power / 4;
      long steps = (long) Math.ceil(Math.max(0, bytes - power) / quarter);
      return power + steps * quarter;
    }
  }

  /**
   * What one run contributes to the profile of its definition.
   *
   * @param memoryBytes peak memory; 0 for unknown
   * @param cpuMillis processors kept busy, in thousandths; empty for unknown
   * @param success its success; null if it did not succeed
   */
  record Sample(long memoryBytes, OptionalDouble cpuMillis, UsageProfile.Success success) {
    // A shorter run ends before its use of processors matters, and measures it badly.
    private static final Duration SHORTEST = Duration.ofSeconds(1);

    static Sample of(EndedAttempt end) {
      Usage usage = end.result().usage();
      long run = end.result().runMillis();
      return new Sample(
          usage == null ? 0 : usage.memoryBytes(),
          usage == null || run < SHORTEST.toMillis()
              ? OptionalDouble.empty()
              : OptionalDouble.of(1000.0 * usage.cpuMillis() / run),
          end.result().outcome().success()
              ? new UsageProfile.Success(end.job().nodeId(), end.endedAt())
              : null);
    }

    /** Whether it contributes anything. */
    boolean useful() {
      return memoryBytes > 0 || cpuMillis.isPresent() || success != null;
    }
  }

  /**
   * What a job is likely to need; booked on its node, never enforced.
   *
   * @param cpuMillis thousandths of processors; 0 for unknown
   * @param memoryBytes memory; 0 for unknown
   */
  public record Estimate(int cpuMillis, long memoryBytes) {
    /**
     * This estimate, or as much of it as the largest of the nodes has: what a job used on a larger
     * node, or beside an idle one, must not keep it from running at all.
     */
    Estimate within(List<NodeOffer> nodes) {
      if (nodes.isEmpty() || nodes.stream().anyMatch(this::fits)) {
        return this;
      }
      NodeOffer largest =
          nodes.stream()
              .max(
                  Comparator.comparingLong(NodeOffer::memoryLimit)
                      .thenComparing(NodeOffer::cpuLimit))
              .orElseThrow();
      return new Estimate(
          Math.min(cpuMillis, largest.cpuLimit()), Math.min(memoryBytes, largest.memoryLimit()));
    }

    private boolean fits(NodeOffer node) {
      return cpuMillis <= node.cpuLimit() && memoryBytes <= node.memoryLimit();
    }
  }
}
