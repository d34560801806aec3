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
import java.util.Collection;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/** Describes why a job is waiting, and what it waited for. */
public final class ExplanationDescription {
  private static final int MAX_NODES = 40;
  private static final int MAX_SPANS = 30;

  private final JobExplanation explanation;
  private final Instant now;
  private final Collection<String> known;
  private final FieldList fields;

  public ExplanationDescription(JobExplanation explanation, Instant now, Palette palette) {
    this(explanation, List.of(), now, palette);
  }

  /**
   * The description of a job of something that is described as well.
   *
   * @param known reasons that its own description gives already
   */
  public ExplanationDescription(
      JobExplanation explanation, Collection<String> known, Instant now, Palette palette) {
    this.explanation = explanation;
    this.known = known;
    this.now = now;
    this.fields = new FieldList(palette);
  }

  /** The lines of the description. */
  public List<String> lines() {
    JobView job = explanation.job();
    fields.title("job " + job.id() + "  " + JobFormatter.name(job));
    fields.value("state", JobFormatter.state(job.state()));
    fields.value("pool", job.pool());
    fields.value("priority", job.priority());
    fields.value("share", job.share());
    if (job.state().waits()) {
      reasons();
    } else {
      fields.value("node", job.node());
      fields.value("reported", JobFormatter.reportedWhen(job, now));
      fields.value("result", JobFormatter.result(job));
      fields.value("reason", job.reason());
    }
    WaitTotals totals = WaitTotals.of(explanation.waits(), now);
    fields.value("waited", totals.isEmpty() ? null : totals.text());
    nodes();
    waits();
    return fields.lines();
  }

  private void reasons() {
    if (explanation.reasons().isEmpty()) {
      fields.value("waits for", "no known reason; it should start soon");
    }
    String label = "waits for";
    for (WaitReason reason : explanation.reasons()) {
      String text = text(reason.words(), code(reason.code()));
      if (!known.contains(text)) {
        fields.value(label, text);
        label = "also";
      }
    }
  }

  private void nodes() {
    Table table = new Table(Column.left("NODE", 24), Column.left("REASON"));
    explanation.nodes().stream().limit(MAX_NODES).forEach(verdict -> row(table, verdict));
    fields.table("Nodes of the pool", table);
    int rest = explanation.nodes().size() - MAX_NODES;
    if (rest > 0) {
      fields.note("and %d more; use --json to see all".formatted(rest));
    }
  }

  private static void row(Table table, NodeVerdict verdict) {
    WaitReason reason = verdict.reason();
    table.row(
        verdict.node(),
        reason == null
            ? Cell.of("can run it", Style.GOOD)
            : Cell.of(text(reason.words(), code(reason.code()))));
  }

  private void waits() {
    Table table =
        new Table(
            Column.left("FROM"), Column.right("FOR"), Column.left("CODE"), Column.left("REASON"));
    List<WaitSpan> spans = explanation.waits();
    int skipped = Math.max(0, spans.size() - MAX_SPANS);
    for (WaitSpan span : spans.subList(skipped, spans.size())) {
      table.row(
          span.from(),
          Ages.between(span.from(), span.until() == null ? now : span.until()),
          code(span.code()),
          text(span.words(), ""));
    }
    fields.table("What it waited for", table);
    if (skipped > 0) {
      fields.note(skipped + " earlier ones; use --json to see all");
    }
  }

  private static String code(WaitCode code) {
    return code == WaitCode.SOON ? "dispatch" : JobFormatter.lowerCase(code);
  }

  private static String text(String text, String otherwise) {
    return text == null ? otherwise : text;
  }

  /**
   * How long a job waited for each reason. Pure.
   *
   * @param byCode never negative
   */
  private record WaitTotals(Map<WaitCode, Duration> byCode) {
    /** The totals at a moment, including the current wait. */
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

    /** {@code 14m02s in total: 9m00s no slot, 5m02s licence}, the longest first. */
    String text() {
      Duration all = byCode.values().stream().reduce(Duration.ZERO, Duration::plus);
      return Ages.took(all)
          + " in total: "
          + byCode.entrySet().stream()
              .sorted(Map.Entry.<WaitCode, Duration>comparingByValue().reversed())
              .map(total -> Ages.took(total.getValue()) + " " + code(total.getKey()))
              .collect(Collectors.joining(", "));
    }
  }
}
