package io.millrace.manager.dispatch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.api.ErrorCode;
import io.millrace.api.MillraceException;
import io.millrace.api.job.AttemptId;
import io.millrace.api.job.JobSpec;
import io.millrace.api.job.JobState;
import io.millrace.api.node.NodeRegistration.RegistrationAnswer;
import io.millrace.api.node.PollAnswer;
import io.millrace.api.node.PollAnswer.Assignment;
import io.millrace.api.node.PollAnswer.PollRequest;
import io.millrace.api.node.RequestNumber;
import io.millrace.manager.dispatch.PollService.WorkerTokens;
import io.millrace.manager.job.JobBench;
import io.millrace.manager.node.ExclusiveDao;
import io.millrace.manager.node.Heartbeat;
import io.millrace.manager.node.NodeDao;
import io.millrace.manager.node.NodeKind;
import io.millrace.manager.node.NodeRow;
import io.millrace.platform.clock.SystemClock;
import io.millrace.platform.identity.KeyFiles;
import io.millrace.platform.identity.TokenIssuer;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.jdbi.v3.core.HandleCallback;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Requests of a node that arrive late, twice or out of order, at two central managers on one
 * database: what was overtaken by a newer request changes nothing.
 */
class LateRequestsTest {
  private static final JobSpec SINGLE = JobBench.command().draft().single("nightly").spec();
  private static final UUID NODE = JobBench.E1;

  @TempDir private Path folder;
  private final JobBench one = new JobBench(Heartbeat.defaults());
  private final JobBench two = new JobBench(one.database, Heartbeat.defaults());
  private PollService firstManager;
  private PollService secondManager;
  private NodeRow before;

  @BeforeEach
  void wire() {
    KeyFiles.ensure(folder);
    firstManager = polls(one);
    secondManager = polls(two);
  }

  @AfterEach
  void close() {
    one.close();
  }

  @Test
  void anIdBelongsToTheNodeThatRegisteredItWhateverNumberAnotherOneSends() {
    register(one, JobBench.number());
    NodeRow registered = row();
    RequestNumber highest = new RequestNumber(Long.MAX_VALUE, Long.MAX_VALUE);

    assertThatThrownBy(() -> two.nodes.register(JobBench.registration(NODE, "another", 5), highest))
        .isInstanceOfSatisfying(
            MillraceException.class,
            refusal -> {
              assertThat(refusal.code()).isEqualTo(ErrorCode.CONFLICT);
              assertThat(refusal.getMessage()).doesNotContain(registered.request().toString());
            });

    assertThat(row()).isEqualTo(registered);
    register(one, JobBench.number());
  }

  @Test
  void anIncarnationFromTheFutureIsRefusedWithTheFix() {
    register(one, JobBench.number());

    assertThatThrownBy(() -> register(one, new RequestNumber(Long.MAX_VALUE, 1)))
        .isInstanceOfSatisfying(
            MillraceException.class,
            refusal -> assertThat(refusal.code()).isEqualTo(ErrorCode.INVALID_REQUEST))
        .hasMessageContaining("correct whichever clock is wrong");

    register(one, JobBench.number());
  }

  @Test
  void aRepeatedPollDoesNotWithdrawASingleInstanceThatItsFirstAnswerHandedOut() {
    register(one, JobBench.number());
    long id = two.submit(SINGLE);
    two.place();
    AttemptId attempt = new AttemptId(id, 1);
    RequestNumber first = JobBench.number();
    secondManager.heartbeat(NODE, poll(true), first);
    assertThat(secondManager.instructions(NODE, poll(true), first).start()).hasSize(1);

    // The node has refused new work since, and a copy of its poll arrives.
    firstManager.instructions(NODE, poll(false), first);

    assertThat(one.recorded(NODE)).containsExactly(attempt);
    assertThat(missing()).containsExactly(attempt);
  }

