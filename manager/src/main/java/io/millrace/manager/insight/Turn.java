package io.millrace.manager.insight;

import io.millrace.api.job.WaitCode;
import io.millrace.api.job.WaitReason;
import io.millrace.manager.job.ReadyJobDao;
import io.millrace.manager.job.ReadyJobDao.Head;
import io.millrace.manager.placement.FairShareDao;
import io.millrace.manager.placement.Shape;
import io.millrace.manager.placement.ShapeDao;
import io.millrace.manager.placement.ShareTurn;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.jdbi.v3.core.Handle;

/** Says who comes before a job that waits to be placed. Thread-safe. */
final class Turn {
  private static final int MOST_SHAPES = 200;
  private static final int MOST_JOBS = 10_000;
  private static final int MOST_NAMES = 3;

  private final ReadyJobDao ready = new ReadyJobDao();
  private final FairShareDao shares = new FairShareDao();
  private final WaitFactsDao facts = new WaitFactsDao();
  private final ShapeDao shapes;

  Turn(ShapeDao shapes) {
    this.shapes = shapes;
  }

  /** Who comes first; empty when nobody does. */
  Optional<WaitReason> of(Handle handle, WaitFacts job, Shape own, Instant now) {
    List<String> parts = new ArrayList<>();
    Collection<Shape> others = others(handle, job, now).values();
    SortedSet<Integer> higher =
        others.stream()
            .map(Shape::priority)
            .filter(priority -> priority > own.priority())
            .collect(Collectors.toCollection(TreeSet::new));
    if (!higher.isEmpty()) {
      parts.add("jobs of priority " + names(higher) + " (it has " + own.priority() + ")");
    }
    SortedSet<String> sharesAhead = sharesAhead(handle, own, others);
    if (!sharesAhead.isEmpty()) {
      String noun = sharesAhead.size() == 1 ? "share " : "shares ";
      parts.add(noun + names(sharesAhead) + ", with less of their part than " + own.share());
    }
    int before = job.readyAt() == null ? 0 : facts.before(handle, job, MOST_JOBS);
    if (before > 0) {
      String count = before == MOST_JOBS ? "over " + MOST_JOBS : Integer.toString(before);
      parts.add(count + (before == 1 ? " older job" : " older jobs") + " like it");
    }
    return parts.isEmpty()
        ? Optional.empty()
        : Optional.of(new WaitReason(WaitCode.TURN, "first come " + String.join("; ", parts)));
  }

  private Map<Long, Shape> others(Handle handle, WaitFacts job, Instant now) {
    List<Long> ids = new ArrayList<>();
    Optional<Head> next = ready.nextShape(handle, job.pool(), 0);
    while (next.isPresent() && ids.size() < MOST_SHAPES) {
      long shape = next.get().shape();
      if (shape != job.shape() && !next.get().job().readyAt().isAfter(now)) {
        ids.add(shape);
      }
      next = ready.nextShape(handle, job.pool(), shape);
    }
    return shapes.find(handle, ids);
  }

  private SortedSet<String> sharesAhead(Handle handle, Shape own, Collection<Shape> others) {
    SortedSet<String> rivals =
        others.stream()
            .filter(other -> other.priority() == own.priority())
            .map(Shape::share)
            .filter(share -> !share.equals(own.share()))
            .collect(Collectors.toCollection(TreeSet::new));
    if (rivals.isEmpty()) {
      return rivals;
    }
    List<String> all = new ArrayList<>(rivals);
    all.add(own.share());
    double time = shares.virtualTime(handle, own.pool());
    Map<String, Double> passes = new HashMap<>();
    shares
        .turns(handle, own.pool(), all)
        .forEach((share, turn) -> passes.put(share, pass(turn, time)));
    double mine = passes.getOrDefault(own.share(), time);
    rivals.removeIf(share -> passes.getOrDefault(share, time) >= mine);
    return rivals;
  }

  // Whoever was away begins where the pool has come.
  private static double pass(ShareTurn turn, double time) {
    return Math.max(turn.pass(), time);
  }

  private static String names(Collection<?> names) {
    String shown =
        names.stream().limit(MOST_NAMES).map(String::valueOf).collect(Collectors.joining(", "));
    return names.size() > MOST_NAMES ? shown + " and " + (names.size() - MOST_NAMES) : shown;
  }
}
