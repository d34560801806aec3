package io.millrace.manager.partition;

import io.millrace.manager.partition.MemberDao.MemberRow;
import io.millrace.platform.claim.Claim;
import io.millrace.platform.claim.ClaimDao;
import io.millrace.platform.claim.ClaimedDuty;
import io.millrace.platform.clock.Clock;
import io.millrace.platform.database.Database;
import io.millrace.platform.database.WriteProof;
import java.time.Duration;
import java.util.List;
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
}
