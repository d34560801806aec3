package io.millrace.manager.pacing;

import io.millrace.api.Json;
import io.millrace.api.pacing.PacingDecisionView;
import io.millrace.api.pacing.PacingRound.PacingRecord;
import io.millrace.manager.job.SegmentKey;
import io.millrace.manager.pacing.PacingStateDao.PacingStateRow;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
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
    Map<SegmentKey, PacingStateRow> next = new HashMap<>();
    Set<SegmentKey> recorded = new HashSet<>();
    decisions.forEach(
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
                  unmet(decision),
                  unmet(decision) == 0 ? null : since(decision, last)));
        });
    PacingStateDao.put(handle, next);
    DecisionDao.add(
        handle,
        recorded.stream()
            .sorted(SegmentKey.ORDER)
            .collect(
                Collectors.groupingBy(
                    SegmentKey::queue,
                    Collectors.mapping(
                        segment -> view(segment, decisions.get(segment)), Collectors.toList()))));
  }

  private static int unmet(PacingRecord decision) {
    Double wanted = decision.inputs() == null ? null : decision.inputs().get("wanted");
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
