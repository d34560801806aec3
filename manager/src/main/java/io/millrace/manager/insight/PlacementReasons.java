package io.millrace.manager.insight;

import io.millrace.api.job.AttemptId;
import io.millrace.api.job.JobExplanation.WaitReason;
import io.millrace.api.job.WaitCode;
import io.millrace.manager.dispatch.PoolReader;
import io.millrace.manager.insight.WaitFactsDao.WaitFacts;
import io.millrace.manager.job.ReadyJobDao;
import io.millrace.manager.job.ReadyJobDao.Head;
import io.millrace.manager.placement.FairShareDao;
import io.millrace.manager.placement.LicenceDao;
import io.millrace.manager.placement.PlacementPlan.JobVerdict;
import io.millrace.manager.placement.PlacementPlan.ShareTurn;
import io.millrace.manager.placement.PlacementSnapshot;
import io.millrace.manager.placement.Placer;
import io.millrace.manager.placement.Shape;
import io.millrace.manager.placement.ShapeDao;
import io.millrace.platform.claim.ClaimDao;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.jdbi.v3.core.Handle;

/** Why no node runs a job that may be placed, by the rules of the placement. Thread-safe. */
final class PlacementReasons {
  private static final String DISPATCH = "dispatch:";
  private static final int MAX_HOLDERS = 5;
  // Within this time after it became ready, it should have been dispatched.
  private static final Duration DISPATCHED_WITHIN = Duration.ofSeconds(3);
  private static final Set<WaitCode> KNOWN_TO_DISPATCH = Set.of(WaitCode.TURN, WaitCode.RESERVED);

  /**
   * The answer of the placement.
   *
   * @param reasons the decisive one first
   * @param verdict the answer of each node
   */
  record PlacementVerdict(List<WaitReason> reasons, JobVerdict verdict) {}

  private final PoolReader pools;
  private final ShapeDao shapes;
  private final ClaimDao claims;
  private final Turn turn;
  private final LicenceDao licences = new LicenceDao();
  private final ShapeWaitDao waits = new ShapeWaitDao();

  PlacementReasons(PoolReader pools, ShapeDao shapes, ClaimDao claims) {
    this.pools = pools;
    this.shapes = shapes;
    this.claims = claims;
    this.turn = new Turn(shapes);
  }

  /** The pools that are being dispatched. */
  Set<String> dispatched() {
    return claims.list().stream()
        .filter(state -> state.live() && state.claim().resource().startsWith(DISPATCH))
        .map(state -> state.claim().resource().substring(DISPATCH.length()))
        .collect(Collectors.toSet());
  }

  PlacementVerdict of(Handle handle, WaitFacts job, Set<String> dispatched, Instant now) {
    Shape shape = shapes.find(handle, List.of(job.shape())).get(job.shape());
    if (shape == null) {
      return new PlacementVerdict(
          List.of(WaitHistory.UNRECORDED), new JobVerdict(WaitHistory.UNRECORDED, List.of()));
    }
    JobVerdict verdict =
        Placer.explain(pools.peek(handle, job.pool(), now), shape, job.near(), job.definition());
    List<WaitReason> reasons = new ArrayList<>();
    Instant since = job.readyAt();
    boolean overdue = since != null && since.plus(DISPATCHED_WITHIN).isBefore(now);
    if (overdue && !dispatched.contains(job.pool())) {
      reasons.add(
          new WaitReason(
              WaitCode.NO_DISPATCH, "no central manager is dispatching pool " + job.pool()));
    }
    Optional<WaitReason> first = turn.of(handle, job, shape, now);
    if (verdict.reason() != null) {
      reasons.add(withHolders(handle, verdict.reason(), shape));
      first.ifPresent(reasons::add);
    } else {
      reasons.addAll(whyNotYet(handle, job, first));
    }
    return new PlacementVerdict(reasons, verdict);
  }

  /** Those of the jobs that some node would take now if they were alone. */
  Set<Long> taken(Handle handle, Collection<WaitFacts> jobs, Instant now) {
    Map<Long, Shape> byId =
        shapes.find(handle, jobs.stream().map(WaitFacts::shape).distinct().toList());
    Map<String, PlacementSnapshot> seen = new HashMap<>();
    Set<Long> taken = new HashSet<>();
    for (WaitFacts job : jobs) {
      Shape shape = byId.get(job.shape());
      PlacementSnapshot pool =
          seen.computeIfAbsent(job.pool(), name -> pools.peek(handle, name, now));
      if (shape != null
          && Placer.explain(pool, shape, job.near(), job.definition()).reason() == null) {
        taken.add(job.id());
      }
    }
    return taken;
  }

  // A node could take it if it were alone; the dispatch knows the competing jobs.
  private List<WaitReason> whyNotYet(Handle handle, WaitFacts job, Optional<WaitReason> first) {
    Optional<WaitReason> recorded =
        waits.current(handle, job.shape()).filter(why -> KNOWN_TO_DISPATCH.contains(why.code()));
    if (recorded.isPresent() && recorded.get().code() == WaitCode.RESERVED) {
      return List.of(recorded.get());
    }
    return List.of(
        first.or(() -> recorded).orElse(new WaitReason(WaitCode.SOON, "is about to be placed")));
  }

