package io.millrace.manager.insight;

import io.millrace.api.job.AttemptId;
import io.millrace.api.job.WaitCode;
import io.millrace.api.job.WaitReason;
import io.millrace.manager.dispatch.PoolReader;
import io.millrace.manager.placement.JobVerdict;
import io.millrace.manager.placement.LicenceDao;
import io.millrace.manager.placement.Shape;
import io.millrace.manager.placement.ShapeDao;
import io.millrace.manager.placement.Verdicts;
import io.millrace.platform.claim.Claims;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.jdbi.v3.core.Handle;

/** Why no node runs a job that may be placed, by placement's own rules. Thread-safe. */
final class PlacementReasons {
  private static final String DISPATCH = "dispatch:";
  private static final int MOST_HOLDERS = 5;
  // So long after it became ready, somebody should have looked at it.
  private static final Duration UNHEARD = Duration.ofSeconds(3);
  private static final Set<WaitCode> SAID_BY_DISPATCH = Set.of(WaitCode.TURN, WaitCode.RESERVED);

  /**
   * What placement says.
   *
   * @param reasons the deciding one first
   * @param verdict what each node says
   */
  record Said(List<WaitReason> reasons, JobVerdict verdict) {}

  private final PoolReader pools;
  private final ShapeDao shapes;
  private final Claims claims;
  private final Turn turn;
  private final LicenceDao licences = new LicenceDao();
  private final ShapeWaitDao waits = new ShapeWaitDao();

  PlacementReasons(PoolReader pools, ShapeDao shapes, Claims claims) {
    this.pools = pools;
    this.shapes = shapes;
    this.claims = claims;
    this.turn = new Turn(shapes);
  }

  /** The pools whose jobs somebody places now. */
  Set<String> dispatched() {
    return claims.list().stream()
        .filter(state -> state.live() && state.claim().resource().startsWith(DISPATCH))
        .map(state -> state.claim().resource().substring(DISPATCH.length()))
        .collect(Collectors.toSet());
  }

  Said of(Handle handle, WaitFacts job, Set<String> dispatched, Instant now) {
    Shape shape = shapes.find(handle, List.of(job.shape())).get(job.shape());
    if (shape == null) {
      return new Said(List.of(WaitHistory.UNNOTED), new JobVerdict(WaitHistory.UNNOTED, List.of()));
    }
    JobVerdict verdict =
        Verdicts.of(pools.peek(handle, job.pool(), now), shape, job.near(), job.definition());
    List<WaitReason> reasons = new ArrayList<>();
    Instant since = job.readyAt();
    boolean unheard = since != null && since.plus(UNHEARD).isBefore(now);
    if (unheard && !dispatched.contains(job.pool())) {
      reasons.add(
          new WaitReason(
              WaitCode.NO_DISPATCH,
              "no central manager places jobs of pool " + job.pool() + " at the moment"));
    }
    Optional<WaitReason> first = turn.of(handle, job, shape, now);
    if (verdict.reason() != null) {
      reasons.add(withHolders(handle, verdict.reason(), shape));
      first.ifPresent(reasons::add);
    } else {
      reasons.addAll(whyNotYet(handle, job, first));
    }
    return new Said(reasons, verdict);
  }

  // A node could take it if it were alone; the dispatch knows what it isn't alone with.
  private List<WaitReason> whyNotYet(Handle handle, WaitFacts job, Optional<WaitReason> first) {
    Optional<WaitReason> said =
        waits.current(handle, job.shape()).filter(why -> SAID_BY_DISPATCH.contains(why.code()));
    if (said.isPresent() && said.get().code() == WaitCode.RESERVED) {
      return List.of(said.get());
    }
    return List.of(
        first.or(() -> said).orElse(new WaitReason(WaitCode.SOON, "is about to be placed")));
  }

  private WaitReason withHolders(Handle handle, WaitReason reason, Shape shape) {
    if (reason.code() != WaitCode.LICENCE) {
      return reason;
    }
    List<String> holders =
        licences.holdings(handle).stream()
            .filter(held -> shape.licences().keySet().stream().anyMatch(held.amount()::containsKey))
            .map(held -> words(held.attempt()))
            .toList();
    if (holders.isEmpty()) {
      return reason;
    }
    String more = holders.size() > MOST_HOLDERS ? " and " + (holders.size() - MOST_HOLDERS) : "";
    String noun = holders.size() == 1 ? " by job " : " by jobs ";
    return new WaitReason(
        reason.code(),
        reason.words()
            + noun
            + holders.stream().limit(MOST_HOLDERS).collect(Collectors.joining(", "))
            + more);
  }

  private static String words(AttemptId attempt) {
    return attempt.job() + "." + attempt.number();
  }
}
