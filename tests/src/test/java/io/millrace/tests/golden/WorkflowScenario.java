package io.millrace.tests.golden;

import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.regex.Pattern;

/** The commands of workflows that are run against the cluster: one that fails, one that waits. */
final class WorkflowScenario {
  // The steps run for seconds, the second longest, so that it is on the longest chain.
  private static final String NIGHTLY =
      """
      kind: workflow
      name: nightly
      arguments: {night: 2026-03-01}
      templates:
        fetch:
          job:
            command: [/bin/sh, -c, 'echo "$1 of $2"; sleep "$1.5"', fetch, '{part}',
              '{workflow.night}']
          each: {part: 1-2}
        report:
          job: {command: [/bin/sh, -c, 'echo no paper >&2; sleep 1; exit 7']}
          needs: [fetch]
        send:
          job: {command: [/bin/true]}
          needs: [report]
      """;

  // No node serves its pool.
  private static final String WAITING =
      """
      kind: workflow
      name: waiting
      templates:
        compare:
          job: {command: [/bin/true], pool: unserved}
      steps:
        - {name: first, template: compare}
      """;

  private static final String WRONG =
      """
      kind: workflow
      name: wrong
      templates:
        fetch: {job: {comand: [/bin/true]}}
        report: {job: {command: [/bin/true]}, needs: [fetsh]}
      """;

  private static final String SCHEDULED =
      """
      kind: task
      name: weekly
      schedule: {cron: 30 4 1 1 *}
      workflow:
        arguments: {week: '{planned.date}'}
        templates:
          fetch:
            job: {command: [/bin/true, '{part}', '{workflow.week}']}
            each: {part: 1-2}
          report: {job: {command: [/bin/true]}, needs: [fetch]}
      """;

  private static final String DAG =
      """
      JOB fetch fetch.sub
      JOB report report.sub
      PARENT fetch CHILD report
      RETRY fetch 2
      DOT graph.dot
      """;

  private static final List<String> ENDED =
      List.of(
          "workflow list --name nightly",
          "workflow list --state refused",
          "workflow show {nightly}",
          "workflow show {nightly} --critical-path",
          "workflow show 987654321",
          "workflow graph {nightly}",
          "workflow steps {nightly}",
          "workflow steps {nightly} --state failed",
          "workflow steps {nightly} --state waiting",
          "workflow explain {nightly} report",
          "workflow explain {nightly} send",
          "workflow explain {nightly} 'fetch[3]'",
          "workflow errors {nightly}",
          "workflow resources {nightly}");

  private static final List<String> PRINTED =
      List.of(
          "workflow logs {nightly} 'fetch[2]'",
          "workflow logs {nightly} report",
          "workflow logs {nightly} send",
          "workflow resources {nightly} --as-yaml",
          "workflow pause {nightly}",
          "workflow retry {nightly} --failed --hot",
          "workflow wait {nightly} --timeout 30s",
          "workflow reset {nightly}",
          "workflow reset {nightly} nothing",
          "workflow reset {nightly} report",
          "workflow wait {nightly} --timeout 30s",
          "workflow set-status {nightly} report --to cancelled",
          "workflow set-status {nightly} report --to succeeded --reason 'printed by hand'",
          "workflow retry {nightly} --hot --cold",
          "workflow set-status {nightly} --to failed --reason 'to be repeated'",
          "workflow archive {nightly}",
          "workflow unarchive {nightly}",
          "workflow history {nightly}",
          "workflow delete {nightly} --yes");

  private static final List<String> UNDER_WAY =
      List.of(
          "workflow show {waiting}",
          "workflow explain {waiting} first",
          "workflow errors {waiting}");

  private static final List<String> CONTROLLED =
      List.of(
          "workflow pause {waiting}",
          "workflow resume {waiting}",
          "workflow resume {waiting} --template compare",
          "workflow resume {waiting} --template deploy",
          "workflow limit {waiting} --to 5",
          "workflow limit {waiting} --to 1 --template compare",
          "workflow limit {waiting} --to none",
          "workflow limit {waiting} --to many",
          "workflow delete {waiting} --yes",
          "workflow wait {waiting} --timeout 0s",
          "workflow retry {waiting}",
          "workflow reset {waiting} first",
          "workflow archive {waiting}",
          "workflow cancel {waiting}",
          "workflow wait {waiting} --timeout 30s",
          "workflow delete {waiting} --yes");

  private static final Pattern WORKFLOW = Pattern.compile("\\{([a-z]+)}");

  private final RecordingClient client;
  private final CommandChapter commands;
  private final Normalizer normalizer;

  WorkflowScenario(RecordingClient client, CommandChapter commands, Normalizer normalizer) {
    this.client = client;
    this.commands = commands;
    this.normalizer = normalizer;
  }

  void play() {
    commands.run(normalizer, "workflow submit -f - --dry-run", NIGHTLY);
    commands.run(normalizer, "workflow submit -f - --dry-run --json", NIGHTLY);
    commands.run(normalizer, "workflow submit -f -", WRONG);
    commands.run(normalizer, "workflow submit -f - --arg nigth=2026-03-02", NIGHTLY);
    commands.run(normalizer, "workflow submit -f - --wait --timeout 30s", NIGHTLY);
    ENDED.forEach(line -> commands.shows(normalizer, named(line)));
    PRINTED.forEach(line -> commands.run(normalizer, named(line), ""));
    waiting();
    scheduled();
    imported();
  }

  private void scheduled() {
    commands.run(normalizer, "apply -f -", SCHEDULED);
    commands.run(normalizer, "apply -f -", SCHEDULED.replace("needs: [fetch]", "needs: [fetsh]"));
    commands.shows(normalizer, "task show weekly");
    commands.run(normalizer, "task run weekly --wait --timeout 30s", "");
    commands.shows(normalizer, "task history weekly");
    commands.run(normalizer, "delete task weekly --yes", "");
  }

  private void waiting() {
    commands.run(normalizer, "workflow submit -f -", WAITING);
    String step = named("/v1/workflows/{waiting}/steps/first");
    await("it is recorded why its step waits")
        .atMost(Duration.ofSeconds(30))
        .until(() -> client.look(step).has("job") && hasReason(client.look(step).get("job")));
    UNDER_WAY.forEach(line -> commands.shows(normalizer, named(line)));
    CONTROLLED.forEach(line -> commands.does(normalizer, named(line)));
  }

  private boolean hasReason(JsonNode job) {
    return client.look("/v1/jobs/" + job.asLong()).at("/job/reason").isTextual();
  }

  private void imported() {
    Path folder = client.cluster().folder().resolve("dag");
    try {
      Files.createDirectories(folder);
      Files.writeString(folder.resolve("pair.dag"), DAG);
      Files.writeString(folder.resolve("fetch.sub"), "executable = /bin/true\nqueue\n");
      Files.writeString(folder.resolve("report.sub"), "executable = /bin/date\nqueue\n");
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    commands.run(
        normalizer, "workflow import --from dagman '" + folder.resolve("pair.dag") + "'", "");
  }

  /** Replaces the name of a workflow in braces by its number. */
  private String named(String line) {
    return WORKFLOW.matcher(line).replaceAll(name -> number(name.group(1)));
  }

  private String number(String name) {
    String page = "/v1/workflows?limit=1&name=" + name;
    JsonNode listed = client.look(page).at("/workflows/0/id");
    return (listed.isMissingNode()
            ? client.look(page + "&archived=true").at("/workflows/0/id")
            : listed)
        .asText();
  }
}
