package io.millrace.tests.drill.check;

import io.millrace.api.job.WaitCode;
import io.millrace.tests.drill.check.Availability.Span;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Whether slots were idle while a job waited that could use them: one node had enough free slots
 * for the job for longer than a limit, and the job had no wait reason other than missing slots.
 * Time without a central manager or without samples is not counted; a job whose wait reason was not
 * requested is not checked. Pure.
 */
public final class IdleSlots {
  /** Seconds for which a slot may be idle while a job waits. */
  public static final double LIMIT = 15;

  // The other reasons state that slots are missing or that placement is due: that is what is
  // checked.
  private static final Set<WaitCode> HOLD_BACK =
      EnumSet.of(
          WaitCode.HELD,
          WaitCode.NOT_BEFORE,
          WaitCode.BACKOFF,
          WaitCode.DEPENDENCY,
          WaitCode.LANE,
          WaitCode.ARRAY_LIMIT,
          WaitCode.ARRAY_TURN,
          WaitCode.NO_MATCH,
          WaitCode.NO_USER,
          WaitCode.TOO_LARGE,
          WaitCode.NO_RESOURCE,
          WaitCode.LICENCE,
          WaitCode.QUICK_FAILURES,
          WaitCode.NOT_ASKED,
          WaitCode.RESERVED);

  private record Pair(long job, String node) {}

  private final Availability availability;
  private final Map<Long, Integer> slots;
  private final double limit;
  private final double gap;
  private final Map<Pair, Double> since = new HashMap<>();
  private final Set<Long> reported = new HashSet<>();
  private final List<String> violations = new ArrayList<>();

  private IdleSlots(Availability availability, Map<Long, Integer> slots, double limit, double gap) {
    this.availability = availability;
    this.slots = slots;
    this.limit = limit;
    this.gap = gap;
  }

  /**
   * Checks samples; each job is reported once.
   *
   * @param slots the slots that a job takes, if not one
   * @param limit seconds for which a slot may be idle
   * @param gap seconds between two samples beyond which the time between counts as unknown
   */
  public static List<String> violations(
      List<ClusterSample> samples,
      Availability availability,
      Map<Long, Integer> slots,
      double limit,
      double gap) {
    IdleSlots judge = new IdleSlots(availability, slots, limit, gap);
    double before = Double.NEGATIVE_INFINITY;
    for (ClusterSample sample :
        samples.stream().sorted(Comparator.comparingDouble(ClusterSample::at)).toList()) {
      judge.take(sample, before);
      before = sample.at();
    }
    return judge.violations;
  }

  private void take(ClusterSample sample, double before) {
    if (sample.at() - before > gap || availability.outage(new Span(before, sample.at()))) {
      since.clear();
    }
    Map<Pair, Double> still = new HashMap<>();
    for (ClusterSample.WaitingJob job : sample.waiting()) {
      if (job.codes().stream().anyMatch(HOLD_BACK::contains)) {
        continue;
      }
      for (ClusterSample.Node node : sample.nodes()) {
        if (!node.lost() && node.freeSlots() >= slots.getOrDefault(job.id(), 1)) {
          Pair pair = new Pair(job.id(), node.name());
          still.put(pair, since.getOrDefault(pair, sample.at()));
        }
      }
    }
    since.clear();
    since.putAll(still);
    for (ClusterSample.WaitingJob job : sample.waiting()) {
      for (ClusterSample.Node node : sample.nodes()) {
        Double from = since.get(new Pair(job.id(), node.name()));
        boolean asked = !job.codes().isEmpty();
        if (from != null && asked && sample.at() - from > limit && reported.add(job.id())) {
          violations.add(
              "job %d waits although %s has %d slots free from %.2f to %.2f; reasons given %s"
                  .formatted(
                      job.id(), node.name(), node.freeSlots(), from, sample.at(), job.codes()));
        }
      }
    }
  }
}
