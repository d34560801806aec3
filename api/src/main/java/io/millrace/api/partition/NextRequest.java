package io.millrace.api.partition;

import io.millrace.api.ErrorCode;
import io.millrace.api.MillraceException;
import java.time.Duration;
import java.util.List;

/**
 * Reports which of a cycle's resources a member has polled, and asks for the next ones (C-01, C-07
 * to C-09).
 *
 * @param member the member's name
 * @param term of its membership
 * @param resources all that it found, which begins the next cycle if it is time for it; null to
 *     continue the current one
 * @param interval how often the group polls, 1 s to 1 day; with {@code resources} only
 * @param cycle the answer's in which {@code done} was handed out; 0 if nothing was done
 * @param done resources that were polled, successfully or not, at most 1,000
 * @param most how many the member can hold at a time, at most 1,000; 100 unless given; 0 for no
 *     others, as before it leaves
 */
public record NextRequest(
    String member,
    long term,
    List<String> resources,
    Duration interval,
    long cycle,
    List<String> done,
    Integer most) {
  /** Largest batch, and most resources that one request reports. */
  public static final int LARGEST = 1_000;

  private static final int USUAL = 100;
  private static final int LONGEST_NAME = 500;

  public NextRequest {
    require(member != null, "member is missing");
    require(
        (resources == null) == (interval == null),
        "resources and interval belong together: the list of all that was found at the beginning of a"
            + " cycle");
    resources = resources == null ? null : List.copyOf(resources);
    if (resources != null) {
      resources.forEach(NextRequest::check);
      MineRequest.checkInterval(interval);
    }
    done = done == null ? List.of() : List.copyOf(done);
    require(done.size() <= LARGEST, "done may list at most " + LARGEST + " resources");
    require(
        done.isEmpty() || cycle > 0,
        "cycle is missing: send that of the answer which listed these resources");
    most = most == null ? Integer.valueOf(USUAL) : most;
    require(most >= 0 && most <= LARGEST, "most must be from 0 to " + LARGEST);
  }

  /** Reports all of an answer as done, and requests that many others. */
  public static NextRequest after(String member, long term, NextAnswer before, int most) {
    return new NextRequest(member, term, null, null, before.cycle(), before.resources(), most);
  }

  // Databases differ in whether blanks at the end belong to a text.
  private static void check(String resource) {
    require(
        !resource.isEmpty()
            && resource.length() <= LONGEST_NAME
            && resource.equals(resource.strip()),
        "a resource must be 1 to "
            + LONGEST_NAME
            + " characters without blanks around them, not '"
            + resource.substring(0, Math.min(LONGEST_NAME, resource.length()))
            + "'");
  }

  private static void require(boolean kept, String rule) {
    if (!kept) {
      throw new MillraceException(ErrorCode.INVALID_REQUEST, rule);
    }
  }

  /**
   * What a member has in its hands.
   *
   * @param cycle number of the cycle; to be said with what is done
   * @param resources everything that the member must poll now: what was assigned to it and not
   *     reported, and the next ones; none when the rest is in others' hands, or when it waits
   * @param recorded how many of those reported counted; the others were assigned to another member
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
}
