package io.millrace.manager.job;

import io.millrace.api.Durations;
import io.millrace.api.Sizes;
import io.millrace.api.job.Outcome;
import io.millrace.api.job.ResourceScale.Growth;
import io.millrace.api.job.RetryPolicy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Decides what a job requests after an attempt that exceeded its memory or its time limit and is
 * retried (J-12). Only what the job requests is changed, only what was exceeded, and never to less.
 * Pure.
 */
final class ResourceScaling {
  private static final long MEMORY_STEP = 1L << 20;
  private static final long MOST_MEMORY = 1L << 50;
  private static final long MOST_TIME = Durations.LONGEST.toMillis();
  private static final long SECOND = 1000;
  // Below this, a whole second would be a large part of the limit.
  private static final long LONG_TIME = 10 * SECOND;

  private ResourceScaling() {}

  /**
   * A request that can be scaled.
   *
   * @param pool where the job runs
   * @param memoryBytes its memory; null if it does not state any
   * @param timeoutMillis its time limit; null for none
   */
  record ResourceRequest(String pool, Long memoryBytes, Long timeoutMillis) {
    private ResourceRequest withMemory(String newPool, long bytes) {
      return new ResourceRequest(newPool, bytes, timeoutMillis);
    }

    private ResourceRequest withTimeout(long millis) {
      return new ResourceRequest(pool, memoryBytes, millis);
    }
  }

  /**
   * What the next attempt requests.
   *
   * @param request the same as before if nothing larger is possible
   * @param text what is changed and why, for the job's history
   */
  record ScaledRequest(ResourceRequest request, String text) {}

  /**
   * The request of the next attempt; empty if the outcome, the policy or the job leaves it as it
   * is.
   *
   * @param largest the memory of the largest node of each pool that has nodes
   */
  static Optional<ScaledRequest> after(
      Outcome outcome, ResourceRequest before, RetryPolicy retry, Map<String, Long> largest) {
    if (retry.scale() == null) {
      return Optional.empty();
    }
    if (outcome == Outcome.MEMORY_EXCEEDED) {
      return memory(before, retry, largest);
    }
    return outcome == Outcome.TIMED_OUT
        ? timeout(before, retry.scale().timeout())
        : Optional.empty();
  }

  private static Optional<ScaledRequest> timeout(ResourceRequest before, Growth growth) {
    Long limit = before.timeoutMillis();
    if (growth == null || limit == null) {
      return Optional.empty();
    }
    long next = Math.min(MOST_TIME, next(growth, limit, limit < LONG_TIME ? 1 : SECOND));
    return next <= limit
        ? Optional.empty()
        : Optional.of(
            new ScaledRequest(
                before.withTimeout(next),
                "timeout %s -> %s because it was exceeded".formatted(time(limit), time(next))));
  }

  private static Optional<ScaledRequest> memory(
      ResourceRequest before, RetryPolicy retry, Map<String, Long> largest) {
    Growth growth = retry.scale().memory();
    Long bytes = before.memoryBytes();
    if (growth == null || bytes == null) {
      return Optional.empty();
    }
    long wanted = Math.min(MOST_MEMORY, next(growth, bytes, MEMORY_STEP));
    if (wanted <= bytes) {
      return Optional.empty();
    }
    List<String> pools = pools(before.pool(), retry.fallback(), largest);
    for (String pool : pools) {
      if (wanted <= bound(largest, pool)) {
        return changed(before, pool, wanted, "");
      }
    }
    for (int i = pools.size() - 1; i >= 0; i--) {
      long most = bound(largest, pools.get(i)) / MEMORY_STEP * MEMORY_STEP;
      if (most > bytes) {
        return changed(before, pools.get(i), most, ", the most of its nodes,");
      }
    }
    return Optional.of(
        new ScaledRequest(
            before,
            "memory %s was exceeded, and no node of pool %s has more"
                .formatted(Sizes.format(bytes), String.join(" or ", pools))));
  }

  private static Optional<ScaledRequest> changed(
      ResourceRequest before, String pool, long bytes, String limit) {
    String place = pool.equals(before.pool()) && limit.isEmpty() ? "" : " in pool " + pool + limit;
    return Optional.of(
        new ScaledRequest(
            before.withMemory(pool, bytes),
            "memory %s -> %s%s because it was exceeded"
                .formatted(Sizes.format(before.memoryBytes()), Sizes.format(bytes), place)));
  }

  // Its own pool, then the fallback pools after it. Of one without nodes nothing is known: a job
  // that is there already may wait for some, but none is moved there.
  private static List<String> pools(String own, List<String> fallback, Map<String, Long> largest) {
    List<String> pools = new ArrayList<>();
    pools.add(own);
    fallback.subList(fallback.indexOf(own) + 1, fallback.size()).stream()
        .filter(largest::containsKey)
        .forEach(pools::add);
    return pools;
  }

  private static long bound(Map<String, Long> largest, String pool) {
    return largest.getOrDefault(pool, Long.MAX_VALUE);
  }

  /** The next amount, rounded up to whole steps; the same if there is none. */
  private static long next(Growth growth, long amount, long step) {
    if (growth.factor() == null) {
      return growth.values().stream().filter(value -> value > amount).findFirst().orElse(amount);
    }
    if (growth.factor() == 1) {
      return amount;
    }
    double scaled = Math.ceil(amount * growth.factor() / step);
    return scaled * step >= Long.MAX_VALUE ? Long.MAX_VALUE : (long) (scaled * step);
  }

  private static String time(long millis) {
    return Durations.format(Duration.ofMillis(millis));
  }
}
