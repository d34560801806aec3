package io.millrace.manager.dispatch;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.api.job.AttemptId;
import io.millrace.api.job.BatchInput;
import io.millrace.api.job.JobDraft;
import io.millrace.api.job.JobKind;
import io.millrace.api.job.JobSpec;
import io.millrace.api.job.JobState;
import io.millrace.api.node.PollAnswer;
import io.millrace.api.node.PollAnswer.Assignment;
import io.millrace.api.node.PollAnswer.PollRequest;
import io.millrace.api.node.RequestNumber;
import io.millrace.api.queue.WorkerDefinition.WorkerInput;
import io.millrace.manager.dispatch.PollService.WorkerTokens;
import io.millrace.manager.job.JobBench;
import io.millrace.manager.node.Heartbeat;
import io.millrace.manager.node.NodeDao;
import io.millrace.manager.node.NodeKind;
import io.millrace.manager.node.NodeRow;
import io.millrace.platform.clock.ManualClock;
import io.millrace.platform.clock.SystemClock;
import io.millrace.platform.identity.AttemptSecrets;
import io.millrace.platform.identity.KeyFiles;
import io.millrace.platform.identity.Principal;
import io.millrace.platform.identity.Role;
import io.millrace.platform.identity.TokenIssuer;
import io.millrace.platform.identity.TokenVerifier;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class PollServiceTest {
  private static final URI QUEUE_NODE = URI.create("http://127.0.0.1:2");

  @TempDir private Path folder;
  private final JobBench bench = new JobBench(Heartbeat.defaults());
  private PollService polls;

  @BeforeEach
  void employ() {
    KeyFiles.ensure(folder);
    TokenIssuer issuer = new TokenIssuer(KeyFiles.privateKey(folder), new SystemClock());
    AttemptSecrets secrets = new AttemptSecrets(KeyFiles.privateKey(folder));
    polls =
        new PollService(
            bench.database,
            bench.attempts,
            new WorkerTokens(issuer),
            secrets,
            Heartbeat.defaults());
    bench.employ(JobBench.E1, "e1", 2);
    bench.registry.renew(
        NodeKind.QUEUE,
        new UUID(2, 1),
        "q1",
        QUEUE_NODE,
        null,
        JobBench.number(),
        Duration.ofMinutes(1));
  }

  @AfterEach
  void close() {
    bench.close();
  }

  @Test
  void aWorkerGetsTheAddressOfItsSegmentAndATokenForItsQueueAndAttemptOnly() {
    long id = bench.submit(JobKind.WORKER, JobBench.worker("alert", "q1")).get(0);
    bench.place();
    Assignment assignment = poll(true).start().get(0);
    AttemptId attempt = new AttemptId(id, 1);
    assertThat(assignment.attempt()).isEqualTo(attempt);
    assertThat(assignment.kind()).isEqualTo(JobKind.WORKER);
    assertThat(assignment.queueNode()).isEqualTo(QUEUE_NODE);
    TokenVerifier verifier =
        new TokenVerifier(
            KeyFiles.publicKey(folder.resolve(KeyFiles.PUBLIC)),
            new SystemClock(),
            "queue-node/q1");
    Principal principal = verifier.verify(assignment.workerToken()).orElseThrow();
    assertThat(principal.role()).isEqualTo(Role.WORKER);
    assertThat(principal.queue()).contains("alert");
    assertThat(principal.attempt()).contains(attempt);
  }

  @Test
  void aWorkerOfARunGetsATokenForItsRunAndAttemptOnlyAndNoOtherJobDoes() {
    JobDraft draft = JobDraft.command("work");
    List<Long> jobs =
        bench.submit(
            "task:nightly",
            JobKind.SUBMITTED,
            draft.timeout(Duration.ofHours(1)).spec(),
            draft.timeout(null).spec());
    bench.database.transaction(
        handle ->
            handle.execute(
                "insert into task_worker (run_id, role, state, position, chunk, job_id)"
                    + " values (17, 'WORK', 'LIVE', 0, 'a', ?)",
                jobs.get(0)));
    bench.place();

    Map<Long, Assignment> start =
        poll(true).start().stream()
            .collect(Collectors.toMap(one -> one.attempt().job(), Function.identity()));
    String token = start.get(jobs.get(0)).workerToken();
    ManualClock clock = new ManualClock(Instant.now());
    TokenVerifier verifier =
        new TokenVerifier(
            KeyFiles.publicKey(folder.resolve(KeyFiles.PUBLIC)), clock, "queue-node/q1");
    assertThat(verifier.verify(token))
        .contains(Principal.taskWorker(17, new AttemptId(jobs.get(0), 1)));
    clock.stepWall(Duration.ofHours(5));
    assertThat(verifier.verify(token)).isEmpty();
    assertThat(start.get(jobs.get(1)).workerToken())
        .as("a job of the task that works for no run")
        .isNull();
  }

  @Test
  void aServerWhoseClockIsTwoHoursAheadAcceptsTheTokensOfShortWorkers() {
    ManualClock clock = new ManualClock(Instant.now());
    WorkerTokens tokens =
        new WorkerTokens(new TokenIssuer(KeyFiles.privateKey(folder), new SystemClock()));
    TokenVerifier verifier =
        new TokenVerifier(
            KeyFiles.publicKey(folder.resolve(KeyFiles.PUBLIC)), clock, "queue-node/q1");
    JobSpec worker =
        JobDraft.command("work")
            .input(new BatchInput("alert", "q1", WorkerInput.STDIN, 10, Duration.ofSeconds(30), 1))
            .timeout(Duration.ofMinutes(5))
            .spec();
    AttemptId attempt = new AttemptId(7, 1);
    List<String> issued = List.of(tokens.issue(attempt, worker), tokens.issue(attempt, worker, 3));

    clock.stepWall(Duration.ofHours(2).plusMinutes(30));
    assertThat(issued).allSatisfy(token -> assertThat(verifier.verify(token)).isPresent());
  }

  /** The timeout of such a worker is one for an event; the worker lasts as long as it is needed. */
  @Test
  void theTokenOfAWorkerOfSessionsIsForSomeHoursAndIsRenewedWithTheSecretOfItsAttempt() {
    BatchInput sessions =
        new BatchInput("alert", "q1", WorkerInput.SESSION, 10, Duration.ofSeconds(30), 1);
    KeyFiles.ensure(folder);
    ManualClock clock = new ManualClock(Instant.parse("2026-01-01T00:00:00Z"));
    WorkerTokens tokens = new WorkerTokens(new TokenIssuer(KeyFiles.privateKey(folder), clock));
    TokenVerifier verifier =
        new TokenVerifier(
            KeyFiles.publicKey(folder.resolve(KeyFiles.PUBLIC)), clock, "queue-node/q1");
    AttemptId attempt = new AttemptId(7, 1);
    List<String> issued =
        List.of(
            tokens.issue(attempt, JobDraft.command("work").input(sessions).spec()),
            tokens.issue(
                attempt,
                JobDraft.command("work").input(sessions).timeout(Duration.ofSeconds(5)).spec()));

    clock.stepWall(Duration.ofHours(5));
    assertThat(issued).allSatisfy(token -> assertThat(verifier.verify(token)).isPresent());
    clock.stepWall(Duration.ofHours(2));
    assertThat(issued).allSatisfy(token -> assertThat(verifier.verify(token)).isEmpty());
  }

  @Test
  void pollsShortlyAfterOneAnotherAreOneHeartbeatAndNodesCountOnAsMuchLess() {
    polls.heartbeat(JobBench.E1, request(true), JobBench.number());
    NodeRow first = row();
    polls.heartbeat(JobBench.E1, request(true), JobBench.number());

    assertThat(first.lease())
        .isEqualTo(Heartbeat.defaults().announcedLease().plus(Heartbeat.defaults().unrecorded()));
    assertThat(Duration.between(first.heardAt(), row().heardAt()))
        .matches(
            between ->
                between.isZero() || between.compareTo(Heartbeat.defaults().unrecorded()) >= 0);
  }

  @Test
  void aNodeThatStopsAcceptingTakesEffectImmediately() {
    polls.heartbeat(JobBench.E1, request(true), JobBench.number());
    polls.heartbeat(JobBench.E1, request(false), JobBench.number());

    assertThat(row().accepting()).isFalse();
  }

  @Test
  void aNodeIsNotGivenMoreThanItCanStartBetweenTwoPolls() {
    bench.submit(
        JobKind.SUBMITTED,
        Collections.nCopies(300, JobDraft.program("noop").spec()).toArray(JobSpec[]::new));
    bench.place();

    List<AttemptId> first = poll(true).start().stream().map(Assignment::attempt).toList();
    List<AttemptId> second =
        poll(true, first.toArray(AttemptId[]::new)).start().stream()
            .map(Assignment::attempt)
            .toList();

    assertThat(first).hasSize(250);
    assertThat(second).hasSize(50).doesNotContainAnyElementsOf(first);
  }

  private NodeRow row() {
    return bench.database.read(handle -> new NodeDao().find(handle, JobBench.E1)).orElseThrow();
  }

  @Test
  void aLostAnswerIsRepeated() {
    bench.submit(JobBench.command());
    bench.place();
    Assignment first = poll(true).start().get(0);
    assertThat(poll(true).start()).extracting(Assignment::attempt).contains(first.attempt());
    assertThat(poll(true, first.attempt()).start()).isEmpty();
  }

  @Test
  void aJobCancelledBeforeItsNodeTookItEndsAtTheNextPoll() {
    long id = bench.submit(JobBench.command());
    bench.place();
    bench.ledger.cancel(id, "cancelled by ann");
    assertThat(poll(true).start()).isEmpty();
    assertThat(bench.state(id)).isEqualTo(JobState.CANCELLED);
    assertThat(bench.recorded(JobBench.E1)).isEmpty();
  }

  @Test
  void aDrainingNodeGetsNothingAndReturnsWhatItDidNotTake() {
    long id = bench.submit(JobBench.command());
    bench.place();
    assertThat(poll(false).start()).isEmpty();
    assertThat(bench.state(id)).isEqualTo(JobState.WAITING);
    assertThat(bench.place()).isZero();
    poll(true);
    assertThat(bench.place()).isEqualTo(1);
  }

  private static PollRequest request(boolean accepting, AttemptId... held) {
    return new PollRequest(List.of(held), Duration.ZERO, accepting, null);
  }

  private PollAnswer poll(boolean accepting, AttemptId... held) {
    PollRequest request = request(accepting, held);
    RequestNumber number = JobBench.number();
    polls.heartbeat(JobBench.E1, request, number);
    return polls.instructions(JobBench.E1, request, number);
  }
}
