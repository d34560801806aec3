package io.millrace.manager.queue;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.api.Json;
import io.millrace.api.queue.QueueControl.PauseRequest;
import io.millrace.api.queue.SegmentFigures;
import io.millrace.manager.notification.DuePosition;
import io.millrace.manager.notification.NoticeText;
import io.millrace.manager.notification.SubjectNoticeDao;
import io.millrace.manager.notification.SubjectNoticeDao.NoticeSubject;
import io.millrace.manager.notification.SubjectNoticeDao.SubjectNotice;
import io.millrace.platform.claim.Claim;
import io.millrace.platform.claim.ClaimDao;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.EnumSet;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class QueueNoticesTest {
  @TempDir Path folder;
  private QueueWorld world;
  private DeadLetterWatch watch;
  private Claim claim;

  @BeforeEach
  void aQueue() {
    world = new QueueWorld(folder);
    ClaimDao claims = new ClaimDao(world.database);
    claim = claims.acquireOrRenew("watch", "c1", Duration.ofMinutes(10)).orElseThrow();
    watch = new DeadLetterWatch(world.database, claims, world.queues, world.nodes);
    world.apply(
        "{kind: queue, name: alert, worker: {command: [work], runAs: alice}, notify: {command: [tell],"
            + " on: [dead, paused]}}");
  }

  @AfterEach
  void close() {
    world.close();
  }

  @Test
  void aPauseIsNotifiedOnceWithItsReason() {
    world.controls.pause("alert", new PauseRequest(true, true, "deploy"), "ann");
    world.controls.pause("alert", new PauseRequest(true, false, null), "bob");
    assertThat(notices())
        .singleElement()
        .satisfies(notice -> assertThat(notice.runAs()).isEqualTo("alice"))
        .satisfies(notice -> assertThat(text(notice).occasion()).isEqualTo("PAUSED"))
        .satisfies(
            notice ->
                assertThat(text(notice).reason())
                    .isEqualTo("sending and consuming paused by ann: deploy"));
  }

  @Test
  void anOpenBreakerIsNotifiedAsAPause() {
    world.runs("alert", "q1", true, 100);
    assertThat(notices())
        .singleElement()
        .satisfies(notice -> assertThat(text(notice).occasion()).isEqualTo("PAUSED"))
        .satisfies(notice -> assertThat(text(notice).reason()).contains("its workers fail"));
  }

  @Test
  void aBurstOfDeadLettersIsOneNoticeWithTheirNumber() {
    dead(3);
    dead(500);
    dead(499);
    assertThat(notices())
        .singleElement()
        .satisfies(notice -> assertThat(text(notice).occasion()).isEqualTo("DEAD"))
        .satisfies(notice -> assertThat(text(notice).count() + notice.added()).isEqualTo(500));
    assertThat(due(Duration.ofSeconds(20))).as("more may follow at once").isEmpty();
  }

  @Test
  void furtherDeadLettersWaitForTheEndOfThePeriod() {
    dead(3);
    world.database.transaction(
        handle -> handle.execute("update subject_notice set state = 'SENT'"));
    dead(7);
    dead(9);
    assertThat(notices())
        .singleElement()
        .satisfies(notice -> assertThat(text(notice).count() + notice.added()).isEqualTo(6));
    assertThat(due(Duration.ofMinutes(9))).isEmpty();
    assertThat(due(Duration.ofMinutes(11))).hasSize(1);
  }

  @Test
  void aQueueThatDoesNotAskIsNotCounted() {
    world.apply("{kind: queue, name: alert, worker: {command: [work]}}");
    dead(3);
    assertThat(notices()).isEmpty();
    assertThat(world.database.read(DeadLetterDao::all)).isEmpty();
  }

  @Test
  void anOccasionThatAQueueNeverHasIsRefusedWithTheOthers() {
    assertThatThrownBy(
            () ->
                world.apply(
                    "{kind: queue, name: alert, notify: {command: [tell], on: [failed, dead]}}"))
        .hasMessageContaining(
            "notify.on (line 1): failed never happens to a queue; use dead, paused");
    assertThatThrownBy(
            () ->
                world.apply(
                    "{kind: queue, name: alert, source: {waiting: [count]}, worker: {command: [w]},"
                        + " notify: {command: [tell], on: [dead]}}"))
        .hasMessageContaining("use paused");
    assertThatThrownBy(
            () ->
                world.apply(
                    "{kind: queue, name: alert, notify: {command: [tell], on: [dead], lateAfter: 5m}}"))
        .hasMessageContaining("notify.lateAfter (line 1): does not apply to a queue");
  }

  private void dead(long dead) {
    SegmentFigures segment = QueueWorld.segment("alert", "q1", 0, 1000);
    world.report("q1", segment.with(copy -> copy.dead(dead)));
    watch.run(claim);
  }

  private List<SubjectNotice> notices() {
    return due(Duration.ofDays(1));
  }

  private List<SubjectNotice> due(Duration within) {
    Instant then = world.database.now().plus(within);
    return world.database.read(
        handle ->
            SubjectNoticeDao.due(
                handle, EnumSet.allOf(NoticeSubject.class), then, DuePosition.START, 100));
  }

  private static NoticeText text(SubjectNotice notice) {
    return Json.read(notice.content(), NoticeText.class);
  }
}
