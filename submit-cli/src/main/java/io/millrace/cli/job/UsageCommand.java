package io.millrace.cli.job;

import io.millrace.api.Durations;
import io.millrace.api.insight.UsageReport;
import io.millrace.api.insight.UsageReport.UsageBy;
import io.millrace.api.insight.UsageReport.UsageRow;
import io.millrace.cli.invocation.Invocation;
import io.millrace.cli.invocation.OptionRefusal;
import io.millrace.cli.output.Figures;
import io.millrace.cli.output.Palette.Style;
import io.millrace.cli.output.Table;
import io.millrace.cli.output.Table.Cell;
import io.millrace.cli.output.Table.Column;
import java.time.DateTimeException;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.Locale;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code millrace usage}. */
@Command(
    name = "usage",
    description = "Reports what jobs used, by owner, queue or task.",
    footer = {
      "",
      "Examples:",
      "  millrace usage",
      "  millrace usage --by task --since 30d",
      "  millrace usage --by queue --since 2026-03-01 --until 2026-03-31 --json",
      "",
      "Periods are whole days (UTC); an attempt counts on the day on which it ended. Slot time is",
      "run time times slots. Memory is the most that each attempt used, for the time that it ran.",
      "Processor time and memory are known as far as the nodes measured them. The sums are kept for",
      "400 days."
    })
public final class UsageCommand implements Callable<Integer> {
  private static final double HOUR = 3_600;
  private static final double LEAST_SHOWN = 0.005;

  private final Invocation invocation;

  @Option(
      names = "--by",
      paramLabel = "WHAT",
      defaultValue = "owner",
      description = "owner, queue or task (default: ${DEFAULT-VALUE}).")
  private UsageBy by;

  @Option(
      names = "--since",
      paramLabel = "WHEN",
      defaultValue = "7d",
      description = "First day, as an age such as 30d or a date (default: ${DEFAULT-VALUE}).")
  private String since;

  @Option(
      names = "--until",
      paramLabel = "WHEN",
      description = "Last day, as an age or a date (default: today).")
  private String until;

  public UsageCommand(Invocation invocation) {
    this.invocation = invocation;
  }

  @Override
  public Integer call() {
    refuseReversed();
    UsageReport report = invocation.central().usage(by, since, until);
    String what = by.name().toLowerCase(Locale.ROOT);
    // Central managers of earlier versions, as during an upgrade, do not say it.
    LocalDate keptFrom =
        report.keptFrom() == null ? LocalDate.MIN : LocalDate.parse(report.keptFrom());
    LocalDate last = until == null ? null : day(until);
    if (last != null && last.isBefore(keptFrom)) {
      invocation.answer(report, () -> invocation.note(notKept(report)));
      return 0;
    }
    invocation.list(
        report,
        () -> table(report, what),
        "nothing ran by %s from %s to %s".formatted(what, report.from(), report.to()));
    if (invocation.json()) {
      return 0;
    }
    LocalDate first = day(since);
    if (first != null && first.isBefore(keptFrom)) {
      invocation.note(
          "figures are kept from %s on; earlier days are not counted".formatted(report.keptFrom()));
    }
    if (report.names() > report.rows().size()) {
      invocation.note(
          "only the largest %d of %s are shown; the total covers all"
              .formatted(report.rows().size(), Figures.count(report.names())));
    }
    return 0;
  }

  /** Of days without figures it is unknown whether anything ran. */
  private static String notKept(UsageReport report) {
    return "figures are kept from %s on; there are none of this period"
        .formatted(report.keptFrom());
  }

  /** What is neither an age nor a date is left to the server, which says so. */
  private void refuseReversed() {
    LocalDate from = day(since);
    LocalDate to = until == null ? null : day(until);
    OptionRefusal.unless(
        from == null || to == null || !to.isBefore(from),
        "--until",
        "%s is before --since %s".formatted(until, since));
  }

  private LocalDate day(String text) {
    try {
      return text.indexOf('-') > 0
          ? LocalDate.parse(text)
          : LocalDate.ofInstant(invocation.now().minus(Durations.parse(text)), ZoneOffset.UTC);
    } catch (DateTimeException | IllegalArgumentException | ArithmeticException e) {
      return null;
    }
  }

  private static Table table(UsageReport report, String what) {
    Table table =
        new Table(
            Column.left(what.toUpperCase(Locale.ROOT), 40),
            Column.right("RUNS"),
            Column.right("FAILED"),
            Column.right("SLOT HOURS"),
            Column.right("CPU HOURS"),
            Column.right("MEMORY GB HOURS"));
    report.rows().forEach(row -> add(table, row, row.name()));
    if (report.rows().size() > 1) {
      add(table, report.total(), "total");
    }
    return table;
  }

  private static void add(Table table, UsageRow row, String name) {
    table.row(
        name,
        row.runs(),
        Cell.of(Figures.count(row.failures()), row.failures() > 0 ? Style.BAD : Style.PLAIN),
        hours(row.slotSeconds() / HOUR),
        hours(row.cpuSeconds() / HOUR),
        hours(row.memoryGibHours()));
  }

  /** What is used is not shown as nothing. */
  private static String hours(double hours) {
    return hours > 0 && hours < LEAST_SHOWN ? "<0.01" : String.format(Locale.ROOT, "%,.2f", hours);
  }
}
