package io.millrace.cli.job;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.api.Json;
import io.millrace.api.client.HttpTransport.HttpAnswer;
import io.millrace.api.client.HttpTransport.HttpCall;
import io.millrace.api.job.JobAction;
import io.millrace.api.job.JobAction.JobActionAnswer;
import io.millrace.api.job.JobAction.JobActionAnswer.Refusal;
import io.millrace.api.job.JobState;
import io.millrace.api.job.JobView;
import io.millrace.api.job.JobView.JobPage;
import io.millrace.cli.CommandRun;
import io.millrace.cli.FakeCluster;
import io.millrace.cli.Samples;
import java.util.List;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ActionCommandsTest {
  private static final String ACTIONS = "POST /v1/jobs/actions";

  private final FakeCluster cluster = new FakeCluster();
  private final CommandRun run = new CommandRun(cluster);

  @ParameterizedTest
  @CsvSource({
    "cancel,CANCEL,2 jobs cancelled",
    "hold,HOLD,2 jobs held",
    "release,RELEASE,2 jobs released",
    "retry,RETRY,2 jobs requeued"
  })
  void severalJobsAreOneRequest(String verb, JobAction.Verb sent, String words) {
    cluster.answering(ACTIONS, new JobActionAnswer(2, 2, List.of()));
    assertThat(run.run("job", verb, "3", "4", "--reason", "tidy")).isZero();
    assertThat(action()).isEqualTo(JobAction.on(List.of(3L, 4L), sent, "tidy"));
    assertThat(run.output()).isEqualTo(words + "\n");
  }

  @Test
  void deletionOfNamedJobsAsksUnlessYesIsGiven() {
    cluster.answering(ACTIONS, new JobActionAnswer(2, 2, List.of()));
    assertThat(run.run("job", "delete", "3", "4")).isEqualTo(2);
    assertThat(run.messages()).contains("permanently deletes these jobs").contains("--yes");
    assertThat(cluster.asked()).isEmpty();

    CommandRun sure = new CommandRun(cluster);
    assertThat(sure.run("job", "delete", "3", "4", "--yes")).isZero();
    assertThat(action()).isEqualTo(JobAction.on(List.of(3L, 4L), JobAction.Verb.DELETE, null));
    assertThat(sure.output()).isEqualTo("2 jobs deleted\n");
  }

  @Test
  void priorityIsSetWithTo() {
    cluster.answering(ACTIONS, new JobActionAnswer(1, 1, List.of()));
    assertThat(run.run("job", "priority", "3", "--to", "-5")).isZero();
    assertThat(action().verb()).isEqualTo(JobAction.Verb.PRIORITY);
    assertThat(action().priority()).isEqualTo(-5);
  }

  @Test
  void anUnchangedJobIsReportedWithItsReasonAndExitCodeConflict() {
    Refusal refusal = new Refusal(4, "has succeeded\u001b[2J");
    cluster.answering(ACTIONS, new JobActionAnswer(2, 1, List.of(refusal)));
    assertThat(run.run("job", "cancel", "3", "4")).isEqualTo(6);
    assertThat(run.output()).isEqualTo("1 of 2 jobs cancelled\n");
    assertThat(run.messages()).isEqualTo("job 4 was not changed: it has succeeded\\x1b[2J\n");
  }

  @Test
  void aRetryMayIncludeDependents() {
    cluster.answering(ACTIONS, new JobActionAnswer(3, 3, List.of()));
    assertThat(run.run("job", "retry", "17", "--dependents")).isZero();
    assertThat(action().dependents()).isTrue();
    assertThat(run.output()).isEqualTo("3 jobs requeued\n");
    assertThat(run.run("job", "hold", "17", "--dependents")).isEqualTo(2);
  }

  @Test
  void searchWithYesIsSentAtOnce() {
    cluster.answering(ACTIONS, new JobActionAnswer(500, 412, List.of()));
    assertThat(run.run("job", "cancel", "--search", "state:waiting tag:x", "--yes")).isZero();
    assertThat(action())
        .isEqualTo(
            new JobAction(
                JobAction.Verb.CANCEL, List.of(), "state:waiting tag:x", null, null, false, false));
    assertThat(run.output()).isEqualTo("412 of 500 jobs cancelled\n");
  }

  @Test
  void dryRunOnlyCountsAndDoesNotAsk() {
    cluster.answering(ACTIONS, new JobActionAnswer(412, 412, List.of()));
    assertThat(run.run("job", "hold", "--search", "tag:x", "--dry-run")).isZero();
    assertThat(action().dryRun()).isTrue();
    assertThat(cluster.asked()).hasSize(1);
    assertThat(run.output()).isEqualTo("412 jobs would be held\n");
  }

  @Test
  void onATerminalTheNumberOfJobsIsShownBeforeConfirmation() {
    cluster.when(ACTIONS, ActionCommandsTest::counted);
    assertThat(run.onTerminal().reading("no\n").run("job", "cancel", "--search", "tag:x"))
        .isEqualTo(2);
    assertThat(run.messages()).contains("This cancels 7 jobs.").contains("nothing was changed");
    assertThat(cluster.asked()).hasSize(1);

    CommandRun sure = new CommandRun(cluster).onTerminal().reading("yes\n");
    assertThat(sure.run("job", "cancel", "--search", "tag:x")).isZero();
    assertThat(action().dryRun()).isFalse();
    assertThat(sure.output()).isEqualTo("7 jobs cancelled\n");
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 400, 49_999, 50_000, 99_000, 99_999, 100_000})
  void elementOfALargeArrayIsFoundInFewPages(long index) {
    // An array of 100,000 elements, whose ids lie three apart among those of other jobs.
    cluster
        .when("GET /v1/jobs?search=array%3A17&limit=1000", ActionCommandsTest::elements)
        .answering(ACTIONS, new JobActionAnswer(1, 1, List.of()));
    assertThat(run.run("job", "cancel", "17[" + index + "]")).as(run.messages()).isZero();
    assertThat(action().ids()).containsExactly(1000 + 3 * index);
    assertThat(cluster.asked().size()).isLessThan(25);
  }

  @ParameterizedTest
  @ValueSource(longs = {0, 100_001, 1_000_000_000})
  void elementBeyondTheArrayIsNotFound(long index) {
    cluster.when("GET /v1/jobs?search=array%3A17&limit=1000", ActionCommandsTest::elements);
    assertThat(run.run("job", "cancel", "17[" + index + "]")).isEqualTo(3);
    assertThat(cluster.asked().size()).isLessThan(25);
  }

  private static HttpAnswer elements(HttpCall call) {
    String query = call.uri().getQuery();
    int at = query.indexOf("&before=");
    long below = at < 0 ? Long.MAX_VALUE : Long.parseLong(query.substring(at + 8));
    List<JobView> page =
        LongStream.iterate(Math.min(100_000, (below - 1001) / 3 + 1), index -> index - 1)
            .limit(1002)
            .filter(index -> index >= 1 && 1000 + 3 * index < below)
            .limit(1000)
            .mapToObj(index -> Samples.element(1000 + 3 * index, 17, index, JobState.WAITING, null))
            .toList();
    return FakeCluster.answer(
        200, "application/json", Json.writeBytes(new JobPage(page, page.isEmpty() ? null : 1L)));
  }

  @Test
  void anUnknownElementIsNotFoundAndNothingIsChanged() {
    cluster.answering("GET /v1/jobs", new JobPage(List.of(), null));
    assertThat(run.run("job", "cancel", "17[3]")).isEqualTo(3);
    assertThat(run.messages()).contains("17[3]").contains("millrace job list array:17");
    assertThat(cluster.asked()).noneMatch(call -> call.startsWith("POST"));
  }

  @Test
  void jsonIsTheAnswer() {
    cluster.answering(ACTIONS, new JobActionAnswer(1, 1, List.of()));
    run.run("job", "release", "3", "--json");
    assertThat(run.output()).isEqualTo("{\"matched\":1,\"changed\":1,\"unchanged\":[]}\n");
  }

  private static HttpAnswer counted(HttpCall call) {
    return FakeCluster.answer(
        200, "application/json", Json.writeBytes(new JobActionAnswer(7, 7, List.of())));
  }

  private JobAction action() {
    return Json.read(cluster.last().body(), JobAction.class);
  }
}
