package io.millrace.tests.drill.tasks;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.millrace.api.MillraceException;
import io.millrace.api.client.TaskClient;
import io.millrace.api.definition.ApplyRequest;
import io.millrace.api.definition.ApplyRequest.SourceFile;
import io.millrace.api.task.RunState;
import io.millrace.api.task.ScheduleDefinition.CatchUpRule;
import io.millrace.api.task.TaskRunView;
import io.millrace.api.task.TaskView;
import io.millrace.api.task.TaskView.TaskPause;
import io.millrace.tests.drill.check.Availability;
import io.millrace.tests.drill.check.ClusterSample;
import io.millrace.tests.drill.check.ClusterSampler;
import io.millrace.tests.drill.check.IdleSlots;
import io.millrace.tests.drill.check.NodeLosses;
import io.millrace.tests.drill.check.TaggedProcesses;
import io.millrace.tests.drill.cluster.DrillCluster;
import io.millrace.tests.drill.cluster.FaultInjector;
import io.millrace.tests.drill.cluster.FaultTally;
import io.millrace.tests.drill.cluster.PlannedFault;
import io.millrace.tests.drill.cluster.ProcessFault;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;

/** Tasks that become due while central managers are killed, and the check. Used by one thread. */
final class TaskDrill implements AutoCloseable {
  private static final List<CatchUpRule> RULES = List.of(CatchUpRule.values());
  private static final Duration COMES_DUE_WITHIN = Duration.ofMinutes(2);
  private static final Duration ENDED_WITHIN = Duration.ofMinutes(5);
  private static final Duration GONE_WITHIN = Duration.ofSeconds(30);
  private static final int PAGE = 1000;

  private final DrillCluster cluster;
  private final PlannedCount planned;
  private final Random random;
  private final FaultInjector injector;
  private final Path journal;
  private final TaggedProcesses processes;
  private ClusterSampler sampler;
  private final List<DrillTask> tasks = new ArrayList<>();
  private int kills;
  private int changes;

  TaskDrill(DrillCluster cluster, PlannedCount planned, Random random) throws IOException {
    this.cluster = cluster;
    this.planned = planned;
    this.random = random;
    this.injector = new FaultInjector(cluster);
    this.journal = Files.createFile(cluster.folder().resolve("journal"));
    this.processes = new TaggedProcesses(cluster.folder().toString());
    try {
      cluster.start();
      sampler = new ClusterSampler(cluster);
    } catch (RuntimeException | AssertionError e) {
      close();
      throw e;
    }
  }

  /** Applies that many tasks, with each catch-up rule in turn. */
  void apply(int count, int shortest, int longest) {
    for (int i = 0; i < count; i++) {
      CatchUpRule rule = RULES.get(i % RULES.size());
      tasks.add(new DrillTask("t" + i, rule, interval(shortest, longest)));
    }
    apply("c1", tasks);
  }

  private Duration interval(int shortest, int longest) {
    return Duration.ofSeconds(random.nextInt(shortest, longest + 1));
  }

  private void apply(String central, List<DrillTask> changed) {
    StringBuilder yaml = new StringBuilder();
    changed.forEach(task -> yaml.append(task.yaml(journal, processes)));
    cluster
        .central(central)
        .apply(new ApplyRequest(List.of(new SourceFile("tasks.yaml", yaml.toString())), false));
  }

  /**
   * Waits for some more planned times, changes a definition, and temporarily kills the manager that
   * made the change, before it has notified the others, and possibly more.
   *
   * @return the count of the fault
   */
  FaultTally fault(Duration shortest, Duration longest, int victims) throws Exception {
    long until = planned.now() + 10 + random.nextInt(30);
    awaitPlanned(until);
    List<String> dying = new ArrayList<>(cluster.shape().centralNames());
    while (dying.size() > victims) {
      dying.remove(random.nextInt(dying.size()));
    }
    DrillTask changed = tasks.get(random.nextInt(tasks.size()));
    // Half of the changes do not affect the planned times.
    changed.change(random.nextBoolean() ? changed.interval() : changed.interval().plusSeconds(1));
    apply(dying.get(0), List.of(changed));
    changes++;
    Duration lasts = shortest.plusMillis(random.nextLong(longest.minus(shortest).toMillis()));
    PlannedFault planned =
        new PlannedFault(new ProcessFault.Killed(dying, longest), Duration.ZERO, lasts);
    kills += victims;
    return injector.play(List.of(planned));
  }

