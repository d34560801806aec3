package io.millrace.manager.pacing;

import io.millrace.api.Json;
import io.millrace.api.pacing.PacingDecisionView;
import io.millrace.api.pacing.PacingRound.PacingRecord;
import io.millrace.manager.job.SegmentKey;
import io.millrace.manager.pacing.AllowanceDao.Allowance;
import io.millrace.manager.pacing.PacingStateDao.PacingStateRow;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.jdbi.v3.core.Handle;

/**
 * Records decisions: the state of each segment's policy at every tick, and in the history the
 * decisions that are informative. Used within one transaction, which holds the locks.
 */
final class DecisionLog {
  /** How often a decision that starts and changes nothing is kept, as a sign of life. */
  private static final Duration KEEP_EVERY = Duration.ofMinutes(1);

  private final Handle handle;
  private final Instant now;

  DecisionLog(Handle handle, Instant now) {
    this.handle = handle;
    this.now = now;
  }

  void keep(Map<SegmentKey, PacingRecord> decisions) {
    if (decisions.isEmpty()) {
      return;
    }
    Set<String> queues =
        decisions.keySet().stream().map(SegmentKey::queue).collect(Collectors.toSet());
    Map<SegmentKey, PacingStateRow> before = PacingStateDao.find(handle, queues);
    Map<SegmentKey, Allowance> granted = AllowanceDao.find(handle, queues);
    Map<SegmentKey, PacingRecord> full = new HashMap<>();
    decisions.forEach(
        (segment, decision) -> full.put(segment, withRefills(decision, granted.get(segment))));
    Map<SegmentKey, PacingStateRow> next = new HashMap<>();
    Set<SegmentKey> recorded = new HashSet<>();
    full.forEach(
        (segment, decision) -> {
          PacingStateRow last = before.get(segment);
          boolean recordIt = isRecorded(decision, last);
          if (recordIt) {
            recorded.add(segment);
          }
          next.put(
              segment,
              new PacingStateRow(
                  Json.write(decision.state()),
                  now,
                  (last == null ? 0 : last.decisions()) + 1,
                  recordIt ? decision.gate() : last.keptGate(),
                  recordIt ? now : last.keptAt(),
                  unmet(decisions.get(segment)),
                  unmet(decisions.get(segment)) == 0 ? null : since(decisions.get(segment), last)));
        });
    PacingStateDao.put(handle, next);
    allow(decisions, granted);
    DecisionDao.add(
        handle,
        recorded.stream()
            .sorted(SegmentKey.ORDER)
            .collect(
                Collectors.groupingBy(
                    SegmentKey::queue,
                    Collectors.mapping(
                        segment -> view(segment, full.get(segment)), Collectors.toList()))));
  }

  /** The decision with the workers that were started since the one before as places became free. */
  private static PacingRecord withRefills(PacingRecord decision, Allowance before) {
    if (before == null || before.refilled() == 0) {
      return decision;
    }
    Map<String, Double> inputs = new TreeMap<>();
    if (decision.inputs() != null) {
      inputs.putAll(decision.inputs());
    }
    inputs.put(DecisionFigure.REFILLED.key(), (double) before.refilled());
    return new PacingRecord(
        decision.attempt(),
        decision.start() + before.refilled(),
        decision.policy(),
        decision.gate(),
        decision.reason(),
        inputs,
        decision.state(),
        decision.leave());
  }

  /** Replaces what earlier decisions left by what these leave. */
  private void allow(Map<SegmentKey, PacingRecord> decisions, Map<SegmentKey, Allowance> granted) {
    Map<SegmentKey, Allowance> left = new HashMap<>();
    decisions.forEach(
        (segment, decision) -> {
          int remaining = remaining(decision);
          if (remaining > 0) {
            left.put(segment, new Allowance(segment.node(), decision.attempt(), now, remaining, 0));
          } else if (granted.containsKey(segment)) {
            AllowanceDao.remove(handle, segment);
          }
        });
    AllowanceDao.put(handle, left);
  }

  private static int remaining(PacingRecord decision) {
    Double wanted = wanted(decision);
    Optional<Gate> gate = Gate.named(decision.gate());
    return wanted == null || gate.isEmpty()
        ? 0
        : PlaceAllowance.after(gate.get(), wanted.intValue(), decision.start()).remaining();
  }

  private static Double wanted(PacingRecord decision) {
    return decision.inputs() == null ? null : decision.inputs().get(DecisionFigure.WANTED.key());
  }

  /** Workers that the decision itself could not start. */
  private static int unmet(PacingRecord decision) {
    Double wanted = wanted(decision);
    return wanted != null && Gate.MAX_WORKERS.name().equals(decision.gate())
        ? (int) Math.max(0, wanted - decision.start())
        : 0;
  }

  private Instant since(PacingRecord decision, PacingStateRow last) {
    boolean waited = decision.start() == 0 && last != null && last.unmet() > 0;
    return waited ? last.unmetSince() : now;
  }

  private boolean isRecorded(PacingRecord decision, PacingStateRow last) {
    return decision.start() > 0
        || decision.leave()
        || last == null
        || !last.keptGate().equals(decision.gate())
        || last.keptAt().plus(KEEP_EVERY).isBefore(now);
  }

  private PacingDecisionView view(SegmentKey segment, PacingRecord decision) {
    return new PacingDecisionView(
        0,
        now,
        segment.node(),
        decision.attempt(),
        decision.start(),
        decision.policy(),
        decision.gate(),
        decision.reason(),
        decision.inputs());
  }
}
