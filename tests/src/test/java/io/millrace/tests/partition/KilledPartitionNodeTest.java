package io.millrace.tests.partition;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.millrace.api.NodeStatus;
import io.millrace.api.client.TaskClient;
import io.millrace.api.definition.ApplyRequest;
import io.millrace.api.definition.ApplyRequest.SourceFile;
import io.millrace.api.node.ExecutionNodeView;
import io.millrace.api.task.RunState;
import io.millrace.api.task.TaskRunView;
import io.millrace.tests.process.SeparateRoles;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Execution nodes that die or join during a run of a partitioned task, with real processes. */
@Tag("drill")
class KilledPartitionNodeTest {
  @RegisterExtension static final SeparateRoles ROLES = new SeparateRoles(0, 3, Map.of());

  private static final Duration LONG = Duration.ofMinutes(2);
  private static final List<String> RESOURCES =
      IntStream.rangeClosed(1, 120).mapToObj(Integer::toString).toList();

  private final TaskClient tasks = ROLES.central().tasks();
  // While all nodes are alive.
  private final Map<String, String> names =
      ROLES.central().overview().executionNodes().stream()
          .collect(Collectors.toMap(one -> one.id().toString(), ExecutionNodeView::name));

  /** A line written by a worker: a resource and the node that polled it. */
  private record Poll(String resource, String node) {}

  @Test
  void afterAKillOfANodeEveryResourceIsPolledInTheSameRunAndThoseInFlightAtMostTwice()
      throws Exception {
    Path polled = define("killed");
    long run = tasks.run("killed").id();
    await().atMost(LONG).until(() -> polls(polled).size() >= 20);
    List<Poll> sofar = polls(polled);
    String victim = sofar.get(sofar.size() - 1).node();
    ROLES.kill(victim);

    TaskRunView ended = tasks.await(run, LONG).run();
    assertThat(ended.state()).as("%s", ended.reason()).isEqualTo(RunState.SUCCEEDED);
    assertThat(ended.done()).as("each batch recorded once").isEqualTo(ended.total());
    Map<String, List<String>> nodes = nodes(polls(polled));
    assertThat(nodes).containsOnlyKeys(RESOURCES);
    Map<String, List<String>> twice =
        nodes.entrySet().stream()
            .filter(one -> one.getValue().size() > 1)
            .collect(Collectors.toMap(Map.Entry::getKey, Map.Entry::getValue));
    twice.forEach(
        (resource, by) -> {
          assertThat(by).as("polls of %s", resource).hasSize(2).startsWith(victim);
          assertThat(by.get(1)).isNotEqualTo(victim);
        });
    System.out.printf(
        "kill -9 of %s after %d of %d polls: all polled in the same run, %d of them twice%n",
        victim, sofar.size(), RESOURCES.size(), twice.size());
    // Four slots, batches of four.
    assertThat(twice).hasSizeBetween(1, 16);
    ROLES.start(victim);
    ROLES.awaitEveryNode();
  }

  @Test
  void aNodeThatJoinsDuringARunCausesNoSecondPollAndTakesPartInTheNextRun() throws Exception {
    ROLES.kill("e3");
    await()
        .atMost(LONG)
        .until(
            () ->
                ROLES.central().overview().executionNodes().stream()
                    .noneMatch(
                        one -> one.name().equals("e3") && one.status() == NodeStatus.ACTIVE));
    Path polled = define("joined");
    long run = tasks.run("joined").id();
    await().atMost(LONG).until(() -> polls(polled).size() >= 5);
    ROLES.start("e3");
    ROLES.awaitEveryNode();

    assertThat(tasks.await(run, LONG).run().state()).isEqualTo(RunState.SUCCEEDED);
    assertPolledOnce(polls(polled));

    Files.delete(polled);
    assertThat(tasks.await(tasks.run("joined").id(), LONG).run().state())
        .isEqualTo(RunState.SUCCEEDED);
    List<Poll> next = polls(polled);
    assertPolledOnce(next);
    Set<String> nodes = next.stream().map(Poll::node).collect(Collectors.toSet());
    assertThat(nodes).containsExactlyInAnyOrder("e1", "e2", "e3");
  }

  private static void assertPolledOnce(List<Poll> polls) {
    assertThat(polls).extracting(Poll::resource).containsExactlyInAnyOrderElementsOf(RESOURCES);
  }

  /**
   * Applies a task whose workers record each resource when they begin to poll it. No planned time
   * occurs during the test: an hourly one would replace the run at a full hour.
   */
  private static Path define(String task) throws IOException {
    Path polled = ROLES.folder(task).resolve("polled");
    String yaml =
        """
        kind: task
        name: %s
        schedule: {every: 10000h}
        instances: 9
        partition:
          discover: [seq, "1", "%d"]
          batch: 4
        job:
          command: [sh, -c, 'while read r; do echo "$r $MILLRACE_NODE" >> %s; sleep 0.3; done']
        """
            .formatted(task, RESOURCES.size(), polled);
    ROLES.central().apply(new ApplyRequest(List.of(new SourceFile("task.yaml", yaml)), false));
    return polled;
  }

  private List<Poll> polls(Path polled) throws IOException {
    if (!Files.exists(polled)) {
      return List.of();
    }
    return Files.readAllLines(polled).stream()
        .map(line -> line.split(" ", -1))
        .map(words -> new Poll(words[0], names.get(words[1])))
        .toList();
  }

  private static Map<String, List<String>> nodes(List<Poll> polls) {
    return polls.stream()
        .collect(
            Collectors.groupingBy(
                Poll::resource, Collectors.mapping(Poll::node, Collectors.toList())));
  }
}
