package io.millrace.manager.notification;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.net.httpserver.HttpExchange;
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
import java.nio.charset.StandardCharsets;
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
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Many notices, of which some cannot be delivered. */
class NotificationDeliveryTest {
  private static final int NO_ANSWER = -1;

  private final JobBench bench = JobBench.withTwoNodes(2);
  private final OutsideCalls anywhere = new OutsideCalls(NameResolver.system(), true);
  private final OutsideCalls publicOnly = new OutsideCalls(NameResolver.system(), false);
  private final NotificationDelivery delivery = delivery(anywhere);
  // Paths, in the order of the requests.
  private final Queue<String> received = new ConcurrentLinkedQueue<>();
  // Messages that were answered with 200.
  private final Queue<String> accepted = new ConcurrentLinkedQueue<>();
  // How the next requests for the path "varying" are answered; the others are accepted.
  private final Queue<Integer> nextStatuses = new ConcurrentLinkedQueue<>();
  private Runnable duringPost = () -> {};
  private HttpServer server;
  private HttpServer dead;
  private Claim claim;

  /**
   * A path that is a number is answered with that status, others are accepted, and what is about
   * "poison" gets no answer. Another server answers nothing.
   */
  @BeforeEach
  void listen() throws IOException {
    anywhere.start();
    publicOnly.start();
    claim = bench.claims.acquireOrRenew("tell", "t", Duration.ofMinutes(10)).orElseThrow();
    server = server(this::answer);
    dead = server(exchange -> NO_ANSWER);
  }

  private HttpServer server(Answer answer) throws IOException {
    HttpServer started =
        HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    started.createContext(
        "/",
        exchange -> {
          received.add(exchange.getRequestURI().getPath().substring(1));
          int status = answer.to(exchange);
          if (status != NO_ANSWER) {
            exchange.sendResponseHeaders(status, -1);
          }
          exchange.close();
        });
    started.start();
    return started;
  }