  @Test
  void aPollIsAnsweredWhileABookingTransactionOnTheNodeIsStalled() throws Exception {
    register(one, JobBench.number());
    long id = two.submit(SINGLE);
    two.place();
    RequestNumber number = JobBench.number();
    secondManager.heartbeat(NODE, poll(true), number);

    PollAnswer answer =
        whileLocked("node_lock", () -> secondManager.instructions(NODE, poll(true), number));

    assertThat(answer.start())
        .extracting(Assignment::attempt)
        .containsExactly(new AttemptId(id, 1));
  }

  @Test
  void aPollGetsNoOrdersRatherThanWaitForTheOrdersLock() throws Exception {
    register(one, JobBench.number());
    two.submit(SINGLE);
    two.place();
    RequestNumber number = JobBench.number();
    secondManager.heartbeat(NODE, poll(true), number);

    PollAnswer answer =
        whileLocked("node_orders", () -> secondManager.instructions(NODE, poll(true), number));

    assertThat(answer.start()).isEmpty();
    assertThat(secondManager.instructions(NODE, poll(true), number).start()).hasSize(1);
  }

  @Test
  void aHeartbeatGoesThroughWhileOrdersThatWereGivenAreNotCommitted() throws Exception {
    register(one, JobBench.number());
    long id = one.submit(JobBench.command());
    one.place();
    RequestNumber first = JobBench.number();
    firstManager.heartbeat(NODE, poll(true), first);
    RequestNumber next = JobBench.number();

    NodeRow heard =
        one.database.transaction(
            handle -> {
              // Joins the transaction of this thread, which stands still with its locks.
              assertThat(firstManager.instructions(NODE, poll(true), first).start()).hasSize(1);
              return CompletableFuture.supplyAsync(() -> hearAndRead(next))
                  .get(20, TimeUnit.SECONDS);
            });

    assertThat(heard.request()).isEqualTo(next);
    assertThat(one.state(id)).isEqualTo(JobState.PLACED);
  }

  private NodeRow hearAndRead(RequestNumber number) {
    // Not accepting any more, so that it is written down however soon it comes.
    secondManager.heartbeat(NODE, poll(false), number);
    return two.database.read(handle -> new NodeDao().find(handle, NODE)).orElseThrow();
  }

  @Test
  void ordersAreGivenToThePollThatIsNotOlderThanTheLastThatWasGivenSome() {
    register(one, JobBench.number());
    RequestNumber older = JobBench.number();
    RequestNumber newer = JobBench.number();
    two.submit(JobBench.command());
    two.place();
    // So soon after the registration that it is not written down.
    secondManager.heartbeat(NODE, poll(true), newer);
    assertThat(secondManager.instructions(NODE, poll(true), newer).start()).hasSize(1);

    refused(() -> firstManager.instructions(NODE, poll(true), older));
  }

  @Test
  void aPollThatListsAMissingAttemptIsNotAnsweredUntilThatCanBeWrittenDown() throws Exception {
    register(one, JobBench.number());
    AttemptId attempt = runningSingle();
    register(one, JobBench.number());
    RequestNumber number = JobBench.number();
    secondManager.heartbeat(NODE, poll(true, attempt), number);

    PollRequest lists = poll(true, attempt);
    refusedWhileLocked(() -> secondManager.instructions(NODE, lists, number));

    assertThat(missing()).containsExactly(attempt);
    secondManager.instructions(NODE, poll(true, attempt), number);
    assertThat(missing()).isEmpty();
  }

  @Test
  void aRegistrationThatIsOlderThanAPollThatWasGivenOrdersIsRefused() {
    register(one, JobBench.number());
    RequestNumber late = JobBench.number();
    long id = handedOutByAPollThatTheRowDoesNotShow();

    refused(() -> register(one, late));

    assertThat(one.state(id)).isEqualTo(JobState.PLACED);
  }

  @Test
  void aGoodbyeThatIsOlderThanAPollThatWasGivenOrdersIsRefused() {
    register(one, JobBench.number());
    RequestNumber late = JobBench.number();
    long id = handedOutByAPollThatTheRowDoesNotShow();

    refused(() -> one.nodes.deregister(NODE, late));

    assertThat(one.state(id)).isEqualTo(JobState.PLACED);
  }

