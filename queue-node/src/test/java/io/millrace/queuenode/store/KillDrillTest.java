package io.millrace.queuenode.store;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.platform.time.ManualClock;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.io.TempDir;

/** Kills a real process in the middle of its writing (kill -9) and looks what it left. */
class KillDrillTest {
  private static final int ENOUGH = 600;

  @TempDir Path folder;

  @RepeatedTest(3)
  void noAcknowledgedPutIsLostAndNoAcknowledgedEventComesBack() throws Exception {
    Process writer =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-cp",
                System.getProperty("java.class.path"),
                KilledWriter.class.getName(),
                folder.toString())
            .redirectError(ProcessBuilder.Redirect.DISCARD)
            .start();
    List<String> words = new ArrayList<>();
    try (BufferedReader out =
        new BufferedReader(
            new InputStreamReader(writer.getInputStream(), StandardCharsets.UTF_8))) {
      read(out, words, ENOUGH);
      // Not Process.destroyForcibly, which would close the pipe as well.
      assertThat(writer.toHandle().destroyForcibly()).isTrue();
      assertThat(writer.waitFor(10, TimeUnit.SECONDS)).isTrue();
      assertThat(writer.exitValue()).isEqualTo(128 + 9);
      // What it had said before it died is in the pipe.
      read(out, words, Integer.MAX_VALUE);
    }

    Set<String> put = said(words, "put ");
    Set<String> begun = said(words, "begun ");
    Set<String> done = said(words, "done ");
    Set<String> kept = kept();
    Set<String> owed = new HashSet<>(put);
    owed.removeAll(begun);
    assertThat(put).hasSizeGreaterThan(ENOUGH / 3);
    assertThat(done).isNotEmpty();
    assertThat(kept).containsAll(owed).doesNotContainAnyElementsOf(done);
  }

  private static void read(BufferedReader out, List<String> words, int lines) throws IOException {
    for (int i = 0; i < lines; i++) {
      String line = out.readLine();
      if (line == null) {
        return;
      }
      words.add(line);
    }
  }

  private static Set<String> said(List<String> words, String verb) {
    Set<String> ids = new HashSet<>();
    // The last line may be cut off by the kill.
    words.stream()
        .filter(line -> line.startsWith(verb))
        .forEach(line -> ids.add(line.substring(verb.length())));
    return ids;
  }

  private Set<String> kept() {
    ManualClock clock = new ManualClock(Instant.parse("2026-01-05T10:00:00Z"));
    Set<String> ids = new HashSet<>();
    try (SegmentStore store = H2SegmentStore.open(folder, clock)) {
      SegmentTotals totals = store.totals().get("q");
      clock.advance(Duration.ofMinutes(5));
      store.expire(queue -> new DeliveryLimits(5, 25));
      LeaseOrder order = new LeaseOrder("q", 5_000, Long.MAX_VALUE, Duration.ofMinutes(1));
      for (List<LeasedEvent> leased = store.lease(order);
          !leased.isEmpty();
          leased = store.lease(order)) {
        leased.forEach(event -> assertThat(ids.add(event.event().id())).isTrue());
      }
      assertThat(totals.unfinished()).isEqualTo(ids.size());
      assertThat(totals.inserted() - totals.acknowledged()).isEqualTo(ids.size());
    }
    return ids;
  }
}
