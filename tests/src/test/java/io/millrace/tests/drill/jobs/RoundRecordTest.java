package io.millrace.tests.drill.jobs;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.api.NodeStatus;
import io.millrace.api.job.JobDetails;
import io.millrace.api.job.JobDraft;
import io.millrace.api.job.JobState;
import io.millrace.api.job.Outcome;
import io.millrace.api.node.ExecutionNodeView;
import io.millrace.api.node.NodeRegistration.NodeCapacity;
import io.millrace.tests.drill.check.Availability;
import io.millrace.tests.drill.check.ClusterSample;
import io.millrace.tests.drill.check.RecordedJob;
import io.millrace.tests.drill.check.RunJournal;
import io.millrace.tests.drill.cluster.FaultTimeline.Injected;
import io.millrace.tests.drill.jobs.DrillJob.Rule;
import java.net.URI;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class RoundRecordTest {
  private static final UUID NODE = UUID.randomUUID();
  private static final int SLOTS = 4;

  private final List<String> lines = new ArrayList<>();
  private final List<RecordedJobs> files = new ArrayList<>();

  @Test
  void jobsThatFillANodeAndItsLicencesAreAccepted() {
    ran(1, licensed(), 1, 10, Outcome.SUCCEEDED);
    ran(2, licensed(), 1, 10, Outcome.SUCCEEDED);
    ran(3, licensed(), 10, 20, Outcome.SUCCEEDED);
    ran(4, JobDraft.command("true").slots(2), 2, 9, Outcome.SUCCEEDED);

    assertThat(violations()).isEmpty();
  }

  @Test
  void eachJobCountsWithTheSlotsThatItTakes() {
    ran(1, JobDraft.command("true").slots(2), 1, 10, Outcome.SUCCEEDED);
    ran(2, JobDraft.command("true").slots(3), 9, 12, Outcome.SUCCEEDED);

    assertThat(violations()).singleElement().asString().contains("slots of " + NODE, "5 of 4");
  }

  @Test
  void oneLicenceTooManyIsReported() {
    for (int id = 1; id <= JobMix.LICENCES + 1; id++) {
      ran(id, licensed(), id, 10, Outcome.SUCCEEDED);
    }

    assertThat(violations()).singleElement().asString().contains(JobMix.LICENCE);
  }

  @Test
  void aJobLostWithItsNodeHoldsNoLicence() {
    ran(1, licensed(), 1, 10, Outcome.SUCCEEDED);
    // Declared lost at 5, but running until 10.
    lines.add("start 2.1 12 1.00 " + NODE + " a");
    lines.add("beat 2.1 12 10.00");
    file(
        new RecordedJob(2, licensed().spec())
            .attempt("e1", 1, 5, Outcome.LOST, null)
            .in(JobState.WAITING));
    ran(3, licensed(), 7, 10, Outcome.SUCCEEDED);

    assertThat(violations(new Injected("freeze", Set.of("e1"), 2, 6))).isEmpty();
    assertThat(violations()).singleElement().asString().contains("on healthy node e1 was lost");
  }

  private static JobDraft licensed() {
    return JobDraft.command("true").licences(Map.of(JobMix.LICENCE, 1));
  }

  private void ran(long id, JobDraft draft, int from, int until, Outcome outcome) {
    lines.add("start %d.1 1%d %d.00 %s a".formatted(id, id, from, NODE));
    lines.add("end %d.1 1%d %d.00 0".formatted(id, id, until));
    file(
        new RecordedJob(id, draft.spec())
            .attempt("e1", from, until, outcome, 0)
            .in(JobState.SUCCEEDED));
  }

  private void file(JobDetails job) {
    AcceptedJob submitted = new AcceptedJob(job.job().id(), new DrillJob(Rule.PLAIN, job.spec()));
    files.add(new RecordedJobs(submitted, job, List.of()));
  }

  private List<String> violations(Injected... faults) {
    List<ClusterSample> samples =
        IntStream.rangeClosed(0, 30)
            .mapToObj(
                second ->
                    new ClusterSample(second, RecordedJob.database(second), List.of(), List.of()))
            .toList();
    Availability availability = new Availability(List.of(faults), List.of("c1"));
    return new RoundRecord(RunJournal.of(lines), files, samples, availability, List.of(node()))
        .violations();
  }

  private static ExecutionNodeView node() {
    return new ExecutionNodeView(
        NODE,
        "e1",
        URI.create("http://127.0.0.1:1"),
        NodeStatus.ACTIVE,
        false,
        NodeCapacity.ofSlots(SLOTS),
        0,
        0,
        0,
        Map.of(),
        List.of("default"),
        Map.of(),
        0,
        List.of(),
        true,
        null,
        null,
        List.of(),
        0L,
        null,
        0,
        0);
  }
}
