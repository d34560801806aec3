package io.millrace.api.partition;

import java.time.Duration;
import java.util.List;

/**
 * What a member has in its hands.
 *
 * @param cycle number of the cycle; to be said with what is done
 * @param resources all that the member is to poll now: what it was given and has not reported, and
 *     the next ones; none when the rest is in others' hands, or when it waits
 * @param recorded how many of those reported counted; the others were given to somebody else
 *     meanwhile, or had been reported before
 * @param finished whether every resource of the cycle is recorded
 * @param waits whether the member joined within the cycle and has a part from the next one on,
 *     unless all who have one are gone
 * @param left until the next cycle may begin, by the database's clock; zero when it may now
 */
public record NextAnswer(
    long cycle,
    List<String> resources,
    int recorded,
    boolean finished,
    boolean waits,
    Duration left) {
  public NextAnswer {
    resources = List.copyOf(resources);
  }
}
