package io.millrace.queuenode.session.store;

import static io.millrace.queuenode.session.store.SessionStoreFixture.QUEUE;
import static io.millrace.queuenode.session.store.SessionStoreFixture.delivered;
import static io.millrace.queuenode.session.store.SessionStoreFixture.event;
import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.api.session.SessionKey;
import io.millrace.api.session.SessionView.SessionAction;
import io.millrace.api.session.SessionWorkerCalls.PollAnswered;
import io.millrace.queuenode.session.store.SessionStore.KeyedEvent;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A session is taken from a worker only when that has certainly stopped working on it. */
class SessionRevocationTest {
  private static final int SLOT = SessionKey.slot("a");
  @TempDir private Path folder;
  private SessionStoreFixture sessions;

  @BeforeEach
  void open() {
    sessions = SessionStoreFixture.withAllSlots(folder);
    sessions.available(1);
  }

  @AfterEach
  void close() {
    sessions.close();
  }

  private void seal() {
    sessions.store.seal(QUEUE, List.of(SLOT));
    sessions.commit();
  }

  @Test
  void aWorkerThatGoesOnAskingKeepsWhatItIsWorkingOnUntilItGivesItBack() {
    sessions.put("a", "e1");
    assertThat(delivered(sessions.poll(1, 10))).isEqualTo("a:1");
    seal();
    for (int i = 0; i < 31; i++) {
      assertThat(sessions.poll(1, 0).revoked()).hasSize(1);
      sessions.clock.advance(Duration.ofSeconds(1));
    }
    sessions.look();
    assertThat(sessions.session("a").worker()).as("its last call was a second ago").isNotNull();
    sessions.clock.advance(Duration.ofSeconds(29));
    sessions.look();
    assertThat(sessions.session("a").worker()).as("it has stopped").isNull();
  }

  @Test
  void theDeadlineOfARevocationBeginsWithTheLastAnswerThatToldIt() {
    sessions.put("a", "e1");
    sessions.poll(1, 10);
    seal();
    sessions.poll(1, 0);
    sessions.clock.advance(Duration.ofSeconds(29));
    // As the first answer was lost, it asks again under the same number, and is told 29 s later.
    PollAnswered again = sessions.pollAs(1, SessionStoreFixture.PROCESS, sessions.lastPoll(1), 0);
    assertThat(again.revoked()).hasSize(1);
    sessions.clock.advance(Duration.ofSeconds(2));
    sessions.look();
    assertThat(sessions.session("a").worker()).as("told two seconds ago").isNotNull();
  }

  @Test
  void whatAWorkerDidNotGiveBackInTimeComesBeforeWhatWaitsInItsOrder() {
    sessions.rules = sessions.rules.withMaxPerWorker(2);
    for (String key : List.of("b", "a", "c")) {
      sessions.put(key, "e1");
    }
    assertThat(delivered(sessions.poll(1, 10))).isEqualTo("b:1 a:1");
    for (String key : List.of("b", "a")) {
      sessions.store.act(QUEUE, key, SessionAction.MOVE, "hangs");
      sessions.commit();
    }
    sessions.poll(1, 0);
    sessions.clock.advance(sessions.rules.heartbeat());
    sessions.look();
    sessions.available(2, 3);
    assertThat(delivered(sessions.poll(2, 10))).isEqualTo("b:1 a:1");
    assertThat(delivered(sessions.poll(3, 10))).isEqualTo("c:1");
  }

  @Test
  void ofManyRevokedSessionsAWorkerIsToldAllInSeveralAnswers() {
    List<KeyedEvent> events = new ArrayList<>();
    for (int i = 0; events.size() < 1_001; i++) {
      if (SessionKey.slot("k" + i) == SLOT) {
        events.add(event("k" + i, "e" + i));
      }
    }
    sessions.put(events.toArray(new KeyedEvent[0]));
    assertThat(sessions.poll(1, 10_000).sessions()).hasSize(1_001);
    seal();
    Set<String> told = new HashSet<>();
    sessions.poll(1, 0).revoked().forEach(one -> told.add(one.key()));
    assertThat(told).hasSize(1_000);
    sessions.clock.advance(Duration.ofSeconds(20));
    sessions.poll(1, 0).revoked().forEach(one -> told.add(one.key()));
    assertThat(told).hasSize(1_001);
    sessions.clock.advance(Duration.ofSeconds(11));
    sessions.look();
    String last = events.get(1_000).key();
    assertThat(sessions.session(last).worker()).as("told eleven seconds ago").isNotNull();
  }
}
