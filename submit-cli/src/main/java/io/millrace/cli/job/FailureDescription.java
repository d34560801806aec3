package io.millrace.cli.job;

import io.millrace.api.insight.FailureGroups;
import io.millrace.api.insight.FailureGroups.FailureGroup;
import io.millrace.api.insight.FailureGroups.FailureSample;
import io.millrace.cli.invocation.Invocation;
import io.millrace.cli.output.Ages;
import io.millrace.cli.output.Escaping;
import io.millrace.cli.output.Figures;
import io.millrace.cli.output.Palette;
import io.millrace.cli.output.Palette.Style;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/**
 * Describes failures by their causes, each with a sample of its output.
 *
 * @param groups the failures
 * @param noun what failed, such as {@code failed jobs}
 * @param tail lines of each sample; null for the usual number
 * @param now for ages
 * @param logs the command that prints the output of an item, up to the item; null for none
 */
public record FailureDescription(
    FailureGroups groups, String noun, Integer tail, Instant now, String logs) {
  private static final int USUAL_TAIL = 5;
  private static final int LONGEST_NAME = 60;

  public FailureDescription {
    tail = tail == null ? USUAL_TAIL : tail;
  }

  /** Failures without a command that prints their output. */
  public FailureDescription(FailureGroups groups, String noun, Integer tail, Instant now) {
    this(groups, noun, tail, now, null);
  }

  /** Prints the groups, or as JSON with {@code --json}. */
  public void print(Invocation invocation) {
    invocation.show(groups, () -> lines(invocation.palette()));
    if (invocation.json()) {
      return;
    }
    if (groups.groups().isEmpty()) {
      invocation.note("no " + noun);
    }
    String rest = rest();
    if (rest != null) {
      invocation.note(rest);
    }
  }

  private List<String> lines(Palette palette) {
    List<String> lines = new ArrayList<>();
    for (FailureGroup group : groups.groups()) {
      if (!lines.isEmpty()) {
        lines.add("");
      }
      String title =
          Figures.count(group.count())
              + (group.line().isEmpty() ? "" : "  " + Escaping.text(group.line()));
      lines.add(
          palette.paint(Style.HEADING, title)
              + "  "
              + palette.paint(Style.BAD, "(" + Escaping.text(group.cause()) + ")"));
      lines.add("  " + Escaping.text(items(group)));
      sample(group.sample(), palette, lines);
    }
    return lines;
  }

  /** What the groups do not show; null if they show everything. */
  private String rest() {
    List<String> notes = new ArrayList<>();
    if (groups.ungrouped() > 0) {
      notes.add(
          "%s further %s have rarer causes".formatted(Figures.count(groups.ungrouped()), noun));
    }
    if (groups.more()) {
      notes.add(
          "only the newest %s %s were examined".formatted(Figures.count(groups.failures()), noun));
    }
    return notes.isEmpty() ? null : String.join("; ", notes);
  }

  // A label may be as long as the arguments of a step.
  private String item(String item) {
    String name = groups.names() == null ? null : groups.names().get(item);
    if (name == null) {
      return item;
    }
    boolean fits = name.length() <= LONGEST_NAME;
    return item + " (" + (fits ? name : name.substring(0, LONGEST_NAME) + "…") + ")";
  }

  private String items(FailureGroup group) {
    String items = group.items().stream().map(this::item).collect(Collectors.joining(" "));
    long more = group.count() - group.items().size();
    return more > 0 ? items + " and " + Figures.count(more) + " more" : items;
  }

  private void sample(FailureSample sample, Palette palette, List<String> lines) {
    StringBuilder where = new StringBuilder("sample ").append(item(sample.item()));
    if (sample.attempt() != null) {
      where.append(", attempt ").append(sample.attempt());
    }
    if (sample.node() != null) {
      where.append(" on ").append(sample.node());
    }
    if (sample.at() != null) {
      where.append(", ").append(Ages.since(sample.at(), now)).append(" ago");
    }
    lines.add("  " + palette.paint(Style.FAINT, Escaping.text(where.toString())));
    List<String> text =
        sample.text() == null ? List.of() : sample.text().stripTrailing().lines().toList();
    text.subList(Math.max(0, text.size() - tail), text.size())
        .forEach(line -> lines.add("  | " + Escaping.text(line)));
    if (logs != null && sample.attempt() != null) {
      lines.add("  all its output: " + Escaping.text(logs + sample.item()));
    }
  }
}
