package io.millrace.api.partition;

import java.time.Instant;
import java.util.List;

/**
 * What a member is to do.
 *
 * @param revision of the group by which it was decided
 * @param resources its own, in the order given
 * @param cycle when the cycle began, by the database's clock; null when no interval was given
 * @param waits whether it joined within the cycle and has a part from the next one on
 */
public record MineAnswer(long revision, List<String> resources, Instant cycle, boolean waits) {
  public MineAnswer {
    resources = List.copyOf(resources);
  }
}
