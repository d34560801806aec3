package io.millrace.tests.drill.session;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.tests.drill.session.SessionEntry.Offered;
import io.millrace.tests.drill.session.SessionEntry.Purpose;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SessionJournalTest {
  @TempDir Path folder;

  private static Offered offered(double at, String key, String id) {
    return new Offered(at, "p1", key, id, Purpose.EVENT);
  }

  @Test
  void entriesOfAllFilesAreReadInTheOrderOfTheirTimes() throws IOException {
    try (SessionJournal one = SessionJournal.open(folder, "a");
        SessionJournal other = SessionJournal.open(folder, "b")) {
      one.add(offered(2, "r1-k", "e2"));
      one.add(offered(2, "r1-k", "e3"));
      other.add(offered(1, "r1-k", "e1"));
    }
    try (SessionJournal again = SessionJournal.open(folder, "b")) {
      again.add(offered(3, "r1-k", "e4"));
    }

    assertThat(SessionJournal.read(folder, "r1-"))
        .containsExactly(
            offered(1, "r1-k", "e1"),
            offered(2, "r1-k", "e2"),
            offered(2, "r1-k", "e3"),
            offered(3, "r1-k", "e4"));
  }

  @Test
  void onlySessionsOfTheRoundAreRead() throws IOException {
    try (SessionJournal one = SessionJournal.open(folder, "a")) {
      one.add(offered(1, "r1-k", "e1"));
      one.add(offered(2, "r11-k", "e2"));
    }

    assertThat(SessionJournal.read(folder, "r11-")).containsExactly(offered(2, "r11-k", "e2"));
  }

  @Test
  void aLineThatAKillHasCutOffIsOmitted() throws IOException {
    try (SessionJournal one = SessionJournal.open(folder, "a")) {
      one.add(offered(1, "r1-k", "e1"));
    }
    Files.writeString(folder.resolve("a.journal"), "offered 2.0", StandardOpenOption.APPEND);

    assertThat(SessionJournal.read(folder, "r1-")).containsExactly(offered(1, "r1-k", "e1"));
  }
}
