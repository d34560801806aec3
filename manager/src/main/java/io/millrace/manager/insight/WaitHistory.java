package io.millrace.manager.insight;

import io.millrace.api.job.JobExplanation.WaitReason;
import io.millrace.api.job.JobExplanation.WaitSpan;
import io.millrace.api.job.WaitCode;
import io.millrace.manager.insight.ShapeWaitDao.Span;
import io.millrace.manager.insight.Stretches.Stretch;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/**
 * Joins what a job's own history says with what its shape waited for, so that the whole waiting
 * time is accounted for. Pure.
 */
final class WaitHistory {
  /** Of times that nobody noted: too short, or with no dispatch to note them. */
  static final WaitReason UNNOTED = new WaitReason(WaitCode.SOON, "to be placed");

  // A reason is noted a little after it began.
  private static final Duration LATE = Duration.ofSeconds(3);

  private final List<WaitSpan> spans = new ArrayList<>();
  private final List<Span> shape;
  private final Instant now;

  private WaitHistory(List<Span> shape, Instant now) {
    this.shape = shape;
    this.now = now;
  }

  /**
   * What the job waited for, oldest first, without gaps within each wait.
   *
   * @param stretches of the job
   * @param shape what its shape waited for, oldest first, not overlapping
   * @param now by the database's clock
   */
  static List<WaitSpan> of(List<Stretch> stretches, List<Span> shape, Instant now) {
    WaitHistory history = new WaitHistory(shape, now);
    for (Stretch stretch : stretches) {
      if (stretch.from().isAfter(now)) {
        continue;
      }
      if (stretch.code() == null) {
        history.placing(stretch);
      } else {
        boolean lasts = stretch.until() == null || stretch.until().isAfter(now);
        history.add(
            new WaitReason(stretch.code(), stretch.words()),
            stretch.from(),
            lasts ? null : stretch.until());
      }
    }
    return history.spans;
  }

  private void placing(Stretch stretch) {
    Instant at = stretch.from();
    Instant end = Objects.requireNonNullElse(stretch.until(), now);
    for (Span span : shape) {
      Instant until = span.until() == null || span.until().isAfter(end) ? end : span.until();
      if (!span.from().isBefore(end) || !until.isAfter(at)) {
        continue;
      }
      Instant from = span.from().isAfter(at) ? span.from() : at;
      if (Duration.between(at, from).compareTo(LATE) > 0) {
        add(UNNOTED, at, from);
      } else {
        from = at;
      }
      boolean lasts = span.until() == null && stretch.until() == null;
      add(span.reason(), from, lasts ? null : until);
      at = until;
    }
    if (stretch.until() == null) {
      lasting(at);
    } else if (at.isBefore(end)) {
      add(UNNOTED, at, end);
    }
  }

  private void lasting(Instant at) {
    boolean told = !spans.isEmpty() && spans.get(spans.size() - 1).until() == null;
    if (!told) {
      add(UNNOTED, at, null);
    }
  }

  private void add(WaitReason reason, Instant from, Instant until) {
    int last = spans.size() - 1;
    if (last >= 0 && goesOn(spans.get(last), reason, from)) {
      WaitSpan before = spans.get(last);
      spans.set(last, new WaitSpan(before.code(), before.words(), before.from(), until));
    } else if (until == null || from.isBefore(until)) {
      spans.add(new WaitSpan(reason.code(), reason.words(), from, until));
    }
  }

  private static boolean goesOn(WaitSpan before, WaitReason reason, Instant from) {
    return before.code() == reason.code() && from.equals(before.until());
  }
}
