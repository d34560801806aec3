package io.millrace.manager.insight;

import io.millrace.manager.pacing.AllowanceDao;
import io.millrace.manager.pacing.DecisionDao;
import io.millrace.manager.pacing.OverrideDao;
import io.millrace.manager.pacing.PacingStateDao;
import io.millrace.manager.pacing.RateDao;
import io.millrace.manager.sample.SampleKeeping;
import io.millrace.manager.weight.WeightDao;
import io.millrace.manager.weight.WeightDecisionDao;
import io.millrace.platform.claim.Claim;
import io.millrace.platform.claim.ClaimDao;
import io.millrace.platform.claim.RetentionRounds;
import io.millrace.platform.database.Database;
import java.time.Duration;
import java.time.Instant;

/**
 * Adds samples up to minutes, and deletes old samples, decisions and versions of weights, in short
 * transactions, each under the claim of the duty. A run ends well before its claim expires; the
 * next one continues.
 */
public final class QueueRetention {
  private static final Duration DECISIONS = Duration.ofDays(30);

  private final Database database;
  private final ClaimDao claims;

  public QueueRetention(Database database, ClaimDao claims) {
    this.database = database;
    this.claims = claims;
  }

  /** Deletes what is due, or a part of it; stops when the claim is lost. Blocks. */
  public void forget(Claim claim) {
    Instant now = database.now();
    RetentionRounds rounds = new RetentionRounds(database, handle -> claims.lock(handle, claim));
    SampleKeeping.addTo(rounds, database, now);
    Instant before = now.minus(DECISIONS);
    rounds
        .add(handle -> DecisionDao.forgetSome(handle, before))
        .add(handle -> WeightDecisionDao.forgetSome(handle, before))
        .add(handle -> WeightDao.forgetSomeVersions(handle, before))
        .add(handle -> OverrideDao.forgetSome(handle, before))
        .add(handle -> PacingStateDao.forgetSome(handle, before))
        .add(handle -> AllowanceDao.forgetSome(handle, before))
        .add(handle -> RateDao.forgetSome(handle, before))
        .run();
  }
}
