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
import java.util.regex.Pattern;
import java.util.stream.Stream;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

@Command(
    name = "list",
    description = "Lists submitted jobs, newest first.",
    footer = {
      "",
      "Examples:",
      "  millrace job list",
      "  millrace job list state:failed tag:nightly",
      "  millrace job list array:17 state:failed,running",
      "  millrace job list task:nightly since:2h -state:succeeded",
      "  millrace job list --all --state failed --limit 20",
      "  millrace job list --queue alert",
      "",
      "Terms: state: kind: node: pool: queue: task: run: owner: share: tag: name: lane: array:"
          + " id: exit:,",
      "with several values separated by commas and * in names; a term without a colon is searched",
      "for in job names. since:2h finds jobs submitted within two hours, ended:>2h and",
      "ended:<2026-03-01 those that ended since or before a time. A minus sign excludes:",
      "-state:succeeded, -exit:0. A job must match all terms."
    })
final class JobListCommand implements Callable<Integer> {
  private static final int MAX = 1000;
  private static final Pattern WORDS = Pattern.compile("\\s+");
  // These terms find jobs of several kinds, so a column shows the kind.
  private static final List<String> OF_KINDS = List.of("kind:", "queue:", "id:", "run:");

  private final Invocation invocation;

  @Spec private CommandSpec spec;

  @Parameters(
      paramLabel = "WORD",
      arity = "0..*",
      description = "Search terms; only jobs that match all of them.")
  private final List<String> terms = new ArrayList<>();

  @Option(
      names = "--search",
      paramLabel = "WORDS",
      description = "Search terms as one argument, as in 'job cancel'.")
  private String search;

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

  /** The command; terms may begin with a minus sign. */
  static CommandLine create(Invocation invocation) {
    return new CommandLine(new JobListCommand(invocation))
        .setUnmatchedOptionsArePositionalParams(true);
  }

  /** Every option that the parser does not know reaches the terms. */
  static void refuseUnknownOptions(List<String> terms, CommandSpec spec) {
    terms.stream()
        .filter(term -> term.startsWith("--") || (term.startsWith("-") && term.indexOf(':') < 2))
        .findFirst()
        .ifPresent(
            term -> {
              throw new ParameterException(spec.commandLine(), "Unknown option: '" + term + "'");
            });
  }

  /** The terms of the option follow those of the arguments. */
  static void addSearch(List<String> terms, String search) {
    if (search != null) {
      WORDS.splitAsStream(search.strip()).filter(term -> !term.isEmpty()).forEach(terms::add);
    }
  }

  @Override
  public Integer call() {
    refuseUnknownOptions(terms, spec);
    addSearch(terms, search);
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