  private WaitReason withHolders(Handle handle, WaitReason reason, Shape shape) {
    if (reason.code() != WaitCode.LICENCE) {
      return reason;
    }
    List<String> holders =
        licences.holdings(handle).stream()
            .filter(held -> shape.licences().keySet().stream().anyMatch(held.amount()::containsKey))
            .map(held -> attemptName(held.attempt()))
            .toList();
    if (holders.isEmpty()) {
      return reason;
    }
    String more = holders.size() > MAX_HOLDERS ? " and " + (holders.size() - MAX_HOLDERS) : "";
    String noun = holders.size() == 1 ? " by job " : " by jobs ";
    return new WaitReason(
        reason.code(),
        reason.words()
            + noun
            + holders.stream().limit(MAX_HOLDERS).collect(Collectors.joining(", "))
            + more);
  }

  private static String attemptName(AttemptId attempt) {
    return attempt.job() + "." + attempt.number();
  }

  /** Determines which jobs come before a job that waits to be placed. Thread-safe. */
  private static final class Turn {
    private static final int MAX_SHAPES = 200;
    private static final int MAX_JOBS = 10_000;
    private static final int MAX_NAMES = 3;

    private final ReadyJobDao ready = new ReadyJobDao();
    private final FairShareDao shares = new FairShareDao();
    private final WaitFactsDao facts = new WaitFactsDao();
    private final ShapeDao shapes;

    Turn(ShapeDao shapes) {
      this.shapes = shapes;
    }

    /** The jobs that come first; empty if none do. */
    Optional<WaitReason> of(Handle handle, WaitFacts job, Shape own, Instant now) {
      List<String> parts = new ArrayList<>();
      Collection<Shape> others = others(handle, job, now).values();
      SortedSet<Integer> higher =
          others.stream()
              .map(Shape::priority)
              .filter(priority -> priority > own.priority())
              .collect(Collectors.toCollection(TreeSet::new));
      if (!higher.isEmpty()) {
        parts.add("jobs of priority %s (it has %d)".formatted(names(higher), own.priority()));
      }
      SortedSet<String> sharesAhead = sharesAhead(handle, own, others);
      if (!sharesAhead.isEmpty()) {
        String share =
            sharesAhead.size() == 1
                ? "share %s, which has used less of its fair share than %s"
                : "shares %s, which have used less of their fair shares than %s";
        parts.add(share.formatted(names(sharesAhead), own.share()));
      }
      int before = job.readyAt() == null ? 0 : facts.before(handle, job, MAX_JOBS);
      if (before > 0) {
        String count = before == MAX_JOBS ? "over " + MAX_JOBS : Integer.toString(before);
        parts.add(
            count + (before == 1 ? " older job" : " older jobs") + " with the same requirements");
      }
      return parts.isEmpty()
          ? Optional.empty()
          : Optional.of(new WaitReason(WaitCode.TURN, "after " + String.join("; ", parts)));
    }

    private Map<Long, Shape> others(Handle handle, WaitFacts job, Instant now) {
      List<Long> ids = new ArrayList<>();
      Optional<Head> next = ready.nextShape(handle, job.pool(), 0);
      while (next.isPresent() && ids.size() < MAX_SHAPES) {
        long shape = next.get().shape();
        if (shape != job.shape() && !next.get().job().readyAt().isAfter(now)) {
          ids.add(shape);
        }
        next = ready.nextShape(handle, job.pool(), shape);
      }
      return shapes.find(handle, ids);
    }

    private SortedSet<String> sharesAhead(Handle handle, Shape own, Collection<Shape> others) {
      SortedSet<String> competitors =
          others.stream()
              .filter(other -> other.priority() == own.priority())
              .map(Shape::share)
              .filter(share -> !share.equals(own.share()))
              .collect(Collectors.toCollection(TreeSet::new));
      if (competitors.isEmpty()) {
        return competitors;
      }
      List<String> all = new ArrayList<>(competitors);
      all.add(own.share());
      double time = shares.virtualTime(handle, own.pool());
      Map<String, Double> passes = new HashMap<>();
      shares
          .turns(handle, own.pool(), all)
          .forEach((share, turn) -> passes.put(share, pass(turn, time)));
      double mine = passes.getOrDefault(own.share(), time);
      competitors.removeIf(share -> passes.getOrDefault(share, time) >= mine);
      return competitors;
    }

    // An idle share begins at the virtual time of the pool.
    private static double pass(ShareTurn turn, double time) {
      return Math.max(turn.pass(), time);
    }

    private static String names(Collection<?> names) {
      String shown =
          names.stream().limit(MAX_NAMES).map(String::valueOf).collect(Collectors.joining(", "));
      return names.size() > MAX_NAMES ? shown + " and " + (names.size() - MAX_NAMES) : shown;
    }
  }
}