  private int answer(HttpExchange exchange) throws IOException {
    String path = exchange.getRequestURI().getPath().substring(1);
    String body = new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8);
    duringPost.run();
    if (body.contains("\"poison\"")) {
      return NO_ANSWER;
    }
    Integer next = path.equals("varying") ? nextStatuses.poll() : null;
    int status = next != null ? next : path.matches("\\d+") ? Integer.parseInt(path) : 200;
    if (status == 200) {
      accepted.add(body);
    }
    return status;
  }

  private interface Answer {
    int to(HttpExchange exchange) throws IOException;
  }

  @AfterEach
  void close() {
    server.stop(0);
    dead.stop(0);
    anywhere.stop();
    publicOnly.stop();
    bench.close();
  }

  @Test
  void manyNoticesToADeadServerDelayNoOther() {
    ofJobs(250, Occasion.FAILED, nowhere("jobs"), 60);
    ofJobs(1, Occasion.FAILED, address("alive"), 5);
    for (int task = 0; task < 250; task++) {
      notice(NoticeSubject.TASK, "t" + task, "FAILED", nowhere("task-" + task), 60);
    }
    ofTask("nightly", "FAILED", "living", 5);

    delivery.run(claim);
    delivery.run(claim);

    assertThat(received).hasSize(3).contains("jobs", "alive", "living");
  }

  /** Takes the time of one try. */
  @Test
  void anAddressThatNeverAnswersDelaysNoOther() throws IOException {
    try (ServerSocket silent = new ServerSocket(0, 50, InetAddress.getLoopbackAddress())) {
      String address = "http://127.0.0.1:" + silent.getLocalPort() + "/";
      for (int task = 0; task < 20; task++) {
        notice(NoticeSubject.TASK, "t" + task, "FAILED", address + task, 60);
      }
      ofTask("nightly", "FAILED", "alive", 5);
      delivery.run(claim);
    }
    assertThat(received).containsExactly("alive");
    assertThat(waiting()).as("one try for all").isEqualTo(20);
  }

  @Test
  void allNoticesToADeadServerAreGivenUpAfterThreeTries() {
    ofJobs(40, Occasion.FAILED, nowhere("a"), 90);
    ofJobs(10, Occasion.LATE, nowhere("a"), 80);
    for (int task = 0; task < 1_100; task++) {
      notice(NoticeSubject.TASK, "t" + task, "FAILED", nowhere("b"), 70);
    }
    for (int task = 0; task < 10; task++) {
      notice(NoticeSubject.TASK, "t" + task, "HUNG", nowhere("c"), 60);
    }

    for (int run = 0; run < 5; run++) {
      delivery.run(claim);
      hurry();
    }

    assertThat(received).hasSize(3);
    assertThat(states("notice")).as("late jobs stay listed").containsOnly("TOLD").hasSize(10);
    assertThat(states("subject_notice")).as("not told again").containsOnly("SENT").hasSize(10);
    assertThat(failing())
        .as("by address")
        .extracting(NoticeFailure::failures)
        .containsExactlyInAnyOrder(50L, 1_100L, 10L);
    assertThat(failing())
        .allSatisfy(failure -> assertThat(failure.reason()).contains("did not answer"));
  }

  @Test
  void aNoticeSharesTheTriesOfItsServerFromWhenItIsDue() {
    notice(NoticeSubject.TASK, "first", "FAILED", nowhere("x"), 60);
    delivery.run(claim);
    hurry();
    notice(NoticeSubject.TASK, "second", "FAILED", nowhere("x"), 5);
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

  @Test
  void aServerThatIsNotReachedLetsAllNoticesToItWaitWithoutATryOfTheirOwn() {
    dead.stop(0);
    for (int task = 0; task < 20; task++) {
      notice(NoticeSubject.TASK, "t" + task, "FAILED", nowhere("" + task), 60);
    }
    delivery.run(claim);
    assertThat(waiting()).isEqualTo(20);
    assertThat(tries("subject_notice")).startsWith(1).hasSize(20);
    assertThat(tries("subject_notice").subList(1, 20)).containsOnly(0);
  }

  @ParameterizedTest
  @ValueSource(ints = {429, 500, 503})
  void aReceiverThatRefusesSomeMessagesLosesNone(int status) {
    nextStatuses.addAll(List.of(status, status, status, status, status, status));
    ofTasks(10, "FAILED", "varying", 60);
    for (int run = 0; run < 6; run++) {
      delivery.run(claim);
      hurry();
    }
    assertThat(accepted).hasSize(10);
    assertThat(failing()).isEmpty();
  }

  @Test
  void aNoticeHasItsThreeTriesOnceItsServerAnswersAgain() {
    nextStatuses.addAll(List.of(NO_ANSWER, NO_ANSWER, 503, 503));
    ofTasks(2, "FAILED", "varying", 60);
    for (int run = 0; run < 4; run++) {
      delivery.run(claim);
      hurry();
    }
    assertThat(accepted).hasSize(2);
  }

  @Test
  void triesThatNoticesHaveSharedAreVoidOnceTheirServerAnswers() {
    nextStatuses.addAll(List.of(NO_ANSWER, 200, NO_ANSWER, 200, NO_ANSWER, 200, NO_ANSWER));
    ofTasks(12, "FAILED", "varying", 60);
    for (int run = 0; run < 8; run++) {
      delivery.run(claim);
      hurry();
    }
    assertThat(accepted).hasSize(12);
    assertThat(failing()).isEmpty();
  }

  @Test
  void aMessageThatGetsNoAnswerHoldsUpNoOtherAndIsGivenUpAlone() {
    ofTask("poison", "FAILED", "hook", 60);
    ofTasks(12, "FAILED", "hook", 60);
    for (int run = 0; run < 8; run++) {
      delivery.run(claim);
      hurry();
    }
    assertThat(accepted).hasSize(12);
    assertThat(states("subject_notice")).isEmpty();
    assertThat(failing())
        .singleElement()
        .satisfies(failure -> assertThat(failure.toldOf()).isEqualTo("task poison, failed"))
        .satisfies(failure -> assertThat(failure.failures()).isEqualTo(1));
  }

  /** The notices to it are the longest due. */
  @Test
  void anAddressThatNeverAnswersKeepsNoOtherOfItsServerBack() {
    for (int task = 0; task < 20; task++) {
      notice(NoticeSubject.TASK, "poison", "FAILED", address("hanging"), 60, task);
    }
    ofTask("nightly", "FAILED", "alive", 5);
    for (int run = 0; run < 5; run++) {
      delivery.run(claim);
      hurry();
    }
    assertThat(received).contains("alive");
    assertThat(accepted).hasSize(1);
  }

  @ParameterizedTest
  @ValueSource(ints = {200, 500})
  void aNoticeThatIsWrittenAgainWhileItIsPostedIsPostedAgain(int status) {
    ofJobs(1, Occasion.FAILED, address("" + status), 60);
    long job = jobs().get(0);
    sql("update notice set tries = 2");
    duringPost = () -> write(List.of(job), Occasion.FAILED, address("again"), 5);

    delivery.run(claim);
    duringPost = () -> {};
    delivery.run(claim);

    assertThat(received).containsExactly("" + status, "again");
    assertThat(states("notice")).isEmpty();
  }

  @Test
  void aNoticeThatWasWrittenAgainSinceItWasReadStaysAsItIs() {
    ofJobs(1, Occasion.FAILED, address("alive"), 60);
    long job = jobs().get(0);
    NotificationDao store = new NotificationDao();
    Notice read =
        bench
            .database
            .read(handle -> store.due(handle, bench.database.now(), DuePosition.START, 1))
            .get(0);
    write(List.of(job), Occasion.FAILED, address("again"), 5);

    int ended =
        bench.database.transaction(handle -> store.end(handle, List.of(read.id()), read.dueAt()));
    bench.database.transaction(
        handle -> {
          store.delete(handle, read);
          store.postpone(handle, List.of(read.id()), read.dueAt(), 1, "late", read.dueAt());
          return null;
        });

    assertThat(ended).isZero();
    assertThat(states("notice")).containsExactly("DUE");
    assertThat(tries("notice")).containsExactly(0);
  }

  @ParameterizedTest
  @ValueSource(ints = {302, 400, 404, 413, 429, 500, 503})
  void anAnswerConcernsOnlyItsMessage(int status) {
    ofTasks(3, "FAILED", "" + status, 60);
    ofTasks(3, "HUNG", "" + status, 30);
    delivery.run(claim);
    assertThat(received).hasSize(4);
    assertThat(tries("subject_notice")).containsExactly(1, 1, 1, 1, 0, 0);
  }

  @ParameterizedTest
  @CsvSource({
    "https://Hook.Example/secret?a=1, https://hook.example:443",
    "HTTP://hook.example, http://hook.example:80",
    "http://hook.example:8080/a, http://hook.example:8080",
    "https://user@hook.example/a, https://user@hook.example/a",
    "not a URL, not a URL"
  })
  void aServerIsTheSameForAllPathsButNotForAddressesThatAreRefused(String address, String server) {
    assertThat(WebhookPost.server(address)).isEqualTo(server);
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
    ofJobs(10, Occasion.FAILED, address("jobs"), 90);
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
    ofJobs(1, Occasion.FAILED, address("broken"), 60);
    sql("update job set kind = 'BROKEN'");
    ofJobs(1, Occasion.FAILED, address("alive"), 30);
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
    ofJobs(1, Occasion.FAILED, address("later"), 60);
    sql("update notice set occasion = 'RENAMED'");
    ofTask("first", "FAILED", "later", 60);
    sql("update subject_notice set kind = 'PAGER'");
    ofJobs(1, Occasion.FAILED, address("alive"), 30);
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

  private void ofJobs(int jobs, Occasion occasion, String address, long secondsAgo) {
    JobSpec[] specs = Collections.nCopies(jobs, JobBench.command()).toArray(JobSpec[]::new);
    write(bench.submit("ann", JobKind.SUBMITTED, specs), occasion, address, secondsAgo);
  }

  private void write(List<Long> jobs, Occasion occasion, String address, long secondsAgo) {
    Instant due = bench.database.now().minusSeconds(secondsAgo);
    List<Notice> notices =
        jobs.stream()
            .map(id -> new Notice(0, id, occasion, NoticeKind.WEBHOOK, address, 0, due, null))
            .toList();
    bench.database.transaction(
        handle -> {
          new NotificationDao().write(handle, notices);
          return null;
        });
  }

  private List<Long> jobs() {
    return bench.database.read(
        handle -> handle.createQuery("select id from job order by id").mapTo(Long.class).list());
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
    notice(about, name, occasion, address, secondsAgo, 7);
  }

  private void notice(
      NoticeSubject about,
      String name,
      String occasion,
      String address,
      long secondsAgo,
      long occurrence) {
    NoticeText text = NoticeText.ofTask(occasion, name, 7L, "exit code 3", 1, null);
    NoticeTarget target = new NoticeTarget(List.of(), address, "task:x", null, null);
    bench.database.transaction(
        handle -> {
          Instant due = bench.database.now().minusSeconds(secondsAgo);
          SubjectOutbox.write(handle, about, text, occurrence, target, due);
          return null;
        });
  }

  private String address(String path) {
    return "http://127.0.0.1:" + server.getAddress().getPort() + "/" + path;
  }

  /** An address of the server that answers nothing. */
  private String nowhere(String path) {
    return "http://127.0.0.1:" + dead.getAddress().getPort() + "/" + path;
  }

  /** How many notices about tasks, queues and problems are due later. */
  private int waiting() {
    return bench.database.read(
        handle ->
            handle
                .createQuery("select count(*) from subject_notice where due_at > :now")
                .bind("now", bench.database.now())
                .mapTo(Integer.class)
                .one());
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
