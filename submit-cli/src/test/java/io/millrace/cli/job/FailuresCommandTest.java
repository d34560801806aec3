package io.millrace.cli.job;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.api.insight.FailureGroups;
import io.millrace.api.insight.FailureGroups.FailureGroup;
import io.millrace.api.insight.FailureGroups.FailureSample;
import io.millrace.api.job.JobDetails;
import io.millrace.api.job.JobDraft;
import io.millrace.api.job.JobState;
import io.millrace.cli.CommandRun;
import io.millrace.cli.FakeCluster;
import io.millrace.cli.Samples;
import java.util.List;
import org.junit.jupiter.api.Test;

class FailuresCommandTest {
  private static final FailureSample SAMPLE =
      new FailureSample("17[4]", 21L, 2, "e1", null, "one\ntwo\nno \u001b[2Jpaper in 4\n");
  private static final FailureGroups GROUPS =
      new FailureGroups(
          1_203,
          true,
          2,
          List.of(
              new FailureGroup(
                  "exit code 3", "no paper in #", 1_201, List.of("17[4]", "17[3]"), SAMPLE)),
          List.of("q2"));

  private final FakeCluster cluster = new FakeCluster();
  private final CommandRun run = new CommandRun(cluster);

  @Test
  void failuresAreShownByCauseWithASampleAndWhatIsMissingIsSaid() {
    cluster.answering("GET /v1/jobs/failures", GROUPS);
    assertThat(run.run("job", "failures", "array:17", "-exit:0", "--tail", "2")).isZero();
    assertThat(cluster.asked())
        .containsExactly("GET /v1/jobs/failures?search=array%3A17%20-exit%3A0");
    assertThat(run.output())
        .isEqualTo(
            """
            1,201  no paper in #  (exit code 3)
              17[4] 17[3] and 1,199 more
              sample 17[4], attempt 2 on e1
              | two
              | no \\x1b[2Jpaper in 4
            """);
    assertThat(run.messages())
        .contains("2 further failed jobs have rarer causes")
        .contains("only the newest 1,203 failed jobs were examined");
  }

  @Test
  void theLogsOfAnArrayThatFailedAreThoseOfItsElements() {
    cluster
        .answering("GET /v1/jobs/failures", GROUPS)
        .answering(
            "GET /v1/jobs/17",
            new JobDetails(
                Samples.job(17, "a", JobState.FAILED, 3),
                JobDraft.command("/bin/true").spec(),
                List.of(),
                List.of()));
    assertThat(run.run("job", "logs", "17", "--failed")).isZero();
    assertThat(cluster.asked()).contains("GET /v1/jobs/failures?search=id%3A17");
    assertThat(run.run("job", "logs", "17", "--failed", "-f")).isEqualTo(2);
    assertThat(run.messages()).contains("--failed: can be combined with --tail only");
  }

  @Test
  void anUnknownOptionIsNoSearchTerm() {
    assertThat(run.run("job", "failures", "--nonsense")).isEqualTo(2);
    assertThat(run.messages()).contains("Unknown option: '--nonsense'");
  }

  @Test
  void deadLettersAreShownInTheSameWayAndSilentNodesAreNamed() {
    cluster.answering("GET /v1/queues/alert/dead/groups", GROUPS);
    assertThat(run.run("queue", "dead", "groups", "alert")).isZero();
    assertThat(run.output()).startsWith("1,201  no paper in #  (exit code 3)\n");
    assertThat(run.messages()).contains("q2").contains("2 further dead letters");
  }

  @Test
  void theOptionSearchIsTheSameAsTheWords() {
    cluster.answering(
        "GET /v1/jobs/failures", new FailureGroups(0, false, 0, List.of(), List.of()));
    run.run("job", "failures", "--search", "array:17 exit:7");
    assertThat(cluster.asked()).last().asString().contains("search=array%3A17%20exit%3A7");
  }
}
