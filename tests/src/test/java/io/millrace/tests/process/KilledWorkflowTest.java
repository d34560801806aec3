package io.millrace.tests.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import io.millrace.api.Json;
import io.millrace.api.client.ApiClient;
import io.millrace.api.client.Endpoints;
import io.millrace.api.client.WorkflowClient;
import io.millrace.api.client.WorkflowClient.SubmissionListener;
import io.millrace.api.job.JobDraft;
import io.millrace.api.job.JobSpec;
import io.millrace.api.job.RetryPolicy;
import io.millrace.api.workflow.WorkflowGraph;
import io.millrace.api.workflow.WorkflowGraph.StepHandle;
import io.millrace.api.workflow.WorkflowGraph.TemplateDraft;
import io.millrace.api.workflow.WorkflowState;
import io.millrace.api.workflow.WorkflowView;
import io.millrace.platform.http.JdkTransport;
import io.millrace.platform.identity.Role;
import io.millrace.platform.identity.TokenFiles;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * kill -9 of {@code up} and of all processes of steps, several times while a workflow runs: every
 * step has one recorded success, none began before all that it needs had ended, and only steps that
 * ran at a kill were repeated. The steps' own journal is what is checked.
 */
@Tag("drill")
class KilledWorkflowTest {
  private static final int STEPS = Integer.getInteger("drill.steps", 600);
  private static final int KILLS = 3;
  private static final int FAN_IN = 3;
  private static final Duration LONG = Duration.ofMinutes(5);

  @TempDir Path folder;
  private Path journal;
  private ServerProcess up;
  private WorkflowClient workflows;
  private final List<int[]> needs = new ArrayList<>();

  @BeforeEach
  void begin() throws IOException {
    Distribution.assumeBuilt();
    journal = Files.createFile(folder.resolve("journal"));
    life();
  }

  @AfterEach
  void end() throws Exception {
    if (up != null) {
      up.end();
      killSteps();
    }
  }

  private void life() throws IOException {
    Path data = folder.resolve("data");
    up =
        new Distribution(folder)
            .start("up", "up", "--data", data.toString(), "--port", "0", "--slots", "8", "--json");
    JsonNode said = Json.read(up.firstLine(), JsonNode.class);
    String token =
        TokenFiles.read(
            TokenFiles.of(Path.of(said.get("tokenFile").asText()).getParent(), Role.ADMIN));
    Endpoints endpoints = new Endpoints(List.of(URI.create(said.get("url").asText())));
    workflows = new WorkflowClient(new ApiClient(new JdkTransport(), endpoints, () -> token));
  }

  @Test
  void everyStepSucceedsOnceInItsOrder() throws Exception {
    long id = workflows.submit(graph(), "one", SubmissionListener.NONE).id();
    Set<Integer> running = new HashSet<>();
    for (int kill = 1; kill <= KILLS; kill++) {
      int part = STEPS * kill / (KILLS + 2);
      await("a part of the steps has ended")
          .atMost(LONG)
          .until(() -> lines().stream().filter(Line::isEnd).count() >= part);
      up.kill();
      killSteps();
      running.addAll(unended());
      life();
    }
    await("the workflow has ended")
        .atMost(LONG)
        .until(() -> workflows.await(id, Duration.ZERO).state().ended());
    WorkflowView view = workflows.await(id, Duration.ZERO);
    assertThat(view.state()).as("%s", view).isEqualTo(WorkflowState.SUCCEEDED);
    assertThat(view.progress().succeeded()).isEqualTo(STEPS);
    List<Line> lines = lines();
    assertThat(violations(lines)).as("steps that began before what they need").isEmpty();
    Set<Integer> repeated = repeated(lines);
    assertThat(running).as("steps that ran at a kill").containsAll(repeated);
    System.out.printf(
        "%d steps, %d kills: %d ran at a kill, %d of them were repeated%n",
        STEPS, KILLS, running.size(), repeated.size());
  }

  private WorkflowGraph graph() {
    WorkflowGraph graph = new WorkflowGraph("killed");
    JobSpec job =
        JobDraft.command(
                "sh",
                "-c",
                "echo b $MILLRACE_STEP $$ >> \"$0\"; sleep 0.3; echo e $MILLRACE_STEP $$ >> \"$0\"",
                journal.toString(),
                "{n}")
            .retry(RetryPolicy.upTo(KILLS))
            .spec();
    TemplateDraft template = graph.template("step", job);
    Random random = new Random(1);
    List<StepHandle> steps = new ArrayList<>();
    for (int step = 0; step < STEPS; step++) {
      StepHandle handle = graph.step(null, template, Map.of("n", Integer.toString(step)));
      int[] own =
          step == 0 ? new int[0] : random.ints(FAN_IN, 0, step).distinct().sorted().toArray();
      for (int need : own) {
        handle.needs(steps.get(need));
      }
      needs.add(own);
      steps.add(handle);
    }
    return graph;
  }

  /** A line of the journal: a step begins or ends. */
  private record Line(boolean isEnd, int step, long pid) {}

  private List<Line> lines() throws IOException {
    return Files.readAllLines(journal).stream()
        .map(line -> line.split(" ", -1))
        .filter(words -> words.length == 3 && !words[2].isEmpty())
        .map(
            words ->
                new Line(
                    words[0].equals("e"), Integer.parseInt(words[1]), Long.parseLong(words[2])))
        .toList();
  }

  private void killSteps() throws IOException {
    for (Line line : lines()) {
      ProcessHandle.of(line.pid())
          .filter(process -> process.info().command().filter(one -> one.endsWith("sh")).isPresent())
          .ifPresent(ProcessHandle::destroyForcibly);
    }
  }

  /** Steps with a run that began and did not end. */
  private Set<Integer> unended() throws IOException {
    Map<Long, Integer> open = new HashMap<>();
    for (Line line : lines()) {
      if (line.isEnd()) {
        open.remove(line.pid());
      } else {
        open.put(line.pid(), line.step());
      }
    }
    return new HashSet<>(open.values());
  }

  private List<String> violations(List<Line> lines) {
    Set<Integer> ended = new HashSet<>();
    List<String> violations = new ArrayList<>();
    for (Line line : lines) {
      if (line.isEnd()) {
        ended.add(line.step());
        continue;
      }
      for (int need : needs.get(line.step())) {
        if (!ended.contains(need)) {
          violations.add("step " + line.step() + " before step " + need);
        }
      }
    }
    for (int step = 0; step < STEPS; step++) {
      if (!ended.contains(step)) {
        violations.add("step " + step + " never ended");
      }
    }
    return violations;
  }

  private static Set<Integer> repeated(List<Line> lines) {
    Set<Integer> begun = new HashSet<>();
    Set<Integer> repeated = new HashSet<>();
    for (Line line : lines) {
      if (!line.isEnd() && !begun.add(line.step())) {
        repeated.add(line.step());
      }
    }
    return repeated;
  }
}