  /** A job that a poll was given which came too soon after the registration to be written down. */
  private long handedOutByAPollThatTheRowDoesNotShow() {
    RequestNumber poll = JobBench.number();
    long id = two.submit(JobBench.command());
    two.place();
    secondManager.heartbeat(NODE, poll(true), poll);
    assertThat(secondManager.instructions(NODE, poll(true), poll).start()).hasSize(1);
    return id;
  }

  @Test
  void aGoodbyeOfAnUnregisteredProcessHasNoEffect() {
    register(one, JobBench.number());
    remember();

    code(
        ErrorCode.UNKNOWN_NODE,
        () -> two.nodes.deregister(NODE, new RequestNumber(Long.MAX_VALUE, Long.MAX_VALUE)));

    assertThat(row()).isEqualTo(before);
    register(one, JobBench.number());
  }

  @Test
  void anIncarnationThatWasTakenStaysGoodWhenTheDatabasesClockIsSetBackByDays() {
    long inAWeek = one.database.now().plus(Duration.ofDays(7)).toEpochMilli();
    register(one, new RequestNumber(1, 1));
    one.database.transaction(handle -> handle.execute("update node set incarnation = ?", inAWeek));

    register(two, new RequestNumber(inAWeek, 2));

    assertThat(row().request()).isEqualTo(new RequestNumber(inAWeek, 2));
  }

  @Test
  void aRepeatedPollDoesNotWithdrawWhatItsFirstAnswerHandedOut() {
    register(one, JobBench.number());
    long id = two.submit(JobBench.command());
    two.place();
    RequestNumber poll = JobBench.number();
    secondManager.heartbeat(NODE, poll(true), poll);
    assertThat(secondManager.instructions(NODE, poll(true), poll).start()).hasSize(1);

    // The node has refused new work since, and a copy of its poll arrives.
    firstManager.instructions(NODE, poll(false), poll);

    assertThat(one.state(id)).isEqualTo(JobState.PLACED);
    assertThat(one.recorded(NODE)).containsExactly(new AttemptId(id, 1));
  }

  @Test
  void takingOverANameWaitsForTheOrdersOfItsHolder() throws Exception {
    register(one, JobBench.number());
    one.database.transaction(handle -> new NodeDao().retire(handle, NODE, one.database.now()));
    CountDownLatch done = new CountDownLatch(1);

    CompletableFuture<Void> other =
        asAnotherProcess(
            handle -> {
              handle.execute("select node_id from node_orders for update");
              CompletableFuture<Void> taking =
                  CompletableFuture.runAsync(
                      () -> {
                        two.register(JobBench.registration(JobBench.E2, "e1", 5));
                        done.countDown();
                      });
              assertThat(done.await(1, TimeUnit.SECONDS)).isFalse();
              return taking;
            });

    other.get(20, TimeUnit.SECONDS);
  }

  /** What a call comes to, on another thread, while a transaction has the rows of that table. */
  private <T> T whileLocked(String table, Supplier<T> call) throws Exception {
    return asAnotherProcess(
        handle -> {
          handle.execute("select node_id from " + table + " for update");
          return CompletableFuture.supplyAsync(call).get(20, TimeUnit.SECONDS);
        });
  }

  /** Runs a transaction beside those of this process, of which an embedded database runs one. */
  private <T> T asAnotherProcess(HandleCallback<T, Exception> work) throws Exception {
    return one.database.read(handle -> handle.inTransaction(work));
  }

  private void refusedWhileLocked(ThrowingCallable call) throws Exception {
    whileLocked(
        "node_orders",
        () -> {
          code(ErrorCode.UNAVAILABLE, call);
          return null;
        });
  }

  @Test
  void aMissingAttemptListedByAPollIsNoLongerMissing() {
    register(one, JobBench.number());
    AttemptId attempt = runningSingle();
    register(one, JobBench.number());
    assertThat(missing()).containsExactly(attempt);

    RequestNumber poll = JobBench.number();
    firstManager.heartbeat(NODE, poll(true, attempt), poll);
    assertThat(firstManager.instructions(NODE, poll(true, attempt), poll).stop()).isEmpty();

    assertThat(missing()).isEmpty();
    assertThat(one.state(attempt.job())).isEqualTo(JobState.RUNNING);
  }

