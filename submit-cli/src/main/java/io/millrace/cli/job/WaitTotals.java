package io.millrace.cli.job;

import io.millrace.api.job.WaitCode;
import io.millrace.api.job.WaitSpan;
import io.millrace.cli.output.Ages;
import java.time.Duration;
import java.time.Instant;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * How long a job waited for each reason. Pure.
 *
 * @param byCode never negative
 */
record WaitTotals(Map<WaitCode, Duration> byCode) {
  /** The totals at a moment, to which the wait that lasts is counted. */
  static WaitTotals of(List<WaitSpan> spans, Instant now) {
    Map<WaitCode, Duration> byCode = new EnumMap<>(WaitCode.class);
    for (WaitSpan span : spans) {
      Duration length = Duration.between(span.from(), span.until() == null ? now : span.until());
      byCode.merge(span.code(), length.isNegative() ? Duration.ZERO : length, Duration::plus);
    }
    return new WaitTotals(byCode);
  }

  boolean isEmpty() {
    return byCode.isEmpty();
  }

  /** {@code 14m02s in all: 9m00s no slot, 5m02s licence}, the longest first. */
  String words() {
    Duration all = byCode.values().stream().reduce(Duration.ZERO, Duration::plus);
    return Ages.took(all)
        + " in all: "
        + byCode.entrySet().stream()
            .sorted(Map.Entry.<WaitCode, Duration>comparingByValue().reversed())
            .map(total -> Ages.took(total.getValue()) + " " + JobFormatter.word(total.getKey()))
            .collect(Collectors.joining(", "));
  }
}
