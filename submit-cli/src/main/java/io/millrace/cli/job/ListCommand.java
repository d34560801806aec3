package io.millrace.cli.job;

import io.millrace.api.client.ApiClient;
import io.millrace.api.job.JobPage;
import io.millrace.api.job.JobState;
import io.millrace.cli.invocation.Invocation;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

@Command(
    name = "list",
    description = "Lists jobs, newest first: those that people and programs submitted.",
    footer = {
      "",
      "Examples:",
      "  millrace job list",
      "  millrace job list --all --state failed --limit 20",
      "  millrace job list --queue alert"
    })
final class ListCommand implements Callable<Integer> {
  private final Invocation invocation;

  @Option(names = "--all", description = "Workers and managers too.")
  private boolean all;

  @Option(
      names = "--state",
      description =
          "Only jobs in this state: waiting, placed, running, succeeded, failed, cancelled.")
  private JobState state;

  @Option(names = "--queue", paramLabel = "NAME", description = "Only jobs that work for a queue.")
  private String queue;

  @Option(
      names = "--limit",
      defaultValue = "50",
      description = "At most so many (default: ${DEFAULT-VALUE}).")
  private int limit;

  ListCommand(Invocation invocation) {
    this.invocation = invocation;
  }

  @Override
  public Integer call() {
    JobPage page = invocation.central().jobs(query());
    if (invocation.json()) {
      invocation.terminal().json(page);
      return 0;
    }
    invocation.print(
        JobTable.of(page.jobs(), everyKind(), invocation.now()),
        everyKind()
            ? "no jobs"
            : "no submitted jobs; --all shows workers and managers, 'millrace submit -- CMD' submits"
                + " one");
    if (page.next() != null) {
      invocation.terminal().note("older ones exist; see more with --limit");
    }
    return 0;
  }

  // Jobs of a queue are workers and managers, so that naming one asks for them.
  private boolean everyKind() {
    return all || queue != null;
  }

  private String query() {
    List<String> parts = new ArrayList<>();
    parts.add(everyKind() ? "kind=all" : "kind=submitted");
    if (state != null) {
      parts.add("state=" + state.name().toLowerCase(Locale.ROOT));
    }
    if (queue != null) {
      parts.add("queue=" + ApiClient.encode(queue));
    }
    parts.add("limit=" + limit);
    return String.join("&", parts);
  }
}
