package io.millrace.manager.dispatch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.api.ErrorCode;
import io.millrace.api.Json;
import io.millrace.api.MillraceException;
import io.millrace.api.job.AttemptId;
import io.millrace.api.job.ReportedProgress;
import io.millrace.api.node.PollAnswer.PollRequest;
import io.millrace.api.node.PollAnswer.ProgressReport;
import io.millrace.manager.job.JobBench;
import io.millrace.manager.node.ClockWatch.NodeClock;
import io.millrace.manager.node.Heartbeat;
import io.millrace.manager.node.NodeDao;
import io.millrace.manager.node.NodeRow;
import java.time.Duration;
import java.time.Instant;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class PollRulesTest {
  private final JobBench bench = new JobBench(Heartbeat.defaults());
  private final PollService polls =
      new PollService(bench.database, bench.attempts, null, null, Heartbeat.defaults());

  @BeforeEach
  void employ() {
    bench.employ(JobBench.E1, "e1", 2);
  }

  @AfterEach
  void close() {
    bench.close();
  }

  @ParameterizedTest
  @ValueSource(strings = {"{}", "{\"held\":null}", "{\"held\":[null]}", "null"})
  void aPollWithoutTheListOfHeldAttemptsIsRefusedAndIsNotAHeartbeat(String body) {
    assertRefused(Json.read(body, PollRequest.class), "held: ");
  }

  @Test
  void aPollThatListsMoreThanANodeCanHoldIsRefused() {
    List<AttemptId> many = Collections.nCopies(100_001, new AttemptId(1, 1));
    assertRefused(
        new PollRequest(many, Duration.ZERO, true, null),
        "held: 100001 attempts; list at most 100000");
  }

  @Test
  void aPollWithTooMuchProgressOrWithNullInItIsRefused() {
    ProgressReport one =
        new ProgressReport(new AttemptId(1, 1), new ReportedProgress(1.0, null, null, null));
    assertRefused(
        new PollRequest(List.of(), Duration.ZERO, true, null, Collections.nCopies(101, one)),
        "progress: 101 reports; send at most 100");
    assertRefused(
        Json.read("{\"held\":[],\"progress\":[{\"attempt\":\"1.1\"}]}", PollRequest.class),
        "progress: contains null");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "+292000000-01-01T00:00:00Z",
        "-292000000-01-01T00:00:00Z",
        "+1000000000-01-01T00:00:00Z",
        "+10000-01-01T00:00:00Z"
      })
  void anInvalidClockReadingIsRefused(String clock) {
    assertRefused(new PollRequest(List.of(), Duration.ZERO, true, Instant.parse(clock)), "clock: ");
  }

  @Test
  void aClockThatLostItsTimeIsAccepted() {
    ageHeartbeat();
    polls.heartbeat(
        JobBench.E1,
        new PollRequest(List.of(), Duration.ZERO, true, Instant.EPOCH),
        JobBench.number());
    assertThat(bench.database.read(new NodeDao()::clocks))
        .singleElement()
        .extracting(NodeClock::offsetMillis)
        .satisfies(offset -> assertThat(offset).isNegative());
  }

  private void assertRefused(PollRequest request, String words) {
    ageHeartbeat();
    NodeRow before = row();
    assertThatThrownBy(() -> polls.heartbeat(JobBench.E1, request, JobBench.number()))
        .isInstanceOfSatisfying(
            MillraceException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.INVALID_REQUEST))
        .hasMessageStartingWith(words);
    assertThat(row()).isEqualTo(before);
  }

  // So that the next poll is written down.
  private void ageHeartbeat() {
    bench.database.transaction(
        handle -> handle.execute("update node set heard_at = dateadd(second, -1, heard_at)"));
  }

  private NodeRow row() {
    return bench.database.read(handle -> new NodeDao().find(handle, JobBench.E1)).orElseThrow();
  }
}
