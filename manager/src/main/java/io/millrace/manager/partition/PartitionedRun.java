package io.millrace.manager.partition;

import io.millrace.api.Pure;
import io.millrace.api.job.JobDraft;
import io.millrace.api.job.JobSpec;
import io.millrace.api.job.RetryPolicy;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;

/**
 * How a run of a partitioned task polls: the resources discovered at its start become batches, each
 * of one member of the ring and for one worker. A failed batch is polled again resource by
 * resource, to isolate the bad one. Pure.
 *
 * <p>A batch is stored as text with one resource per line.
 */
@Pure
public final class PartitionedRun {
  /** Retries of a single resource unless the job sets its own. */
  private static final int USUAL_RETRIES = 2;

  /** Longest text of a batch, so that it fits into a variable of a worker's environment. */
  private static final int LONGEST = 30_000;

  private static final int LONGEST_NAME = 100;

  private PartitionedRun() {}

  /**
   * The batches of a run in the order in which they are polled: first one of each member, then the
   * next of each, so that all members work until the end.
   *
   * @param discovered resources; duplicates count once
   * @param ring of the members at the start; without members the given order is kept
   * @param size maximum size of a batch
   */
  public static List<String> batches(Collection<String> discovered, Ring ring, int size) {
    Collection<String> resources = new LinkedHashSet<>(discovered);
    Collection<List<String>> shares =
        ring.members().isEmpty() ? List.of(List.copyOf(resources)) : ring.split(resources).values();
    List<List<String>> cut = shares.stream().map(share -> cut(share, size)).toList();
    List<String> batches = new ArrayList<>();
    int max = cut.stream().mapToInt(List::size).max().orElse(0);
    for (int turn = 0; turn < max; turn++) {
      for (List<String> share : cut) {
        if (turn < share.size()) {
          batches.add(share.get(turn));
        }
      }
    }
    return batches;
  }

  private static List<String> cut(List<String> share, int size) {
    List<String> batches = new ArrayList<>();
    StringBuilder text = new StringBuilder();
    int count = 0;
    for (String resource : share) {
      if (count == size || (count > 0 && text.length() + 1 + resource.length() > LONGEST)) {
        batches.add(text.toString());
        text.setLength(0);
        count = 0;
      }
      text.append(count == 0 ? "" : "\n").append(resource);
      count++;
    }
    if (count > 0) {
      batches.add(text.toString());
    }
    return batches;
  }

  /** The resources of a batch. */
  public static List<String> resources(String batch) {
    return batch.lines().toList();
  }

  /** Whether a batch that failed is to be polled again resource by resource. */
  public static boolean isSplittable(String batch) {
    return batch.indexOf('\n') >= 0;
  }

  /**
   * The worker of a batch. It prefers the member of the ring to which the batch belongs, but does
   * not wait for it: if that member is lost or busy, another polls the batch in the same interval.
   *
   * @param plain the spec as for other workers of the task
   * @param ring of the current members
   * @param ends when the next interval begins, the deadline of the worker
   */
  public static JobSpec worker(JobSpec plain, String batch, Ring ring, Instant ends) {
    List<String> resources = resources(batch);
    JobDraft draft = plain.draft().deadline(ends);
    if (resources.size() > 1) {
      String name = plain.name().lines().findFirst().orElseThrow();
      name = name.substring(0, Math.min(LONGEST_NAME, name.length()));
      // Retried resource by resource; the loss of its node does not count as a failure.
      draft.name(name + " and " + (resources.size() - 1) + " more").retry(RetryPolicy.NONE);
    } else if (plain.retry().equals(RetryPolicy.NONE)) {
      draft.retry(RetryPolicy.upTo(USUAL_RETRIES));
    }
    if (plain.rank() == null) {
      ring.owner(resources.get(0)).ifPresent(owner -> draft.rank(preference(owner)));
    }
    return draft.spec();
  }

  // Names of nodes contain neither quotes nor backslashes.
  private static String preference(String node) {
    return "name == \"" + node + "\"";
  }

  /**
   * When the interval of a run ends: when the next one begins, or later by as much as it was late.
   */
  public static Instant ends(Instant planned, Instant started, Duration interval) {
    Instant next = planned.plus(interval);
    return next.isAfter(started) ? next : started.plus(interval);
  }
}
