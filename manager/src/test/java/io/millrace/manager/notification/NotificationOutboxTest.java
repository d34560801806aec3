package io.millrace.manager.notification;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.sun.net.httpserver.HttpServer;
import io.millrace.api.job.AttemptId;
import io.millrace.api.job.JobSpec;
import io.millrace.api.job.JobView;
import io.millrace.api.job.Outcome;
import io.millrace.api.notification.Notification;
import io.millrace.api.notification.Notification.Occasion;
import io.millrace.manager.job.JobBench;
import io.millrace.manager.job.JobReadDao;
import io.millrace.manager.notification.NoticeFailureDao.NoticeFailure;
import io.millrace.manager.notification.SubjectNoticeDao.NoticeSubject;
import io.millrace.manager.notification.SubjectOutbox.NoticeTarget;
import io.millrace.platform.claim.Claim;
import io.millrace.platform.http.NameResolver;
import io.millrace.platform.http.OutsideCalls;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class NotificationOutboxTest {
  private final JobBench bench = JobBench.withTwoNodes(2);
  private final Queue<String> received = new ConcurrentLinkedQueue<>();
  private HttpServer server;
  private int status = 200;
  private Claim claim;

  @BeforeEach
  void listen() throws IOException {
    bench.ledger.watch(new NotificationOutbox(bench.database.dialect()));
    bench.ledger.watch(new CommandOutcomes());
    claim = bench.claims.acquireOrRenew("tell", "t", Duration.ofMinutes(10)).orElseThrow();
    server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.createContext(
        "/",
        exchange -> {
          received.add(
              new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8));
          exchange.sendResponseHeaders(status, -1);
          exchange.close();
        });
    server.start();
  }

  @AfterEach
  void close() {
    server.stop(0);
    bench.close();
  }

  @Test
  void aFailedJobRunsItsNotificationCommandOnceAsAJob() {
    failed(new Notification(null, List.of("/bin/tell"), null, null));
    deliver(true);
    deliver(true);
    JobView told = job("notify backup");
    assertThat(told.owner()).isEqualTo("ann");
    JobSpec spec =
        bench
            .database
            .read(handle -> new JobReadDao(bench.database.dialect()).spec(handle, told.id()))
            .orElseThrow();
    assertThat(spec.command()).containsExactly("/bin/tell");
    assertThat(spec.env())
        .containsEntry("MILLRACE_NOTIFY_OCCASION", "FAILED")
        .containsEntry("MILLRACE_NOTIFY_NAME", "backup")
        .containsEntry("MILLRACE_NOTIFY_REASON", "exit code 3");
  }

  @Test
  void aNotificationCommandRunsAsTheUserOfItsJob() {
    long id =
        bench.submit(
            JobBench.command()
                .draft()
                .name("backup")
                .runAs("alice")
                .notification(new Notification(null, List.of("/bin/tell"), null, null))
                .spec());
    bench.place();
    bench.end(new AttemptId(id, 1), Outcome.FAILED, 3);

    deliver(true);

    long told = job("notify backup").id();
    JobSpec spec =
        bench
            .database
            .read(handle -> new JobReadDao(bench.database.dialect()).spec(handle, told))
            .orElseThrow();
    assertThat(spec.runAs()).isEqualTo("alice");
  }

  @Test
  void aFailedJobIsPostedToItsWebAddress() {
    failed(new Notification(null, null, address(), null));
    deliver(true);
    deliver(true);
    assertThat(received)
        .singleElement()
        .satisfies(
            body ->
                assertThat(body)
                    .contains("\"occasion\":\"FAILED\"")
                    .contains("\"name\":\"backup\"")
                    .contains("\"state\":\"FAILED\""));
  }

  @Test
  void anAddressThatRefusesIsTriedThreeTimesAndThenAProblem() {
    status = 500;
    failed(new Notification(null, null, address(), null));
    for (int run = 0; run < 5; run++) {
      deliver(true);
      hurry();
    }
    assertThat(received).hasSize(3);
    assertThat(failing())
        .singleElement()
        .satisfies(failure -> assertThat(failure.reason()).contains("status 500"))
        .satisfies(failure -> assertThat(failure.shown()).doesNotContain("/hook"));
  }

  /** The answer has an end, so that a delivery without a bound would read all of it. */
  @Test
  void anAnswerWithoutEndIsCutOffAndAFailure() {
    AtomicBoolean cutOff = new AtomicBoolean();
    server.createContext(
        "/endless",
        exchange -> {
          try (exchange) {
            exchange.sendResponseHeaders(200, 0);
            for (int sent = 0; sent < 500; sent++) {
              exchange.getResponseBody().write(new byte[64 << 10]);
            }
          } catch (IOException closed) {
            cutOff.set(true);
          }
        });
    failed(new Notification(null, null, address().replace("/hook", "/endless"), null));
    for (int run = 0; run < 3; run++) {
      deliver(true);
      hurry();
    }
    await().atMost(Duration.ofSeconds(30)).untilTrue(cutOff);
    assertThat(failing())
        .singleElement()
        .satisfies(
            failure ->
                assertThat(failure.reason()).contains("answered with more than 65536 bytes"));
  }

  @Test
  void aPrivateAddressIsNotPostedToUnlessASettingAllowsIt() {
    failed(new Notification(null, null, address(), null));
    for (int run = 0; run < 3; run++) {
      deliver(false);
      hurry();
    }
    assertThat(received).isEmpty();
    assertThat(failing())
        .singleElement()
        .satisfies(failure -> assertThat(failure.reason()).contains("privateAddresses"));
  }

  @Test
  void aSuccessfulJobSendsNoNotification() {
    long id = submit(new Notification(null, null, address(), null));
    bench.place();
    bench.end(new AttemptId(id, 1), Outcome.SUCCEEDED, 0);
    deliver(true);
    assertThat(received).isEmpty();
  }

  @Test
  void aLateWaitingJobIsNotifiedOnceAndStaysListed() {
    submit(new Notification(Set.of(Occasion.LATE), null, address(), Duration.ofMinutes(5)));
    deliver(true);
    assertThat(received).isEmpty();
    hurry();
    deliver(true);
    deliver(true);
    assertThat(received)
        .singleElement()
        .satisfies(body -> assertThat(body).contains("\"occasion\":\"LATE\""));
  }

  @Test
  void aJobThatHasStartedInTimeIsNotLate() {
    submit(new Notification(Set.of(Occasion.LATE), null, address(), Duration.ofMinutes(5)));
    bench.place();
    hurry();
    deliver(true);
    assertThat(received).isEmpty();
  }

  @Test
  void onlyTheCentralManagerWithTheClaimNotifies() {
    failed(new Notification(null, List.of("/bin/tell"), null, null));
    bench.claims.release("tell", "t");
    deliver(true);
    assertThat(names()).containsExactly("backup");
  }

  @Test
  void aCommandThatFailsIsAProblemUntilOneSucceeds() {
    failed(new Notification(null, List.of("mail", "-s", "failed", "ops"), null, null));
    deliver(true);
    bench.place();
    bench.end(new AttemptId(last("notify backup"), 1), Outcome.FAILED, 127);

    assertThat(failing())
        .singleElement()
        .satisfies(failure -> assertThat(failure.shown()).isEqualTo("command mail"))
        .satisfies(failure -> assertThat(failure.toldOf()).contains("(backup), failed"))
        .satisfies(failure -> assertThat(failure.reason()).endsWith("exit code 127: last words"));

    failed(new Notification(null, List.of("mail", "-s", "failed", "ops"), null, null));
    deliver(true);
    bench.place();
    bench.end(new AttemptId(last("notify backup"), 1), Outcome.SUCCEEDED, 0);
    assertThat(failing()).isEmpty();
  }

  @Test
  void aFailureOfAnotherJobOfThatNameIsNoFailedNotification() {
    long id = bench.submit(JobBench.command().draft().name("notify backup").spec());
    bench.place();
    bench.end(new AttemptId(id, 1), Outcome.FAILED, 127);
    assertThat(failing()).isEmpty();
  }

  @Test
  void eachTryOfANotificationHasTheSameId() {
    status = 500;
    failed(new Notification(null, null, address(), null));
    deliver(true);
    hurry();
    deliver(true);
    assertThat(received).hasSize(2);
    assertThat(received.stream().map(NotificationOutboxTest::id).distinct()).hasSize(1);
  }

  @Test
  void aNoticeAboutATaskIsPostedOnceAndRunsItsCommandAsTheUserOfTheTask() {
    NoticeText text = NoticeText.ofTask("FAILED", "nightly", 7L, "exit code 3", 1, null);
    NoticeTarget target =
        new NoticeTarget(List.of("/bin/tell"), address(), "task:nightly", "alice", "default");
    bench.database.transaction(
        handle -> {
          SubjectOutbox.write(
              handle, NoticeSubject.TASK, text, 7, target, bench.database.now().minusSeconds(1));
          return null;
        });
    deliver(true);
    deliver(true);

    assertThat(received)
        .singleElement()
        .satisfies(
            body ->
                assertThat(body)
                    .contains("\"occasion\":\"FAILED\"")
                    .contains("\"about\":\"task\",\"name\":\"nightly\",\"run\":7")
                    .contains("\"id\":\"notice-"));
    long command = last("notify nightly");
    JobSpec spec =
        bench
            .database
            .read(handle -> new JobReadDao(bench.database.dialect()).spec(handle, command))
            .orElseThrow();
    assertThat(spec.runAs()).isEqualTo("alice");
    assertThat(spec.env())
        .containsEntry("MILLRACE_NOTIFY_OCCASION", "FAILED")
        .containsEntry("MILLRACE_NOTIFY_NAME", "nightly")
        .containsEntry("MILLRACE_NOTIFY_RUN", "7");
    assertThat(names()).containsExactly("notify nightly");
  }

  @Test
  void aNoticeAboutAQueueThatIsRefusedIsTriedThreeTimesAndThenAProblem() {
    status = 500;
    NoticeText text = NoticeText.ofQueue("DEAD", "alert", "events died", 5, null);
    NoticeTarget target = new NoticeTarget(List.of(), address(), "queue:alert", null, null);
    bench.database.transaction(
        handle -> {
          SubjectOutbox.write(
              handle, NoticeSubject.QUEUE, text, 7, target, bench.database.now().minusSeconds(1));
          return null;
        });
    for (int run = 0; run < 5; run++) {
      deliver(true);
      hurry();
    }
    assertThat(received).hasSize(3);
    assertThat(received.stream().map(NotificationOutboxTest::id).distinct()).hasSize(1);
    assertThat(failing())
        .singleElement()
        .satisfies(failure -> assertThat(failure.toldOf()).isEqualTo("queue alert, dead"));
  }

  @Test
  void aNoticeThatCannotBeReadHoldsUpNoOtherAndIsGivenUp() {
    notice("broken", new NoticeTarget(List.of("/bin/tell"), address(), "task:x", null, null), 9);
    bench.database.transaction(
        handle ->
            handle.execute("update subject_notice set target = '[\"cut', content = '{\"cut'"));
    notice("nightly", new NoticeTarget(List.of(), address(), "task:x", null, null), 5);
    failed(new Notification(null, null, address(), null));

    deliver(true);

    assertThat(received).hasSize(2).anyMatch(body -> body.contains("nightly"));
    for (int run = 0; run < 5; run++) {
      hurry();
      deliver(true);
    }
    assertThat(received).as("each once").hasSize(2);
    assertThat(failing())
        .hasSize(2)
        .allSatisfy(failure -> assertThat(failure.toldOf()).isEqualTo("task broken, failed"))
        .allSatisfy(failure -> assertThat(failure.reason()).startsWith("it cannot be sent"));
  }

  private void notice(String task, NoticeTarget target, long secondsAgo) {
    NoticeText text = NoticeText.ofTask("FAILED", task, 7L, "exit code 3", 1, null);
    bench.database.transaction(
        handle -> {
          SubjectOutbox.write(
              handle,
              NoticeSubject.TASK,
              text,
              7,
              target,
              bench.database.now().minusSeconds(secondsAgo));
          return null;
        });
  }

  @Test
  void aNoticeIsWrittenOnceAndWholeOrNotAtAll() {
    NoticeTarget target = new NoticeTarget(List.of(), address(), "task:x", null, null);
    notice("nightly", target, 1);
    notice("nightly", target, 1);
    assertThat(notices()).isEqualTo(1);
    assertThatThrownBy(() -> notice("n".repeat(251), target, 1))
        .as("not a part of it")
        .isInstanceOf(RuntimeException.class);
    assertThat(notices()).isEqualTo(1);
  }

  private int notices() {
    return bench.database.read(
        handle ->
            handle.createQuery("select count(*) from subject_notice").mapTo(Integer.class).one());
  }

  private static String id(String body) {
    return body.replaceAll(".*(\"id\":\"[^\"]+\").*", "$1");
  }

  private List<NoticeFailure> failing() {
    return bench.database.read(handle -> NoticeFailureDao.failing(handle, 5));
  }

  private List<String> names() {
    return bench.database.read(
        handle -> handle.createQuery("select name from job").mapTo(String.class).list());
  }

  private void failed(Notification wish) {
    long id = submit(wish);
    bench.place();
    bench.end(new AttemptId(id, 1), Outcome.FAILED, 3);
  }

  private long submit(Notification wish) {
    return bench.submit(JobBench.command().draft().name("backup").notification(wish).spec());
  }

  private void deliver(boolean privateAddresses) {
    OutsideCalls outside = new OutsideCalls(NameResolver.system(), privateAddresses);
    outside.start();
    try {
      new NotificationDelivery(bench.database, bench.claims, bench.ledger, outside, outside)
          .run(claim);
    } finally {
      outside.stop();
    }
  }

  /** Lets the next tries, and what is late, be due. */
  private void hurry() {
    bench.database.transaction(
        handle -> {
          handle.execute("update notice set due_at = dateadd(minute, -10, due_at)");
          return handle.execute("update subject_notice set due_at = dateadd(minute, -10, due_at)");
        });
  }

  private String address() {
    return "http://127.0.0.1:" + server.getAddress().getPort() + "/hook";
  }

  private long last(String name) {
    return bench.database.read(
        handle ->
            handle
                .createQuery("select max(id) from job where name = :name")
                .bind("name", name)
                .mapTo(Long.class)
                .one());
  }

  private JobView job(String name) {
    List<Long> ids =
        bench.database.read(
            handle ->
                handle
                    .createQuery("select id from job where name = :name")
                    .bind("name", name)
                    .mapTo(Long.class)
                    .list());
    assertThat(ids).hasSize(1);
    return bench.queries.view(ids.get(0));
  }
}
