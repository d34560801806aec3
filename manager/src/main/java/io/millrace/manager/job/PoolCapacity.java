package io.millrace.manager.job;

import io.millrace.api.Pure;
import io.millrace.api.Sizes;
import io.millrace.api.job.JobSpec;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Predicate;
import java.util.function.ToLongFunction;
import java.util.stream.Collectors;

/**
 * What the nodes of pools could give to a job that was alone on one of them: drained nodes count,
 * lost ones do not. What jobs require of attributes and licences is not compared. Immutable.
 */
@Pure
public final class PoolCapacity {
  /**
   * What one node has for all its jobs.
   *
   * @param name of the node
   * @param pools that it serves
   * @param slots attempts of one slot each at the same time
   * @param cpuMillis thousandths of processors; 0 if they are not booked
   * @param memoryBytes memory; 0 if it is not booked
   * @param resources named consumables
   */
  record NodeOffer(
      String name,
      Set<String> pools,
      int slots,
      int cpuMillis,
      long memoryBytes,
      Map<String, Integer> resources) {
    int cpuLimit() {
      return cpuMillis == 0 ? Integer.MAX_VALUE : cpuMillis;
    }

    long memoryLimit() {
      return memoryBytes == 0 ? Long.MAX_VALUE : memoryBytes;
    }
  }

  private static final int MILLIS = 1000;
  private static final String NONE = "nothing stated";

  private final List<NodeOffer> offers;

  PoolCapacity(List<NodeOffer> offers) {
    this.offers = List.copyOf(offers);
  }

  /** Whether any node serves the pool. */
  public boolean hasNodes(String pool) {
    return offers.stream().anyMatch(offer -> offer.pools().contains(pool));
  }

  /**
   * What no node of the job's pool could ever give it; empty if one could, or if the pool has no
   * node.
   *
   * @return for instance {@code asks for memory 1TB, and the largest node of pool default, e1, has
   *     16GB}
   */
  public Optional<String> lacking(JobSpec job) {
    List<NodeOffer> own =
        offers.stream().filter(offer -> offer.pools().contains(job.pool())).toList();
    if (own.isEmpty() || own.stream().anyMatch(offer -> holds(offer, job))) {
      return Optional.empty();
    }
    return Optional.of(
        largest(own, offer -> offer.slots() >= job.slots(), NodeOffer::slots)
            .map(best -> text(job, "slots " + job.slots(), best, String.valueOf(best.slots())))
            .or(() -> cpu(own, job))
            .or(() -> memory(own, job))
            .or(() -> resources(own, job))
            .orElseGet(
                () ->
                    "asks for %s, and no node of pool %s has all of that together"
                        .formatted(asked(job), job.pool())));
  }

  private static Optional<String> cpu(List<NodeOffer> own, JobSpec job) {
    return largest(own, offer -> offer.cpuLimit() >= cpuMillis(job), NodeOffer::cpuLimit)
        .map(
            best ->
                text(
                    job,
                    "cpu " + amount(cpuMillis(job)),
                    best,
                    best.cpuMillis() == 0 ? NONE : amount(best.cpuMillis())));
  }

  private static Optional<String> memory(List<NodeOffer> own, JobSpec job) {
    return largest(own, offer -> offer.memoryLimit() >= bytes(job), NodeOffer::memoryLimit)
        .map(
            best ->
                text(
                    job,
                    "memory " + Sizes.format(bytes(job)),
                    best,
                    Sizes.format(best.memoryBytes())));
  }

  private static Optional<String> resources(List<NodeOffer> own, JobSpec job) {
    for (Map.Entry<String, Integer> asked : new TreeMap<>(job.resources()).entrySet()) {
      ToLongFunction<NodeOffer> has = offer -> offer.resources().getOrDefault(asked.getKey(), 0);
      Optional<NodeOffer> best =
          largest(own, offer -> has.applyAsLong(offer) >= asked.getValue(), has);
      if (best.isPresent()) {
        return best.map(
            offer ->
                text(
                    job,
                    asked.getKey() + " " + asked.getValue(),
                    offer,
                    String.valueOf(has.applyAsLong(offer))));
      }
    }
    return Optional.empty();
  }

  // The node that has most, if none has enough.
  private static Optional<NodeOffer> largest(
      List<NodeOffer> own, Predicate<NodeOffer> enough, ToLongFunction<NodeOffer> amount) {
    return own.stream().anyMatch(enough)
        ? Optional.empty()
        : own.stream().max(Comparator.comparingLong(amount).thenComparing(NodeOffer::name));
  }

  private static String text(JobSpec job, String asked, NodeOffer best, String has) {
    return "asks for %s, and the largest node of pool %s, %s, has %s"
        .formatted(asked, job.pool(), best.name(), has);
  }

  private static boolean holds(NodeOffer offer, JobSpec job) {
    return offer.slots() >= job.slots()
        && offer.cpuLimit() >= cpuMillis(job)
        && offer.memoryLimit() >= bytes(job)
        && job.resources().entrySet().stream()
            .allMatch(
                asked -> offer.resources().getOrDefault(asked.getKey(), 0) >= asked.getValue());
  }

  private static String asked(JobSpec job) {
    String resources =
        new TreeMap<>(job.resources())
            .entrySet().stream()
                .map(one -> ", " + one.getKey() + " " + one.getValue())
                .collect(Collectors.joining());
    return "slots %d%s%s%s"
        .formatted(
            job.slots(),
            job.cpu() == null ? "" : ", cpu " + amount(cpuMillis(job)),
            job.memory() == null ? "" : ", memory " + Sizes.format(bytes(job)),
            resources);
  }

  private static int cpuMillis(JobSpec job) {
    return job.cpu() == null ? 0 : (int) Math.round(job.cpu() * MILLIS);
  }

  private static String amount(int cpuMillis) {
    return cpuMillis % MILLIS == 0
        ? String.valueOf(cpuMillis / MILLIS)
        : String.valueOf((double) cpuMillis / MILLIS);
  }

  private static long bytes(JobSpec job) {
    return job.memory() == null ? 0 : job.memory().bytes();
  }
}
