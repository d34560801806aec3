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
 * Removes members that have been silent for longer than their time to live (C-06), and deletes old
 * rows of former members and of abandoned groups. A claimed duty of one thread; every central
 * manager observes, so that the one that takes over the duty knows who is silent.
 */
public final class MemberExpiry implements ClaimedDuty.Duty {
  /** The interval between two observations. */
  public static final Duration CHECK_INTERVAL = Duration.ofMillis(500);

  private static final Logger LOGGER = LoggerFactory.getLogger(MemberExpiry.class);

  // Half of the shortest time to live: a shorter gap may hide an outage, but removes no member,
  // because members renew three times per time to live.
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
    silent = silence.check(() -> database.read(members::all), clock::nanoTime);
  }

  /** One run under the claim, based on the observation just before. */
  @Override
  public void run(Claim claim) {
    for (MemberRow one : silent) {
      if (database.transaction(handle -> claims.lock(handle, claim) && lose(handle, one))) {
        LOGGER.warn(
            "member {} of partition group {} is lost after {} of silence",
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
    // A cycle may have started since the observation.
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
   * observation of their last heartbeat: no step of any clock ends a membership. After a gap
   * between two observations, or when the database took no writes before one, all silences restart
   * , because the path of the heartbeats itself may have been interrupted. Stateful; not
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
     * A watch without observations.
     *
     * @param longestGap between two observations, beyond which the time between does not count
     * @param proof checks that writes succeed; throws if they do not
     */
    MemberSilence(Duration longestGap, Runnable proof) {
      this.longestGapNanos = longestGap.toNanos();
      this.proof = proof;
    }

    /**
     * Observes the members after checking that writes succeed. Blocks as its arguments do.
     *
     * @param members reads the members; called after the check
     * @param monotonic this process's clock, in nanoseconds; read after that
     * @return current members that have been silent for longer than their time to live
     * @throws RuntimeException the failure of the check; earlier observations are discarded then
     */
    List<MemberRow> check(Supplier<List<MemberRow>> members, LongSupplier monotonic) {
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
        if (row.isAlive()) {
          Life incarnation = Life.of(row);
          long from = gap ? nanos : since.getOrDefault(incarnation, nanos);
          next.put(incarnation, from);
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
