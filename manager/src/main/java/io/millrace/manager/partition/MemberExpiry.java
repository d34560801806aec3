package io.millrace.manager.partition;

import io.millrace.manager.partition.MemberDao.MemberRow;
import io.millrace.platform.claim.Claim;
import io.millrace.platform.claim.ClaimDao;
import io.millrace.platform.claim.ClaimedDuty;
import io.millrace.platform.clock.Clock;
import io.millrace.platform.database.Database;
import io.millrace.platform.database.WriteProof;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jdbi.v3.core.Handle;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Ends the lives of members that are silent for longer than they may (C-06), and forgets who left
 * long ago and what groups shared that share nothing any more. A claimed duty of one thread; every
 * central manager watches, so that who takes the duty over knows already who is silent.
 */
public final class MemberExpiry implements ClaimedDuty.Duty {
  /** Between two looks. */
  public static final Duration LOOK = Duration.ofMillis(500);

  private static final Logger LOGGER = LoggerFactory.getLogger(MemberExpiry.class);

  // Half of the shortest time to live: a shorter gap may hide an outage, but ends nobody's life,
  // who renews three times per time to live.
  private static final Duration LONGEST_GAP = Duration.ofMillis(1_500);

  // Twice the longest interval of cycles.
  private static final Duration REMEMBERED = Duration.ofDays(2);

  private final Database database;
  private final ClaimDao claims;
  private final GroupDao groups = new GroupDao();
  private final MemberDao members;
  private final CycleDao cycles;
  private final ResourceDao resources = new ResourceDao();
  private final Clock clock;
  private final MemberSilence silence;
  // Only touched by the duty's thread.
  private List<MemberRow> silent = List.of();

  public MemberExpiry(Database database, ClaimDao claims, Clock clock, WriteProof proof) {
    this.database = database;
    this.claims = claims;
    this.members = new MemberDao(database.dialect());
    this.cycles = new CycleDao(database.dialect());
    this.clock = clock;
    this.silence = new MemberSilence(LONGEST_GAP, proof::require);
  }

  @Override
  public void observe() {
    silent = List.of();
    silent = silence.look(() -> database.read(members::all), clock::nanoTime);
  }

  /** One run under the claim, on what was observed just before. */
  @Override
  public void run(Claim claim) {
    for (MemberRow one : silent) {
      if (database.transaction(handle -> claims.lock(handle, claim) && lose(handle, one))) {
        LOGGER.warn(
            "member {} of partition group {} is lost: silent for {}",
            one.name(),
            one.group(),
            one.ttl());
      }
    }
    database.transaction(
        handle -> claims.lock(handle, claim) ? members.forget(handle, REMEMBERED) : 0);
    List<String> abandoned = database.read(handle -> cycles.abandoned(handle, REMEMBERED));
    for (String group : abandoned) {
      database.transaction(handle -> claims.lock(handle, claim) && forget(handle, group));
    }
  }

  private boolean forget(Handle handle, String group) {
    groups.lock(handle, group);
    // Somebody may have begun a cycle since the look.
    boolean abandoned = cycles.abandoned(handle, REMEMBERED).contains(group);
    if (abandoned) {
      cycles.forget(handle, group);
      resources.forget(handle, group);
    }
    return abandoned;
  }

  private boolean lose(Handle handle, MemberRow one) {
    groups.lock(handle, one.group());
    boolean lost = members.lose(handle, one);
    if (lost) {
      groups.advance(handle, one.group());
    }
    return lost;
  }

  /**
   * Measures how long members have been silent, on this process's monotonic clock from the first
   * look that found their last heartbeat: no step of any clock ends a membership. After a gap
   * between two looks, or when the database took no writes before one, all silences begin anew,
   * because what was away then may be what heartbeats go through. Remembers the last look; not
   * thread-safe.
   */
  static final class MemberSilence {
    private record Life(String group, String name, long term, long beats) {
      static Life of(MemberRow row) {
        return new Life(row.group(), row.name(), row.term(), row.beats());
      }
    }

    private final long longestGapNanos;
    private final Runnable proof;
    private Map<Life, Long> since = Map.of();
    private long lastNanos;

    /**
     * A watch that has seen nothing.
     *
     * @param longestGap between two looks, beyond which nothing is known of the time between
     * @param proof that writes get through; throws when they do not
     */
    MemberSilence(Duration longestGap, Runnable proof) {
      this.longestGapNanos = longestGap.toNanos();
      this.proof = proof;
    }

    /**
     * Looks at the members once it is proved that writes get through; blocks as what it asks does.
     *
     * @param members reads them; asked after the proof
     * @param monotonic this process's clock, in nanoseconds; asked after that
     * @return those who live and have been silent for longer than they may
     * @throws RuntimeException what the proof threw; then all that was seen before is forgotten
     */
    List<MemberRow> look(Supplier<List<MemberRow>> members, LongSupplier monotonic) {
      try {
        proof.run();
      } catch (RuntimeException refused) {
        since = Map.of();
        throw refused;
      }
      return note(members.get(), monotonic.getAsLong());
    }

    private List<MemberRow> note(List<MemberRow> rows, long nanos) {
      boolean gap = nanos - lastNanos > longestGapNanos;
      Map<Life, Long> next = new HashMap<>();
      List<MemberRow> silent = new ArrayList<>();
      for (MemberRow row : rows) {
        if (row.lives()) {
          Life life = Life.of(row);
          long from = gap ? nanos : since.getOrDefault(life, nanos);
          next.put(life, from);
          if (nanos - from >= row.ttl().toNanos()) {
            silent.add(row);
          }
        }
      }
      since = next;
      lastNanos = nanos;
      return silent;
    }
  }
}
