package io.millrace.tests.drill.tasks;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.millrace.api.Json;
import io.millrace.api.MillraceException;
import io.millrace.api.client.TaskClient;
import io.millrace.api.definition.ApplyRequest;
import io.millrace.api.definition.ApplyRequest.SourceFile;
import io.millrace.api.node.ExecutionNodeView;
import io.millrace.api.task.TaskView;
import io.millrace.api.task.TaskView.TaskPause;
import io.millrace.tests.drill.check.Exclusion;
import io.millrace.tests.drill.check.ProcessRun;
import io.millrace.tests.drill.check.RunJournal;
import io.millrace.tests.drill.cluster.DrillCluster;
import io.millrace.tests.drill.cluster.Uptime;
import io.millrace.tests.drill.jobs.JournalScript;
import io.millrace.tests.drill.network.Link;
import io.millrace.tests.drill.network.LinkFailure;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * Tasks with one instance of each kind of work, on nodes that are cut off from the central manager
 * while they run one: their processes write down themselves when they ran. Used by one thread.
 */
final class ExclusiveTasks implements AutoCloseable {
  private static final Duration RUNS_WITHIN = Duration.ofMinutes(2);
  private static final Duration ENDED_WITHIN = Duration.ofMinutes(2);
  // A process writes a line five times a second.
  private static final double ALIVE_SECONDS = 1;
  private static final int LONG_BEATS = 600;
  private static final int SHORT_BEATS = 25;

  private final DrillCluster cluster;
  private final JournalScript script;
  private final Map<String, String> nodes;
  private int moves;

  ExclusiveTasks(DrillCluster cluster) throws IOException {
    this.cluster = cluster;
    this.script = new JournalScript(cluster.folder());
    try {
      cluster.start();
      this.nodes =
          cluster.central("c1").executionNodes().stream()
              .collect(Collectors.toMap(node -> node.id().toString(), ExecutionNodeView::name));
    } catch (RuntimeException | AssertionError e) {
      close();
      throw e;
    }
  }

  /** Defines the tasks, each of which starts its next run as soon as one has ended. */
  void define() {
    Map<String, String> work = new LinkedHashMap<>();
    work.put("plain", "");
    work.put("chunks", "chunks: {range: 1-1000}");
    work.put("until", "untilDone: true");
    String yaml =
        work.entrySet().stream()
            .map(task -> yaml(task.getKey(), task.getValue()))
            .collect(Collectors.joining());
    cluster
        .central("c1")
        .apply(new ApplyRequest(List.of(new SourceFile("tasks.yaml", yaml)), false));
  }

  private String yaml(String name, String work) {
    return """
        ---
        kind: task
        name: %s
        schedule: {perpetual: {afterWork: 1s, afterNothing: 1s}}
        %s
        job:
          command: %s
          env: %s
          failover: 6s
        """
        .formatted(
            name,
            work,
            Json.write(script.command(name, name.equals("plain") ? LONG_BEATS : SHORT_BEATS, 0)),
            Json.write(script.environment()));
  }

  /** Cuts off the node on which the task runs until the task runs on another one. */
  void round(String task) {
    ProcessRun old = running(task, "");
    String node = nodes.get(old.node());
    Link link = cluster.links().get(node + ">c1");
    link.cut(LinkFailure.BOTH);
    try {
      ProcessRun next = running(task, old.node());
      moves++;
      System.out.printf(
          "exclusive tasks: %s cut off with %s, which ran until %.1f; it ran elsewhere from %.1f%n",
          node, old.attempt(), last(old).last(), next.start());
    } finally {
      link.heal();
    }
    cluster.awaitEverybody();
  }

  /** A process of the task that is alive now on another node than this one. */
  private ProcessRun running(String task, String except) {
    return await(task + " runs on another node than " + except)
        .atMost(RUNS_WITHIN)
        .until(
            () -> {
              double now = Uptime.now();
              return journal().runs().stream()
                  .filter(run -> run.name().equals(task) && !run.node().equals(except))
                  .filter(run -> run.code() == null && run.last() > now - ALIVE_SECONDS)
                  .findFirst();
            },
            Optional::isPresent)
        .orElseThrow();
  }

  private ProcessRun last(ProcessRun run) {
    return journal().of(run.attempt()).orElseThrow();
  }

  private RunJournal journal() {
    try {
      return RunJournal.read(script.journal());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /**
   * Ends the tasks and checks what their processes wrote.
   *
   * @throws AssertionError with all overlaps
   */
  String judge() {
    TaskClient tasks = cluster.central("c1").tasks();
    for (TaskView task : tasks.list()) {
      tasks.pause(task.definition().name(), new TaskPause("the drill is over", null));
    }
    await("every run has ended")
        .atMost(ENDED_WITHIN)
        .ignoreExceptionsMatching(MillraceException.class::isInstance)
        .untilAsserted(
            () -> {
              tasks.list().stream()
                  .map(TaskView::current)
                  .filter(Objects::nonNull)
                  .forEach(run -> tasks.stop(run.id()));
              assertThat(tasks.list()).extracting(TaskView::current).containsOnlyNulls();
            });
    await("no process is left over")
        .atMost(ENDED_WITHIN)
        .untilAsserted(() -> assertThat(script.processes().left()).isEmpty());
    List<ProcessRun> runs = journal().runs();
    assertThat(Exclusion.overlaps(runs.stream().collect(Collectors.groupingBy(ProcessRun::name))))
        .isEmpty();
    assertThat(Exclusion.startedTwice(runs)).isEmpty();
    return "exclusive tasks: %d moves to another node, %d processes, no overlap"
        .formatted(moves, runs.size());
  }

  @Override
  public void close() throws IOException {
    cluster.close();
  }
}
