package io.millrace.tests.drill.check;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.api.job.JobDetails;
import io.millrace.api.job.JobDraft;
import io.millrace.api.job.JobState;
import io.millrace.api.job.Outcome;
import io.millrace.tests.drill.cluster.FaultTimeline.Injected;
import java.util.List;
import java.util.Set;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class NodeLossesTest {
  private static final double MEMORY = 15;

  private final List<ClusterSample> samples =
      IntStream.rangeClosed(0, 300).mapToObj(second -> sample(second, false)).toList();

  @Test
  void aFrozenNodeMayBeDeclaredLost() {
    assertThat(nodes(faults("e1", 90, 110), sample(99, false), sample(100, true))).isEmpty();
  }

  @Test
  void aLostHealthyNodeIsReported() {
    assertThat(nodes(faults("e2", 90, 110), sample(99, false), sample(100, true)))
        .singleElement()
        .asString()
        .contains("healthy node e1");
  }

  @Test
  void anOutageOfTheDatabaseDoesNotExcuseALoss() {
    assertThat(nodes(faults("database", 30, 95), sample(29, false), sample(97, true))).hasSize(1);
  }

  @Test
  void aLossIsReportedOnceAndAgainOnlyAfterTheNodeReturned() {
    assertThat(
            nodes(
                faults("e2", 0, 1),
                sample(1, false),
                sample(2, true),
                sample(3, true),
                sample(4, false),
                sample(5, true)))
        .hasSize(2);
  }

  @Test
  void aLostAttemptOnAHealthyNodeIsReported() {
    assertThat(attempts(faults("c1", 100, 220), lost(120, 221)))
        .singleElement()
        .asString()
        .contains("attempt 1.1", "none of its processes started");
  }

  @Test
  void anAttemptMayBeLostWithItsNode() {
    assertThat(attempts(faults("e1", 130, 140), lost(120, 141))).isEmpty();
    assertThat(attempts(faults("e1", 110, 118), lost(120, 125))).isEmpty();
  }

  @Test
  void anAttemptWhoseOwnProcessWasKilledMayBeLost() {
    assertThat(attempts(faults("attempt 1.1", 122, 122), lost(120, 125))).isEmpty();
    assertThat(attempts(faults("attempt 1.2", 122, 122), lost(120, 125))).hasSize(1);
    assertThat(attempts(faults("attempt 1.1", 122, 122), lost(120, 160))).hasSize(1);
  }

  @Test
  void aDisturbanceThatEndedLongAgoDoesNotExcuseALoss() {
    assertThat(attempts(faults("e1", 50, 60), lost(120, 125))).hasSize(1);
  }

  private static List<Injected> faults(String target, double from, double until) {
    return List.of(new Injected("fault", Set.of(target), from, until));
  }

  private static Availability availability(List<Injected> faults) {
    return new Availability(faults, List.of("c1", "c2"));
  }

  private static List<String> nodes(List<Injected> faults, ClusterSample... samples) {
    return NodeLosses.ofNodes(Stream.of(samples).toList(), availability(faults), MEMORY);
  }

  private List<String> attempts(List<Injected> faults, JobDetails job) {
    return NodeLosses.ofAttempts(
        List.of(job),
        RunJournal.of(List.of()),
        new DatabaseTimes(samples),
        availability(faults),
        MEMORY);
  }

  private static JobDetails lost(double recorded, double ended) {
    return new RecordedJob(1, JobDraft.command("true").spec())
        .attempt("e1", recorded, ended, Outcome.LOST, null)
        .in(JobState.WAITING);
  }

  private static ClusterSample sample(double second, boolean lost) {
    return new ClusterSample(
        second,
        RecordedJob.database(second),
        List.of(new ClusterSample.Node("e1", lost, 8)),
        List.of());
  }
}
