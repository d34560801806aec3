package io.millrace.cli.job;

import io.millrace.api.client.ApiClient;
import io.millrace.api.insight.FailureGroups;
import io.millrace.cli.invocation.Invocation;
import io.millrace.cli.invocation.OptionRefusal;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

@Command(
    name = "failures",
    description = "Groups failed jobs and elements of arrays by their cause.",
    footer = {
      "",
      "Examples:",
      "  millrace job failures array:17",
      "  millrace job failures task:nightly since:1d",
      "  millrace job failures kind:worker queue:alert --tail 20",
      "",
      "The terms are those of 'job list'; only failed jobs are examined, at most the newest"
          + " 10,000.",
      "Causes are equal if the jobs ended alike and their last lines of error output differ only",
      "in numbers, times and identifiers, shown as #."
    })
final class FailuresCommand implements Callable<Integer> {
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
      description = "Search terms as one argument, as in 'job retry'.")
  private String search;

  @Option(
      names = "--tail",
      paramLabel = "N",
      description = "Lines of output of each sample (default: 5).")
  private Integer tail;

  FailuresCommand(Invocation invocation) {
    this.invocation = invocation;
  }

  /** The command; terms may begin with a minus sign. */
  static CommandLine create(Invocation invocation) {
    return new CommandLine(new FailuresCommand(invocation))
        .setUnmatchedOptionsArePositionalParams(true);
  }

  @Override
  public Integer call() {
    JobListCommand.refuseUnknownOptions(terms, spec);
    JobListCommand.addSearch(terms, search);
    OptionRefusal.outside("--tail", tail, 0, AttemptOutput.MAX_TAIL);
    print(invocation, String.join(" ", terms), tail);
    return 0;
  }

  /**
   * Prints the failed jobs that a search finds by cause.
   *
   * @param tail lines of each sample; null for the usual number
   */
  static void print(Invocation invocation, String search, Integer tail) {
    FailureGroups groups =
        invocation.central().failures(search.isEmpty() ? "" : "search=" + ApiClient.encode(search));
    new FailureDescription(groups, "failed jobs", tail, invocation.now()).print(invocation);
  }
}
