package io.millrace.cli.job;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.api.job.JobExplanation;
import io.millrace.api.job.JobExplanation.NodeVerdict;
import io.millrace.api.job.JobExplanation.WaitReason;
import io.millrace.api.job.JobExplanation.WaitSpan;
import io.millrace.api.job.JobState;
import io.millrace.api.job.WaitCode;
import io.millrace.cli.CommandRun;
import io.millrace.cli.FakeCluster;
import io.millrace.cli.Samples;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;

class ExplainTest {
  private static final Instant NOW = CommandRun.NOW;

  private final FakeCluster cluster = new FakeCluster();
  private final CommandRun run = new CommandRun(cluster);

  @Test
  void waitingJobIsExplainedWithTheAnswerOfEachNodeAndItsWaits() {
    WaitReason match =
        new WaitReason(WaitCode.NO_MATCH, "no node matches memory >= 64GB: the best has 16GB");
    WaitReason licence = new WaitReason(WaitCode.LICENCE, "licence solver is in use by 12.1");
    cluster.answering(
        "GET /v1/jobs/17/explanation",
        new JobExplanation(
            Samples.job(17, "report", JobState.WAITING, null),
            List.of(match, licence),
            List.of(new NodeVerdict("e1", match), new NodeVerdict("e2", null)),
            List.of(
                new WaitSpan(
                    WaitCode.NO_SLOT,
                    "all slots taken",
                    NOW.minusSeconds(840),
                    NOW.minusSeconds(300)),
                new WaitSpan(WaitCode.LICENCE, "in use", NOW.minusSeconds(300), null))));

    assertThat(run.run("job", "explain", "17")).isZero();

    assertThat(run.output())
        .isEqualTo(
            """
            job 17  report
              state       waiting
              pool        default
              priority    0
              share       admin
              waits for   no node matches memory >= 64GB: the best has 16GB
              also        licence solver is in use by 12.1
              waited      14m00s in total: 9m00s no slot, 5m00s licence

            Nodes of the pool
              NODE  REASON
              e1    no node matches memory >= 64GB: the best has 16GB
              e2    can run it

            What it waited for
              FROM                    FOR  CODE     REASON
              2026-03-01T11:46:00Z  9m00s  no slot  all slots taken
              2026-03-01T11:55:00Z  5m00s  licence  in use
            """);
  }

  @Test
  void endedJobKeepsItsWaits() {
    cluster.answering(
        "GET /v1/jobs/17/explanation",
        new JobExplanation(
            Samples.job(17, "report", JobState.FAILED, 3),
            List.of(),
            List.of(),
            List.of(
                new WaitSpan(
                    WaitCode.LANE,
                    "job 12 comes first",
                    NOW.minusSeconds(60),
                    NOW.minusSeconds(20)))));

    run.run("job", "explain", "17");

    assertThat(run.output())
        .contains("exit code 3")
        .contains("40.0s in total: 40.0s lane")
        .contains("job 12 comes first")
        .doesNotContain("waits for");
  }

  @Test
  void explanationsAreEscaped() {
    cluster.answering(
        "GET /v1/jobs/17/explanation",
        new JobExplanation(
            Samples.job(17, "report", JobState.WAITING, null),
            List.of(new WaitReason(WaitCode.NO_MATCH, "\u001b[2J")),
            List.of(new NodeVerdict("\u001b]0;x\u0007", null)),
            List.of()));
    run.run("job", "explain", "17");
    assertThat(run.output()).doesNotContain("\u001b", "\u0007");
  }

  @Test
  void jsonIsTheExplanationOfTheServer() {
    cluster.answering(
        "GET /v1/jobs/17/explanation",
        new JobExplanation(
            Samples.job(17, "report", JobState.WAITING, null),
            List.of(new WaitReason(WaitCode.HELD, "held by ann")),
            List.of(),
            List.of()));
    run.run("job", "explain", "17", "--json");
    assertThat(run.output())
        .contains("\"reasons\":[{\"code\":\"HELD\",\"words\":\"held by ann\"}]");
  }
}