  @Test
  void aRegistrationThatComesAfterANewerOneAtAnotherManagerEndsNothing() {
    RequestNumber delayed = JobBench.number();
    register(two, JobBench.number());
    AttemptId attempt = runningSingle();

    refused(() -> register(one, delayed));

    assertThat(one.recorded(NODE)).containsExactly(attempt);
    assertThat(one.state(attempt.job())).isEqualTo(JobState.RUNNING);
    assertThat(row()).isEqualTo(before);
  }

  @Test
  void aRegistrationOfAnEarlierProcessIsRefusedHoweverManyItHasSent() {
    register(two, new RequestNumber(2, 1));
    remember();
    refused(() -> register(one, new RequestNumber(1, 1_000_000)));
    assertThat(row()).isEqualTo(before);
  }

  @Test
  void aRegistrationAfterTheGoodbyeHasNoEffect() {
    RequestNumber delayed = JobBench.number();
    register(two, JobBench.number());
    two.nodes.deregister(NODE, JobBench.number());
    remember();

    refused(() -> register(one, delayed));

    assertThat(row()).isEqualTo(before);
    assertThat(row().lost()).isTrue();
  }

  @Test
  void aRepeatedRegistrationIsAnsweredAndEndsNothing() {
    RequestNumber number = JobBench.number();
    RegistrationAnswer first = register(one, number);
    long id = two.submit(JobBench.command());
    two.place();
    remember();

    RegistrationAnswer second = register(two, number);

    assertThat(second).isEqualTo(first);
    assertThat(two.state(id)).isEqualTo(JobState.PLACED);
    assertThat(row()).isEqualTo(before);
  }

  @Test
  void aRepeatedRegistrationDoesNotReviveANodeLostSince() {
    RequestNumber number = JobBench.number();
    register(one, number);
    one.database.transaction(handle -> new NodeDao().retire(handle, NODE, one.database.now()));

    refused(() -> register(two, number));

    assertThat(row().lost()).isTrue();
  }

  @Test
  void aGoodbyeAfterANewerRegistrationHasNoEffect() {
    register(one, JobBench.number());
    RequestNumber delayed = JobBench.number();
    register(two, JobBench.number());
    AttemptId attempt = runningSingle();

    refused(() -> one.nodes.deregister(NODE, delayed));

    assertThat(row()).isEqualTo(before);
    assertThat(one.state(attempt.job())).isEqualTo(JobState.RUNNING);
  }

  @Test
  void aRepeatedGoodbyeIsAnswered() {
    register(one, JobBench.number());
    RequestNumber goodbye = JobBench.number();
    one.nodes.deregister(NODE, goodbye);
    remember();

    two.nodes.deregister(NODE, goodbye);

    assertThat(row()).isEqualTo(before);
  }

  @Test
  void aPollThatComesAfterANewerRegistrationRenewsNothing() {
    register(one, JobBench.number());
    RequestNumber delayed = JobBench.number();
    register(two, JobBench.number());
    remember();

    refused(() -> firstManager.heartbeat(NODE, poll(false), delayed));

    assertThat(row()).isEqualTo(before);
  }

  @Test
  void aRepeatedPollRenewsNothing() {
    register(one, JobBench.number());
    RequestNumber number = JobBench.number();
    firstManager.heartbeat(NODE, poll(false), number);
    remember();

    secondManager.heartbeat(NODE, poll(false), number);

    assertThat(row()).isEqualTo(before);
  }

  @Test
  void aPollOfAProcessThatHasNotRegisteredMakesItRegister() {
    register(one, new RequestNumber(1, 1));
    code(
        ErrorCode.UNKNOWN_NODE,
        () -> firstManager.heartbeat(NODE, poll(true), new RequestNumber(2, 1)));
  }

