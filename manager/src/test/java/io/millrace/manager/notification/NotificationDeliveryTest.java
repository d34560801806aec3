package io.millrace.manager.notification;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.net.httpserver.HttpServer;
import io.millrace.api.client.HttpTransport.HttpCall;
import io.millrace.api.job.JobKind;
import io.millrace.api.job.JobSpec;
import io.millrace.api.notification.Notification.Occasion;
import io.millrace.manager.job.JobBench;
import io.millrace.manager.notification.NoticeFailureDao.NoticeFailure;
import io.millrace.manager.notification.NotificationDao.Notice;
import io.millrace.manager.notification.NotificationDao.Notice.NoticeKind;
import io.millrace.manager.notification.SubjectNoticeDao.NoticeSubject;
import io.millrace.manager.notification.SubjectOutbox.NoticeTarget;
import io.millrace.platform.claim.Claim;
import io.millrace.platform.http.NameResolver;
import io.millrace.platform.http.OutsideCalls;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.net.UnknownHostException;
import java.time.Duration;
import java.time.Instant;
import java.util.Collections;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Many notices, of which some cannot be delivered. */
class NotificationDeliveryTest {
  private final JobBench bench = JobBench.withTwoNodes(2);
  private final OutsideCalls anywhere = new OutsideCalls(NameResolver.system(), true);
  private final OutsideCalls publicOnly = new OutsideCalls(NameResolver.system(), false);
  private final NotificationDelivery delivery = delivery(anywhere);
  // Paths, in the order of the requests.
  private final Queue<String> received = new ConcurrentLinkedQueue<>();
  private HttpServer server;
  private Claim claim;

  /** A path that is a number is answered with that status, others are accepted. */
  @BeforeEach
  void listen() throws IOException {
    anywhere.start();
    publicOnly.start();
    claim = bench.claims.acquireOrRenew("tell", "t", Duration.ofMinutes(10)).orElseThrow();
    server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.createContext(
        "/",
        exchange -> {
          String path = exchange.getRequestURI().getPath().substring(1);
          received.add(path);
          exchange.getRequestBody().readAllBytes();
          exchange.sendResponseHeaders(path.matches("\\d+") ? Integer.parseInt(path) : 200, -1);
          exchange.close();
        });
    server.start();
  }

  @AfterEach
  void close() {
    server.stop(0);
    anywhere.stop();
    publicOnly.stop();
    bench.close();
  }

  @Test
  void aFailingAddressWithManyNoticesDelaysNoOther() {
    ofJobs(250, Occasion.FAILED, "503", 60);
    ofJobs(1, Occasion.FAILED, "alive", 5);
    ofTasks(250, "FAILED", "500", 60);
    ofTask("nightly", "FAILED", "living", 5);

    delivery.run(claim);
    delivery.run(claim);

    assertThat(received).containsExactlyInAnyOrder("503", "500", "alive", "living");
  }

  /** Takes the time of one try. */
  @Test
  void anAddressThatNeverAnswersDelaysNoOther() throws IOException {
    try (ServerSocket silent = new ServerSocket(0, 50, InetAddress.getLoopbackAddress())) {
      String address = "http://127.0.0.1:" + silent.getLocalPort() + "/";
      for (int task = 0; task < 20; task++) {
        notice(NoticeSubject.TASK, "t" + task, "FAILED", address, 60);
      }
      ofTask("nightly", "FAILED", "alive", 5);
      delivery.run(claim);
    }
    assertThat(received).containsExactly("alive");
    assertThat(tries("subject_notice")).as("one try for all").hasSize(20).containsOnly(1);
  }

  @Test
  void allNoticesToAFailingAddressAreGivenUpAfterThreeTries() {
    ofJobs(40, Occasion.FAILED, "503", 90);
    ofJobs(10, Occasion.LATE, "503", 80);
    ofTasks(1_100, "FAILED", "503", 70);
    ofTasks(10, "HUNG", "503", 60);

    for (int run = 0; run < 5; run++) {
      delivery.run(claim);
      hurry();
    }

    assertThat(received).containsExactly("503", "503", "503");
    assertThat(states("notice")).as("late jobs stay listed").containsOnly("TOLD").hasSize(10);
    assertThat(states("subject_notice")).as("not told again").containsOnly("SENT").hasSize(10);
    assertThat(failing())
        .singleElement()
        .satisfies(failure -> assertThat(failure.failures()).isEqualTo(1_160))
        .satisfies(failure -> assertThat(failure.reason()).contains("status 503"));
  }

