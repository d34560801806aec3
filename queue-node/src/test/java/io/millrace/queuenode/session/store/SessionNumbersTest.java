package io.millrace.queuenode.session.store;

import static io.millrace.queuenode.session.store.SessionStoreFixture.PROCESS;
import static io.millrace.queuenode.session.store.SessionStoreFixture.QUEUE;
import static io.millrace.queuenode.session.store.SessionStoreFixture.result;
import static io.millrace.queuenode.session.store.SessionStoreFixture.w;
import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.api.session.SessionDefinition.DuplicatePolicy;
import io.millrace.api.session.SessionKey;
import io.millrace.api.session.SessionNumber;
import io.millrace.api.session.SessionView.SessionAction;
import io.millrace.api.session.SessionWorkerCalls.ResultKind;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The numbers of a key's assignments rise, whatever has become of its earlier sessions. */
class SessionNumbersTest {
  @TempDir private Path folder;
  private SessionStoreFixture sessions;

  @BeforeEach
  void open() {
    sessions = SessionStoreFixture.withAllSlots(folder);
  }

  @AfterEach
  void close() {
    sessions.close();
  }

  /** The number under which the worker gets the next event of a key. */
  private SessionNumber assigned(String key, String id) {
    sessions.available(1);
    assertThat(sessions.put(key, id)).isEqualTo("STORED");
    return sessions.poll(1, 10).sessions().get(0).number();
  }

  private SessionNumber completed(String key, String id) {
    SessionNumber number = assigned(key, id);
    sessions.poll(1, 0, result(key, number, 1, ResultKind.COMPLETED));
    return number;
  }

  @Test
  void theNumberRisesAfterASessionWasRemovedAsIfItHadNeverBeen() {
    SessionNumber before = assigned("a", "a1");
    sessions.store.leave(QUEUE, w(1), PROCESS);
    sessions.store.act(QUEUE, "a", SessionAction.DROP, null);
    sessions.commit();
    assertThat(sessions.session("a")).isNull();
    assertThat(assigned("a", "a2")).isGreaterThan(before);
  }

  @Test
  void theNumberRisesAfterAKeyWasCompletedAndForgotten() {
    SessionNumber before = completed("a", "a1");
    sessions.clock.advance(sessions.rules.remember());
    sessions.look();
    assertThat(sessions.store.figures().get(QUEUE).sessions().remembered()).isZero();
    assertThat(assigned("a", "a2")).isGreaterThan(before);
  }

  @Test
  void theNumberRisesWithEachTimeThatAKeyIsOpenedAgain() {
    sessions.rules = sessions.rules.withDuplicates(DuplicatePolicy.REOPEN);
    for (int i = 0; i < 16; i++) {
      String key = "k" + i;
      SessionNumber last = new SessionNumber(1, 0);
      for (int times = 0; times < 3; times++) {
        SessionNumber number = completed(key, key + times);
        assertThat(number).isGreaterThan(last);
        last = number;
      }
      // Their table grows, which changes the order of its rows.
      completed(inTheSlotOf(key), "other");
      assertThat(sessions.put(key, key + 2)).as("known of the last one").isEqualTo("REPEATED");
      assertThat(completed(key, key + 3)).isGreaterThan(last);
    }
  }

  private static String inTheSlotOf(String key) {
    int i = 0;
    while (SessionKey.slot("s" + i) != SessionKey.slot(key)) {
      i++;
    }
    return "s" + i;
  }
}