  @Test
  void aPollThatWasOvertakenWithdrawsNothing() {
    register(one, JobBench.number());
    RequestNumber frozen = JobBench.number();
    firstManager.heartbeat(NODE, poll(false), frozen);
    long id = two.submit(SINGLE);
    RequestNumber newer = JobBench.number();
    secondManager.heartbeat(NODE, poll(true), newer);
    two.place();
    assertThat(secondManager.instructions(NODE, poll(true), newer).start())
        .extracting(Assignment::attempt)
        .containsExactly(new AttemptId(id, 1));

    refused(() -> firstManager.instructions(NODE, poll(false), frozen));

    assertThat(one.state(id)).isEqualTo(JobState.PLACED);
  }

  @Test
  void aPollOvertakenByARegistrationGetsNothing() {
    register(one, JobBench.number());
    RequestNumber waiting = JobBench.number();
    firstManager.heartbeat(NODE, poll(true), waiting);
    register(two, JobBench.number());
    long id = two.submit(JobBench.command());
    two.place();

    refused(() -> firstManager.instructions(NODE, poll(true), waiting));

    register(two, JobBench.number());
    assertThat(two.queries.view(id).reason()).contains("never handed out");
  }

  @Test
  void aNodeHoldingStaleAttemptsGetsNothingUntilItRequestsMore() {
    register(one, JobBench.number(), new AttemptId(4711, 1));
    one.submit(JobBench.command());
    assertThat(one.place()).isZero();

    firstManager.heartbeat(NODE, poll(true), JobBench.number());

    assertThat(one.place()).isEqualTo(1);
  }

  @Test
  void aReportOfAQueueNodeThatComesAfterANewerOneChangesNothing() {
    RequestNumber delayed = JobBench.number();
    report(two, "{\"new\":1}", JobBench.number());
    remember();

    refused(() -> report(one, "{\"old\":1}", delayed));

    assertThat(row()).isEqualTo(before);
  }

  private static void refused(ThrowingCallable call) {
    code(ErrorCode.STALE_REQUEST, call);
  }

  private static void code(ErrorCode code, ThrowingCallable call) {
    assertThatThrownBy(call)
        .isInstanceOfSatisfying(MillraceException.class, e -> assertThat(e.code()).isEqualTo(code));
  }

  private static RegistrationAnswer register(
      JobBench manager, RequestNumber number, AttemptId... live) {
    return manager.nodes.register(JobBench.registration(NODE, "e1", 2, live), number);
  }

  private static void report(JobBench manager, String report, RequestNumber number) {
    URI address = URI.create("http://127.0.0.1:2");
    manager.registry.renew(
        NodeKind.QUEUE, NODE, "q1", address, report, number, Duration.ofSeconds(6));
  }

  private AttemptId runningSingle() {
    long id = two.submit(SINGLE);
    two.place();
    AttemptId attempt = new AttemptId(id, 1);
    RequestNumber number = JobBench.number();
    secondManager.heartbeat(NODE, poll(true), number);
    PollAnswer answer = secondManager.instructions(NODE, poll(true), number);
    assertThat(answer.start()).extracting(Assignment::attempt).containsExactly(attempt);
    two.start(attempt);
    remember();
    return attempt;
  }

  private void remember() {
    before = row();
  }

  private List<AttemptId> missing() {
    return one.database.read(handle -> new ExclusiveDao().missing(handle)).stream()
        .map(ExclusiveDao.Exclusive::attempt)
        .toList();
  }

  private NodeRow row() {
    return one.database.read(handle -> new NodeDao().find(handle, NODE)).orElseThrow();
  }

  private static PollRequest poll(boolean accepting, AttemptId... held) {
    return new PollRequest(List.of(held), Duration.ZERO, accepting, null);
  }

  private PollService polls(JobBench manager) {
    TokenIssuer issuer = new TokenIssuer(KeyFiles.privateKey(folder), new SystemClock());
    return new PollService(
        manager.database, manager.attempts, new WorkerTokens(issuer), null, Heartbeat.defaults());
  }
}