  @Test
  void aNoticeSharesTheTriesOfItsAddressFromWhenItIsDue() {
    ofTask("first", "FAILED", "503", 60);
    delivery.run(claim);
    hurry();
    ofTask("second", "FAILED", "503", 5);
    for (int run = 0; run < 4; run++) {
      delivery.run(claim);
      hurry();
    }
    assertThat(received).as("three of the first, one more of the second").hasSize(4);
    assertThat(states("subject_notice")).isEmpty();
    assertThat(failing())
        .singleElement()
        .satisfies(failure -> assertThat(failure.failures()).isEqualTo(2));
  }

  @ParameterizedTest
  @ValueSource(ints = {429, 500, 503})
  void anAnswerThatTheReceiverFailsConcernsAllNoticesToTheAddress(int status) {
    ofTasks(3, "FAILED", "" + status, 60);
    delivery.run(claim);
    assertThat(received).hasSize(1);
    assertThat(tries("subject_notice")).containsExactly(1, 1, 1);
  }

  @Test
  void anAddressThatIsNotReachedConcernsAllNoticesToIt() throws IOException {
    int unused;
    try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      unused = socket.getLocalPort();
    }
    for (int task = 0; task < 20; task++) {
      notice(NoticeSubject.TASK, "t" + task, "FAILED", "http://127.0.0.1:" + unused + "/", 60);
    }
    delivery.run(claim);
    assertThat(tries("subject_notice")).hasSize(20).containsOnly(1);
  }

  @ParameterizedTest
  @ValueSource(ints = {302, 400, 404, 413})
  void anAnswerThatRefusesAMessageConcernsOnlyThatMessage(int status) {
    ofTasks(3, "FAILED", "" + status, 60);
    ofTasks(3, "HUNG", "" + status, 30);
    delivery.run(claim);
    assertThat(received).hasSize(4);
    assertThat(tries("subject_notice")).containsExactly(1, 1, 1, 1, 0, 0);
  }

  @Test
  void anAddressWhoseNameIsNotResolvedBecauseOfOthersHasNotFailed() throws Exception {
    CountDownLatch end = new CountDownLatch(1);
    OutsideCalls busy = new OutsideCalls(host -> endless(end), true);
    busy.start();
    try {
      for (int lookup = 0; lookup < 4; lookup++) {
        URI address = URI.create("http://hook" + lookup + ".example.test/");
        HttpCall call = HttpCall.post(address, null).within(Duration.ofMillis(50));
        assertThatThrownBy(() -> busy.send(call)).isInstanceOf(IOException.class);
      }
      for (int task = 0; task < 6; task++) {
        notice(NoticeSubject.TASK, "t" + task, "FAILED", "http://alive.example.test/", 60);
      }
      delivery(busy).run(claim);
    } finally {
      end.countDown();
      busy.stop();
    }
    assertThat(tries("subject_notice")).containsExactly(1, 1, 1, 1, 0, 0);
  }

  private static List<InetAddress> endless(CountDownLatch end) throws UnknownHostException {
    try {
      end.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    throw new UnknownHostException("the test has ended");
  }

  @Test
  void anAddressBehindManyNoticesThatAreRefusedOneByOneHasItsTurn() {
    for (int status = 400; status < 406; status++) {
      ofTasks(90, "FAILED", "" + status, 60);
    }
    ofTask("nightly", "FAILED", "alive", 5);
    for (int run = 0; run < 4; run++) {
      delivery.run(claim);
    }
    assertThat(received).contains("alive");
  }

  @Test
  void problemNoticesGoFirst() {
    ofTasks(250, "FAILED", "tasks", 90);
    ofJobs(10, Occasion.FAILED, "jobs", 90);
    notice(NoticeSubject.PROBLEM, "e1", "BEGAN", address("operators"), 5);
    delivery.run(claim);
    assertThat(received).startsWith("operators").contains("jobs", "tasks");
  }

  @Test
  void anAddressThatUsersMayNotCallKeepsNoProblemNoticeBack() {
    ofTask("nightly", "FAILED", "shared", 90);
    notice(NoticeSubject.PROBLEM, "e1", "BEGAN", address("shared"), 5);
    NotificationDelivery restricted = delivery(publicOnly);
    restricted.run(claim);
    restricted.run(claim);
    assertThat(received).containsExactly("shared");
    assertThat(tries("subject_notice")).containsExactly(1);
  }

  @Test
  void aJobThatCannotBeReadHoldsUpNoOtherAndItsNoticeIsGivenUp() {
    ofJobs(1, Occasion.FAILED, "broken", 60);
    sql("update job set kind = 'BROKEN'");
    ofJobs(1, Occasion.FAILED, "alive", 30);
    ofTask("nightly", "FAILED", "living", 30);

    delivery.run(claim);
    assertThat(received).containsExactlyInAnyOrder("alive", "living");
    assertThat(tries("notice")).containsExactly(1);

    for (int run = 0; run < 3; run++) {
      hurry();
      delivery.run(claim);
    }
    assertThat(states("notice")).isEmpty();
    assertThat(failing())
        .singleElement()
        .satisfies(failure -> assertThat(failure.toldOf()).matches("job \\d+, failed"))
        .satisfies(failure -> assertThat(failure.reason()).startsWith("it cannot be sent"));
  }

  /** As a central manager of the next version may write it. */
  @Test
  void aNoticeOfAnUnknownKindHoldsUpNoOtherAndIsKept() {
    ofJobs(1, Occasion.FAILED, "later", 60);
    sql("update notice set occasion = 'RENAMED'");
    ofTask("first", "FAILED", "later", 60);
    sql("update subject_notice set kind = 'PAGER'");
    ofJobs(1, Occasion.FAILED, "alive", 30);
    ofTask("nightly", "FAILED", "living", 30);

    delivery.run(claim);

    assertThat(received).containsExactlyInAnyOrder("alive", "living");
    assertThat(states("notice")).containsExactly("DUE");
    assertThat(states("subject_notice")).containsExactly("DUE");
  }

  @Test
  void noticesOfOneAddressThatAcceptsThemAreDeliveredSeveralInARun() {
    ofTasks(10, "FAILED", "alive", 60);
    delivery.run(claim);
    assertThat(received).hasSize(4);
  }

  private NotificationDelivery delivery(OutsideCalls ofUsers) {
    return new NotificationDelivery(bench.database, bench.claims, bench.ledger, ofUsers, anywhere);
  }

  private void ofJobs(int jobs, Occasion occasion, String path, long secondsAgo) {
    JobSpec[] specs = Collections.nCopies(jobs, JobBench.command()).toArray(JobSpec[]::new);
    List<Long> ids = bench.submit("ann", JobKind.SUBMITTED, specs);
    Instant due = bench.database.now().minusSeconds(secondsAgo);
    List<Notice> notices =
        ids.stream()
            .map(id -> new Notice(0, id, occasion, NoticeKind.WEBHOOK, address(path), 0, due, null))
            .toList();
    bench.database.transaction(
        handle -> {
          new NotificationDao().write(handle, notices);
          return null;
        });
  }

  private void ofTasks(int tasks, String occasion, String path, long secondsAgo) {
    for (int task = 0; task < tasks; task++) {
      ofTask("%s-%s-%d".formatted(occasion, path, task), occasion, path, secondsAgo);
    }
  }

  private void ofTask(String task, String occasion, String path, long secondsAgo) {
    notice(NoticeSubject.TASK, task, occasion, address(path), secondsAgo);
  }

  private void notice(
      NoticeSubject about, String name, String occasion, String address, long secondsAgo) {
    NoticeText text = NoticeText.ofTask(occasion, name, 7L, "exit code 3", 1, null);
    NoticeTarget target = new NoticeTarget(List.of(), address, "task:x", null, null);
    bench.database.transaction(
        handle -> {
          Instant due = bench.database.now().minusSeconds(secondsAgo);
          SubjectOutbox.write(handle, about, text, 7, target, due);
          return null;
        });
  }

  private String address(String path) {
    return "http://127.0.0.1:" + server.getAddress().getPort() + "/" + path;
  }

  /** Lets the next tries be due. */
  private void hurry() {
    sql("update notice set due_at = dateadd(minute, -10, due_at) where state = 'DUE'");
    sql("update subject_notice set due_at = dateadd(minute, -10, due_at) where state = 'DUE'");
  }

  private List<Integer> tries(String table) {
    return column("tries", table).stream().map(Integer::valueOf).toList();
  }

  private List<String> states(String table) {
    return column("state", table);
  }

  private List<String> column(String name, String table) {
    return bench.database.read(
        handle ->
            handle
                .createQuery("select %s from %s order by id".formatted(name, table))
                .mapTo(String.class)
                .list());
  }

  private List<NoticeFailure> failing() {
    return bench.database.read(handle -> NoticeFailureDao.failing(handle, 5));
  }

  private void sql(String statement) {
    bench.database.transaction(handle -> handle.execute(statement));
  }
}
