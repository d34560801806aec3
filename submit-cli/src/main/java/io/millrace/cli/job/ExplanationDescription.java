package io.millrace.cli.job;

import io.millrace.api.job.JobExplanation;
import io.millrace.api.job.JobExplanation.NodeVerdict;
import io.millrace.api.job.JobExplanation.WaitReason;
import io.millrace.api.job.JobExplanation.WaitSpan;
import io.millrace.api.job.JobView;
import io.millrace.api.job.WaitCode;
import io.millrace.cli.output.Ages;
import io.millrace.cli.output.FieldList;
import io.millrace.cli.output.Palette;
import io.millrace.cli.output.Palette.Style;
import io.millrace.cli.output.Table;
import io.millrace.cli.output.Table.Cell;
import io.millrace.cli.output.Table.Column;
import java.time.Duration;
import java.time.Instant;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/** Why a job waits, and what it waited for, on one page. */
final class ExplanationDescription {
  private static final int MOST_NODES = 40;
  private static final int MOST_SPANS = 30;

  private final JobExplanation explanation;
  private final Instant now;
  private final FieldList sheet;

  ExplanationDescription(JobExplanation explanation, Instant now, Palette palette) {
    this.explanation = explanation;
    this.now = now;
    this.sheet = new FieldList(palette);
  }

  List<String> lines() {
    JobView job = explanation.job();
    sheet.title("job " + job.id() + "  " + JobFormatter.name(job));
    sheet.value("state", JobFormatter.state(job.state()));
    sheet.value("pool", job.pool());
    sheet.value("priority", job.priority());
    sheet.value("share", job.share());
    if (job.state().waits()) {
      reasons();
    } else {
      sheet.value("node", job.node());
      sheet.value("result", JobFormatter.result(job.outcome(), job.exitCode(), job.signal()));
      sheet.value("reason", job.reason());
    }
    WaitTotals totals = WaitTotals.of(explanation.waits(), now);
    sheet.value("waited", totals.isEmpty() ? null : totals.words());
    nodes();
    waits();
    return sheet.lines();
  }

  private void reasons() {
    if (explanation.reasons().isEmpty()) {
      sheet.value("waits for", "nothing that is known; it should start at any moment");
    }
    String label = "waits for";
    for (WaitReason reason : explanation.reasons()) {
      sheet.value(label, words(reason.words(), JobFormatter.word(reason.code())));
      label = "also";
    }
  }

  private void nodes() {
    Table table = new Table(Column.left("NODE", 24), Column.left("SAYS"));
    explanation.nodes().stream().limit(MOST_NODES).forEach(verdict -> row(table, verdict));
    sheet.table("Nodes of its pool", table);
    int rest = explanation.nodes().size() - MOST_NODES;
    if (rest > 0) {
      sheet.remark("and " + rest + " more; --json shows all");
    }
  }

  private static void row(Table table, NodeVerdict verdict) {
    WaitReason reason = verdict.reason();
    table.row(
        verdict.node(),
        reason == null
            ? Cell.of("could take it", Style.GOOD)
            : Cell.of(words(reason.words(), JobFormatter.word(reason.code()))));
  }

  private void waits() {
    Table table =
        new Table(
            Column.left("FROM"), Column.right("FOR"), Column.left("CODE"), Column.left("REASON"));
    List<WaitSpan> spans = explanation.waits();
    int skipped = Math.max(0, spans.size() - MOST_SPANS);
    for (WaitSpan span : spans.subList(skipped, spans.size())) {
      table.row(
          span.from(),
          Ages.between(span.from(), span.until() == null ? now : span.until()),
          JobFormatter.word(span.code()),
          words(span.words(), ""));
    }
    sheet.table("What it waited for", table);
    if (skipped > 0) {
      sheet.remark(skipped + " earlier ones; --json shows all");
    }
  }

  private static String words(String words, String otherwise) {
    return words == null ? otherwise : words;
  }

  /**
   * How long a job waited for each reason. Pure.
   *
   * @param byCode never negative
   */
  private record WaitTotals(Map<WaitCode, Duration> byCode) {
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
}