  private void awaitPlanned(long count) {
    await(count + " planned times have passed")
        .atMost(COMES_DUE_WITHIN)
        .until(() -> planned.now() >= count);
  }

  /**
   * Waits until all runs have ended and checks everything.
   *
   * @throws AssertionError with all violations
   */
  String judge() throws IOException {
    TaskClient client = cluster.central("c1").tasks();
    // A pause keeps queued runs.
    await("missed times are caught up")
        .atMost(ENDED_WITHIN)
        .pollInterval(Duration.ofSeconds(1))
        .ignoreExceptionsMatching(MillraceException.class::isInstance)
        .until(
            () -> tasks.stream().noneMatch(task -> waiting(client.runs(task.name(), null, PAGE))));
    tasks.forEach(task -> client.pause(task.name(), new TaskPause("the drill is over", null)));
    await("every run has ended")
        .atMost(ENDED_WITHIN)
        .pollInterval(Duration.ofMillis(500))
        .ignoreExceptionsMatching(MillraceException.class::isInstance)
        .untilAsserted(
            () ->
                assertThat(client.list().stream().map(TaskView::current).filter(Objects::nonNull))
                    .map(this::explained)
                    .isEmpty());
    await("no process is left over")
        .atMost(GONE_WITHIN)
        .untilAsserted(() -> assertThat(processes.left()).isEmpty());
    List<String> nodes = cluster.shape().executionNodeNames();
    Availability availability =
        new Availability(cluster.timeline().all(), cluster.shape().centralNames());
    LaunchJournal written = LaunchJournal.read(journal);
    List<TaskRunView> all = new ArrayList<>();
    List<String> violations = new ArrayList<>();
    for (DrillTask task : tasks) {
      List<TaskRunView> runs = runs(client, task.name());
      all.addAll(runs);
      violations.addAll(
          LaunchChecker.violations(
              task,
              runs,
              written,
              span -> nodes.stream().anyMatch(node -> availability.disturbed(node, span))));
    }
    List<Long> known = all.stream().map(TaskRunView::id).toList();
    written.runs().stream()
        .filter(run -> !known.contains(run))
        .forEach(run -> violations.add("run " + run + " wrote a line but is not in the history"));
    List<ClusterSample> samples = sampler.since(0);
    violations.addAll(NodeLosses.ofNodes(samples, availability, NodeLosses.EXECUTION_NODES));
    violations.addAll(
        IdleSlots.violations(samples, availability, Map.of(), IdleSlots.LIMIT, ClusterSampler.GAP));
    assertThat(violations).as("injected: %s", cluster.timeline().all()).isEmpty();
    return summary(all);
  }

  private static boolean waiting(List<TaskRunView> runs) {
    return runs.stream().anyMatch(run -> run.state() == RunState.QUEUED);
  }

  private String explained(TaskRunView run) {
    return run
        + ": "
        + (run.manager() == null ? "no manager" : cluster.central("c1").explain(run.manager()));
  }

  private static List<TaskRunView> runs(TaskClient client, String task) {
    List<TaskRunView> runs = new ArrayList<>();
    Long before = null;
    List<TaskRunView> page;
    do {
      page = client.runs(task, before, PAGE);
      runs.addAll(page);
      before = page.isEmpty() ? null : page.get(page.size() - 1).id();
    } while (page.size() == PAGE);
    return runs;
  }

  private String summary(List<TaskRunView> runs) {
    return "task drill: %d planned times of %d tasks: %d launched, %d missed, %d skipped; %d managers killed, %d definitions changed; no violation"
        .formatted(
            runs.stream().mapToLong(TaskRunView::plannedTimes).sum(),
            tasks.size(),
            count(runs, RunState.SUCCEEDED),
            count(runs, RunState.MISSED),
            count(runs, RunState.SKIPPED),
            kills,
            changes);
  }

  private static long count(List<TaskRunView> runs, RunState state) {
    return runs.stream()
        .filter(run -> run.state() == state)
        .mapToLong(TaskRunView::plannedTimes)
        .sum();
  }

  @Override
  public void close() throws IOException {
    try (cluster) {
      injector.close();
      if (sampler != null) {
        sampler.close();
      }
    }
  }
}
