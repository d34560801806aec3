package io.millrace.queuenode.store;

import java.time.Instant;
import java.util.Set;

/**
 * Which dead letters are meant; every condition that is given must hold. Pure.
 *
 * @param seqs of these sequence numbers; null for any
 * @param ids of events with these ids; null for any
 * @param reasonContains whose reason holds this text; null for any
 * @param diedBy that died no later; null for any
 */
public record DeadChoice(Set<Long> seqs, Set<String> ids, String reasonContains, Instant diedBy) {
  /** Every dead letter. */
  public static final DeadChoice ALL = new DeadChoice(null, null, null, null);

  /** Whether the reason must be known for the choice. */
  boolean needsReason() {
    return reasonContains != null;
  }

  boolean takes(Rows.Row row, String reason) {
    return (seqs == null || seqs.contains(row.standing().seq()))
        && (ids == null || ids.contains(row.event().id()))
        && (reasonContains == null || (reason != null && reason.contains(reasonContains)))
        && (diedBy == null || row.standing().heldAt() <= diedBy.toEpochMilli());
  }
}
