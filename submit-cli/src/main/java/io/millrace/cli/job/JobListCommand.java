package io.millrace.cli.job;

import io.millrace.api.client.ApiClient;
import io.millrace.api.job.JobState;
import io.millrace.api.job.JobView.JobPage;
import io.millrace.cli.invocation.Invocation;
import io.millrace.cli.invocation.OptionRefusal;
import io.millrace.cli.job.JobFormatter.JobTable;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

@Command(
    name = "list",
    description = "Lists submitted jobs, newest first.",
    footer = {
      "",
      "Examples:",
      "  millrace job list",
      "  millrace job list state:failed tag:nightly",
      "  millrace job list array:17 state:failed,running",
      "  millrace job list --all --state failed --limit 20",
      "  millrace job list --queue alert",
      "",
      "Terms: state: kind: node: pool: queue: owner: share: tag: name: lane: array: id:,"
          + " with several",
      "values separated by commas and * in names; a term without a colon is searched for in"
          + " job names.",
      "A job must match all terms."
    })
final class JobListCommand implements Callable<Integer> {
  private static final int MAX = 1000;
  // These terms find jobs of several kinds, so a column shows the kind.
  private static final List<String> OF_KINDS = List.of("kind:", "queue:", "id:");

  private final Invocation invocation;

  @Parameters(
      paramLabel = "WORD",
      arity = "0..*",
      description = "Search terms; only jobs that match all of them.")
  private final List<String> terms = new ArrayList<>();

  @Option(names = "--all", description = "Include workers and managers.")
  private boolean all;

  @Option(
      names = "--state",
      paramLabel = "STATE",
      description =
          "Only jobs in this state: waiting, blocked, held, placed, running, succeeded, failed,"
              + " cancelled.")
  private JobState state;

  @Option(names = "--queue", paramLabel = "NAME", description = "Only jobs of this queue.")
  private String queue;

  @Option(
      names = "--limit",
      paramLabel = "N",
      defaultValue = "50",
      description = "Maximum number of rows (default: ${DEFAULT-VALUE}).")
  private int limit;

  @Option(
      names = "--before",
      paramLabel = "ID",
      description = "Only jobs older than this one, which ended the previous page.")
  private Long before;

  JobListCommand(Invocation invocation) {
    this.invocation = invocation;
  }

  @Override
  public Integer call() {
    OptionRefusal.outside("--limit", limit, 1, MAX);
    OptionRefusal.outside("--before", before, 1, Long.MAX_VALUE);
    JobPage page = invocation.central().jobs(query());
    if (invocation.json()) {
      invocation.terminal().json(page);
      return 0;
    }
    invocation.print(JobTable.of(page.jobs(), mixed(), invocation.now()), whenEmpty());
    if (page.next() != null) {
      invocation.note("more jobs: use --before " + page.next());
    }
    return 0;
  }

  private String whenEmpty() {
    if (!terms.isEmpty() || state != null) {
      return "no matching jobs";
    }
    return everyKind() ? "no jobs" : "no submitted jobs; use --all to include workers and managers";
  }

  private boolean mixed() {
    return everyKind()
        || terms.stream().anyMatch(term -> OF_KINDS.stream().anyMatch(term::startsWith));
  }

  // Jobs of a queue are workers and managers, so that naming one asks for them.
  private boolean everyKind() {
    return all
        || queue != null
        || (terms.stream().anyMatch(term -> term.startsWith("queue:"))
            && terms.stream().noneMatch(term -> term.startsWith("kind:")));
  }

  private String query() {
    List<String> parts = new ArrayList<>();
    if (!terms.isEmpty()) {
      parts.add("search=" + ApiClient.encode(String.join(" ", terms)));
    }
    if (everyKind()) {
      parts.add("kind=all");
    }
    if (state != null) {
      parts.add("state=" + state.name().toLowerCase(Locale.ROOT));
    }
    if (queue != null) {
      parts.add("queue=" + ApiClient.encode(queue));
    }
    parts.add("limit=" + limit);
    Stream.ofNullable(before).map(id -> "before=" + id).forEach(parts::add);
    return String.join("&", parts);
  }
}
