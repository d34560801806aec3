package io.millrace.tests.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.millrace.api.client.WorkflowClient;
import io.millrace.api.client.WorkflowClient.SubmissionListener;
import io.millrace.api.job.ArrayRange;
import io.millrace.api.job.JobDraft;
import io.millrace.api.workflow.ResumeMode;
import io.millrace.api.workflow.ValueList;
import io.millrace.api.workflow.WorkflowGraph;
import io.millrace.api.workflow.WorkflowSpec;
import io.millrace.api.workflow.WorkflowSpec.StepTemplate;
import io.millrace.api.workflow.WorkflowState;
import io.millrace.api.workflow.WorkflowView;
import io.millrace.platform.identity.Role;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/**
 * A thousand steps of which fifty fail are resumed, hot while they run and cold; the steps' own
 * journal shows that those that succeeded did not run again (J-17).
 */
class ResumedWorkflowTest {
  private static final int STEPS = 1000;
  private static final int EVERY = 20;
  private static final Duration ENOUGH = Duration.ofMinutes(4);

  @RegisterExtension static final Cluster CLUSTER = new Cluster(1, 2, 16);

  @TempDir Path folder;

  private final WorkflowClient workflows = CLUSTER.central(Role.OPERATOR).workflows();

  // Each 20th step fails as long as there is no file named mended; step 1 runs until there is one
  // named free. A line is written when a step has done its work.
  private WorkflowSpec definition(String word) {
    String script =
        """
        cd "$1" || exit 9
        if [ "$2" = 1 ] && [ ! -e free ]; then
          echo "$2 began" >> long
          while [ ! -e free ]; do sleep 0.2; done
        fi
        if [ $(($2 % 20)) = 0 ] && [ ! -e mended ]; then exit 3; fi
        echo "$2 $3" >> journal
        """;
    return new WorkflowSpec(
        "resumed",
        null,
        Map.of(
            "work",
            new StepTemplate(
                JobDraft.command("/bin/sh", "-c", script, "work", folder.toString(), "{i}", word)
                    .spec(),
                Map.of("i", new ValueList(null, new ArrayRange(0, STEPS - 1, 1, 0))),
                false,
                null,
                null)),
        null,
        false,
        null,
        0,
        null,
        null,
        null);
  }

  private long submit(String runKey) {
    return workflows
        .submit(WorkflowGraph.of(definition("first")), runKey, SubmissionListener.NONE)
        .id();
  }

  private void awaitFailures(long id) {
    await("all steps but the long one have ended")
        .atMost(ENOUGH)
        .until(() -> workflows.show(id).workflow().progress().released() == 1);
    assertThat(workflows.show(id).workflow().progress().failed()).isEqualTo(STEPS / EVERY);
  }

  private Map<String, Integer> journal() throws IOException {
    Map<String, Integer> counts = new HashMap<>();
    for (String line : Files.readAllLines(folder.resolve("journal"))) {
      counts.merge(line.split(" ")[0], 1, Integer::sum);
    }
    return counts;
  }

  private void requireOnce() throws IOException {
    assertThat(journal()).hasSize(STEPS).allSatisfy((step, runs) -> assertThat(runs).isOne());
  }

  @Test
  void hotTheFailedStepsRunAgainAndWhatRunsContinues() throws IOException {
    long id = submit("hot");
    awaitFailures(id);
    Files.createFile(folder.resolve("mended"));
    workflows.retry(id, ResumeMode.HOT, false);
    await("the failed steps have succeeded")
        .atMost(ENOUGH)
        .until(() -> workflows.show(id).workflow().progress().succeeded() == STEPS - 1);
    Files.createFile(folder.resolve("free"));
    assertThat(workflows.await(id, ENOUGH).state()).isEqualTo(WorkflowState.SUCCEEDED);
    requireOnce();
    assertThat(Files.readAllLines(folder.resolve("long"))).hasSize(1);
    assertThat(submit("the next night")).isNotEqualTo(id);
  }

  @Test
  void coldWhatRunsIsEndedAndRunsAgainWithTheChangedCommand() throws IOException {
    long id = submit("cold");
    awaitFailures(id);
    Files.createFile(folder.resolve("mended"));
    WorkflowView resumed =
        workflows.submit(
            WorkflowGraph.of(definition("second")),
            "cold",
            ResumeMode.COLD,
            SubmissionListener.NONE);
    assertThat(resumed.id()).isEqualTo(id);
    await("the long step runs again")
        .atMost(ENOUGH)
        .until(() -> Files.readAllLines(folder.resolve("long")).size() == 2);
    Files.createFile(folder.resolve("free"));
    assertThat(workflows.await(id, ENOUGH).state()).isEqualTo(WorkflowState.SUCCEEDED);
    requireOnce();
    List<String> second =
        Files.readAllLines(folder.resolve("journal")).stream()
            .filter(line -> line.endsWith("second"))
            .toList();
    assertThat(second).hasSize(STEPS / EVERY + 1);
  }
}
