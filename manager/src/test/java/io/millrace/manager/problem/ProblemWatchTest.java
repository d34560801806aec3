package io.millrace.manager.problem;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import io.millrace.api.ErrorCode;
import io.millrace.api.Json;
import io.millrace.api.MillraceException;
import io.millrace.api.insight.EndedProblem;
import io.millrace.api.insight.Overview.Alert;
import io.millrace.api.insight.ProblemSeverity;
import io.millrace.api.insight.ProblemSilence;
import io.millrace.api.insight.ProblemSilence.SilenceRequest;
import io.millrace.manager.app.CentralTables;
import io.millrace.manager.notification.DuePosition;
import io.millrace.manager.notification.NoticeText;
import io.millrace.manager.notification.SubjectNoticeDao;
import io.millrace.manager.notification.SubjectNoticeDao.NoticeSubject;
import io.millrace.platform.claim.Claim;
import io.millrace.platform.claim.ClaimDao;
import io.millrace.platform.database.Database;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ProblemWatchTest {
  private static final Alert FULL = new Alert("DISK_FULL", "e1", "its disk is full");
  private static final Alert DEAD = new Alert("DEAD_LETTERS", "alert", "2 dead letters");

  @TempDir Path folder;
  private Database database;
  private ProblemRecords records;
  private ClaimDao claims;
  private Claim claim;
  private final List<Alert> listed = new ArrayList<>();

  @BeforeEach
  void open() {
    database = CentralTables.in(folder);
    records = new ProblemRecords(database);
    claims = new ClaimDao(database);
    claim = claims.acquireOrRenew("watch", "c1", Duration.ofMinutes(10)).orElseThrow();
  }

  @AfterEach
  void close() {
    database.close();
  }

  @Test
  void aProblemHasItsTrueBeginAndAnEnd() {
    Instant paused = database.now().minusSeconds(600);
    list(FULL, new Alert("QUEUE_PAUSED", "alert", "paused").since(paused));
    Instant first = records.dated(List.of(FULL)).get(0).since();
    pass(Duration.ofMinutes(5));
    list(FULL, new Alert("QUEUE_PAUSED", "alert", "paused").since(database.now()));

    List<Alert> dated = records.dated(List.copyOf(listed));
    assertThat(dated.get(0).since()).isEqualTo(first.minus(Duration.ofMinutes(5)));
    assertThat(dated.get(1).since())
        .as("its source knows better than the first look")
        .isEqualTo(paused.minus(Duration.ofMinutes(5)));
    assertThat(dated.get(0).severity()).isEqualTo(ProblemSeverity.CRITICAL);

    list();
    assertThat(records.ended(10)).as("it may come back at once").isEmpty();
    pass(Duration.ofSeconds(20));
    list();
    assertThat(records.ended(10))
        .extracting(EndedProblem::code)
        .containsExactlyInAnyOrder("DISK_FULL", "QUEUE_PAUSED");
    list(FULL);
    assertThat(records.dated(List.of(FULL)).get(0).since()).isAfter(first);
    assertThat(records.ended(10)).as("the next one is another").hasSize(2);
  }

  @Test
  void aProblemThatFlickersIsOne() {
    list(FULL);
    pass(Duration.ofSeconds(10));
    list();
    list(FULL);
    pass(Duration.ofSeconds(10));
    list();
    assertThat(records.ended(10)).isEmpty();
  }

  @Test
  void beginAndEndAreSentOnOnceEach() {
    list(FULL);
    assertThat(sent()).as("it may pass by itself").isEmpty();
    pass(Duration.ofSeconds(11));
    list(FULL);
    list(FULL);
    assertThat(sent()).extracting(NoticeText::occasion).containsExactly("BEGAN");
    assertThat(sent().get(0).code()).isEqualTo("DISK_FULL");
    assertThat(sent().get(0).name()).isEqualTo("e1");
    assertThat(sent().get(0).severity()).isEqualTo("CRITICAL");

    pass(Duration.ofSeconds(20));
    list();
    list();
    assertThat(sent()).extracting(NoticeText::occasion).containsExactly("BEGAN", "ENDED");
  }

  @Test
  void aProblemThatPassesQuicklyIsNotSentOn() {
    list(FULL);
    pass(Duration.ofSeconds(20));
    list();
    assertThat(records.ended(10)).hasSize(1);
    assertThat(sent()).isEmpty();
  }

  @Test
  void theMostUrgentProblemsAreListedFirst() {
    Alert stuck = new Alert("JOB_CANNOT_RUN", "job 7", "no node has 1,000 slots");
    assertThat(records.dated(List.of(DEAD, DEAD, DEAD, stuck, FULL)))
        .extracting(Alert::code)
        .startsWith("JOB_CANNOT_RUN", "DISK_FULL")
        .endsWith("DEAD_LETTERS");
  }

  @Test
  void aSilencedProblemIsListedButNotSentOnUntilTheSilenceEnds() {
    ProblemSilence silence = silence("DISK_FULL", "e1");
    list(FULL, DEAD);
    pass(Duration.ofSeconds(11));
    list(FULL, DEAD);
    assertThat(sent()).extracting(NoticeText::code).containsExactly("DEAD_LETTERS");
    List<Alert> dated = records.dated(List.of(FULL, DEAD));
    assertThat(dated).extracting(Alert::code).containsExactly("DEAD_LETTERS", "DISK_FULL");
    assertThat(dated.get(1).silence().reason()).isEqualTo("disks come");

    records.lift(silence.id());
    list(FULL, DEAD);
    assertThat(sent())
        .extracting(NoticeText::code)
        .containsExactlyInAnyOrder("DEAD_LETTERS", "DISK_FULL");
  }

  @Test
  void theEndIsSentOnIfTheBeginWasThoughTheProblemWasSilencedMeanwhile() {
    list(FULL, DEAD);
    pass(Duration.ofSeconds(11));
    list(FULL);
    assertThat(sent()).extracting(NoticeText::code).containsExactly("DISK_FULL");
    silence("DISK_FULL", "e1");
    silence("DEAD_LETTERS", null);
    pass(Duration.ofSeconds(20));
    list();
    assertThat(sent())
        .extracting(NoticeText::code, NoticeText::occasion)
        .containsExactly(tuple("DISK_FULL", "BEGAN"), tuple("DISK_FULL", "ENDED"));
  }

  @Test
  void aTargetThatCannotBeStoredWholeIsRefused() {
    List<String> fits = List.of("x".repeat(3_990));
    assertThat(new ProblemSettings(null, fits, null).command()).isEqualTo(fits);
    assertThatThrownBy(() -> new ProblemSettings(null, List.of("x", "\"".repeat(2_000)), null))
        .hasMessageContaining("problems.command has 4,0")
        .hasMessageContaining("at most 4,000");
    assertThatThrownBy(
            () -> new ProblemSettings("https://example.org/" + "x".repeat(4_000), null, null))
        .hasMessageContaining("problems.webhook has 4,020");
  }

  @Test
  void theRefusalOfAWebhookDoesNotShowItsPathWhichMayBeASecret() {
    assertThatThrownBy(() -> new ProblemSettings("htps://hooks.example/SECRET", null, null))
        .hasMessage("problems.webhook: is not a URL; write one such as https://host/hook");
  }

  @Test
  void aSilenceOfACodeCoversEverySubjectAndEndsByItself() {
    silence("DISK_FULL", null);
    assertThat(records.dated(List.of(FULL)).get(0).silence()).isNotNull();
    assertThat(records.dated(List.of(DEAD)).get(0).silence()).isNull();

    sql("update problem_silence set until_at = dateadd(hour, -3, until_at)");
    assertThat(records.dated(List.of(FULL)).get(0).silence()).isNull();
    assertThat(records.silences()).isEmpty();
    list(FULL);
    assertThat(count("problem_silence")).isZero();
  }

  @Test
  void aSilenceOfTheSameSubjectIsReplaced() {
    silence("DISK_FULL", "e1");
    records.silence(
        new SilenceRequest("DISK_FULL", "e1", Duration.ofHours(5), "still no disks"), "bob");
    assertThat(records.silences())
        .singleElement()
        .satisfies(silence -> assertThat(silence.by()).isEqualTo("bob"))
        .satisfies(silence -> assertThat(silence.reason()).isEqualTo("still no disks"));
  }

  @Test
  void invalidSilencesAreRefusedWithWhatIsAllowed() {
    assertThatThrownBy(() -> silence("DISK_FUL", "e1")).hasMessageContaining("DISK_FULL");
    assertThatThrownBy(
            () ->
                records.silence(
                    new SilenceRequest("DISK_FULL", null, Duration.ofDays(31), "x"), "ann"))
        .hasMessageContaining("30d");
    assertThatThrownBy(
            () ->
                records.silence(
                    new SilenceRequest("DISK_FULL", null, Duration.ofDays(1), " "), "ann"))
        .hasMessageContaining("reason");
    assertThatThrownBy(() -> records.lift(99))
        .isInstanceOf(MillraceException.class)
        .satisfies(
            e -> assertThat(((MillraceException) e).code()).isEqualTo(ErrorCode.UNKNOWN_SILENCE));
  }

  @Test
  void manyProblemsOfACodeAreCounted() {
    List<Alert> many = new ArrayList<>();
    for (int i = 0; i < 35; i++) {
      many.add(new Alert("DISK_FULL", "e" + i, "its disk is full"));
    }
    many.add(DEAD);
    List<Alert> dated = records.dated(many);
    assertThat(dated).hasSize(22);
    assertThat(dated.get(21).message()).isEqualTo("and 15 more problems of this kind");
    list(dated.toArray(Alert[]::new));
    assertThat(count("problem")).as("the line that counts is no problem").isEqualTo(21);
  }

  @Test
  void endedProblemsAreDeletedAfterAMonth() {
    list(FULL);
    pass(Duration.ofDays(31));
    list();
    assertThat(records.ended(10)).hasSize(1);
    for (int look = 0; look < 12; look++) {
      list();
    }
    assertThat(records.ended(10)).isEmpty();
  }

  @Test
  void onlyTheHolderOfTheDutyRecords() {
    claims.release("watch", "c1");
    list(FULL);
    assertThat(count("problem")).isZero();
  }

  private ProblemWatch watch;

  private void list(Alert... alerts) {
    listed.clear();
    listed.addAll(List.of(alerts));
    if (watch == null) {
      ProblemSettings settings = new ProblemSettings("https://example.org/hook", null, null);
      watch = new ProblemWatch(database, claims, () -> List.copyOf(listed), settings);
    }
    watch.run(claim);
  }

  private ProblemSilence silence(String code, String subject) {
    return records.silence(
        new SilenceRequest(code, subject, Duration.ofHours(2), "disks come"), "ann");
  }

  private List<NoticeText> sent() {
    Instant later = database.now().plusSeconds(60);
    return database
        .<List<SubjectNoticeDao.SubjectNotice>, RuntimeException>read(
            handle ->
                SubjectNoticeDao.due(
                    handle, EnumSet.allOf(NoticeSubject.class), later, DuePosition.START, 100))
        .stream()
        .map(notice -> Json.read(notice.content(), NoticeText.class))
        .toList();
  }

  /** Makes it so much later for what is recorded. */
  private void pass(Duration time) {
    sql(
        "update problem set began_at = dateadd(second, %1$d, began_at), seen_at = dateadd(second, %1$d, seen_at)"
            .formatted(-time.toSeconds()));
  }

  private int count(String table) {
    return database.read(
        handle -> handle.createQuery("select count(*) from " + table).mapTo(Integer.class).one());
  }

  private void sql(String statement) {
    database.transaction(handle -> handle.execute(statement));
  }
}
