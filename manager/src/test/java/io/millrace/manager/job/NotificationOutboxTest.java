package io.millrace.manager.job;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.sun.net.httpserver.HttpServer;
import io.millrace.api.job.AttemptId;
import io.millrace.api.job.JobSpec;
import io.millrace.api.job.JobView;
import io.millrace.api.job.Notification;
import io.millrace.api.job.Notification.Occasion;
import io.millrace.api.job.Outcome;
import io.millrace.manager.job.NotificationDao.Notice;
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
  private final NotificationDao store = new NotificationDao();
  private HttpServer server;
  private int status = 200;
  private Claim claim;

  @BeforeEach
  void listen() throws IOException {
    bench.ledger.watch(new NotificationOutbox());
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
        bench.database.read(handle -> new JobReadDao().spec(handle, told.id())).orElseThrow();
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
    JobSpec spec = bench.database.read(handle -> new JobReadDao().spec(handle, told)).orElseThrow();
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
    assertThat(givenUp())
        .singleElement()
        .satisfies(notice -> assertThat(notice.failure()).contains("status 500"));
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
    assertThat(givenUp())
        .singleElement()
        .satisfies(
            notice -> assertThat(notice.failure()).contains("answered with more than 65536 bytes"));
  }

  @Test
  void aPrivateAddressIsNotPostedToUnlessASettingAllowsIt() {
    failed(new Notification(null, null, address(), null));
    for (int run = 0; run < 3; run++) {
      deliver(false);
      hurry();
    }
    assertThat(received).isEmpty();
    assertThat(givenUp())
        .singleElement()
        .satisfies(notice -> assertThat(notice.failure()).contains("privateAddresses"));
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

  private List<Notice> givenUp() {
    return bench.database.read(handle -> store.undeliverable(handle, 5));
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
      new NotificationDelivery(bench.database, bench.claims, bench.ledger, outside).run(claim);
    } finally {
      outside.stop();
    }
  }

  /** Lets the next tries, and what is late, be due. */
  private void hurry() {
    bench.database.transaction(
        handle -> handle.execute("update notice set due_at = dateadd(minute, -10, due_at)"));
  }

  private String address() {
    return "http://127.0.0.1:" + server.getAddress().getPort() + "/hook";
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
