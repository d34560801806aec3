package io.millrace.queuenode.store;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.platform.clock.ManualClock;
import io.millrace.queuenode.store.SegmentStore.LeaseOrder;
import io.millrace.queuenode.store.SegmentStore.LeaseOrder.LeasedEvent;
import io.millrace.queuenode.store.SegmentStore.QueueRules;
import io.millrace.queuenode.store.SegmentStore.QueueRules.DeliveryLimits;
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
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Kills a real process again and again in the middle of its writing (kill -9); each one continues
 * with the log of the previous one, and in the end nothing may be missing or reappear.
 */
@Tag("drill")
class LogKillDrillTest {
  private static final int ROUNDS = 6;
  private static final int FIRST_KILL = 1_500;

  @TempDir Path folder;

  @Test
  void overManyKillsNoStoredEventIsLostAndNoFinishedOneReappears() throws Exception {
    List<String> output = new ArrayList<>();
    for (int round = 0; round < ROUNDS; round++) {
      output.addAll(killedAfter(FIRST_KILL + 331 * round, "r" + round + "-"));
    }
    Set<String> owed = said(output, "put ");
    Set<String> done = said(output, "done ");
    Set<String> dead = said(output, "dead ");
    Set<String> begun = said(output, "begun ");
    assertThat(owed).hasSizeGreaterThan(ROUNDS * FIRST_KILL / 4);
    assertThat(done).isNotEmpty();
    assertThat(dead).isNotEmpty();
    owed.removeAll(begun);

    Left left = left();
    assertThat(left.waiting()).containsAll(owed).doesNotContainAnyElementsOf(done);
    assertThat(left.waiting()).doesNotContainAnyElementsOf(dead);
    assertThat(left.dead()).containsAll(dead).doesNotContainAnyElementsOf(done);
  }

  private List<String> killedAfter(int lines, String prefix) throws Exception {
    Process writer =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-cp",
                System.getProperty("java.class.path"),
                LogKilledWriter.class.getName(),
                folder.toString(),
                prefix)
            .redirectError(ProcessBuilder.Redirect.DISCARD)
            .start();
    List<String> output = new ArrayList<>();
    try (BufferedReader out =
        new BufferedReader(
            new InputStreamReader(writer.getInputStream(), StandardCharsets.UTF_8))) {
      read(out, output, lines);
      // Not Process.destroyForcibly, which would close the pipe as well.
      assertThat(writer.toHandle().destroyForcibly()).isTrue();
      assertThat(writer.waitFor(10, TimeUnit.SECONDS)).isTrue();
      assertThat(writer.exitValue()).isEqualTo(128 + 9);
      // Its output before it died is in the pipe; the last line may be cut off.
      read(out, output, Integer.MAX_VALUE);
    }
    assertThat(output).hasSizeGreaterThanOrEqualTo(lines);
    return output;
  }

  private static void read(BufferedReader out, List<String> output, int lines) throws IOException {
    for (int i = 0; i < lines; i++) {
      String line = out.readLine();
      if (line == null) {
        return;
      }
      output.add(line);
    }
  }

  /** A line cut off by a kill names no event that there is, or one that was said to be. */
  private static Set<String> said(List<String> output, String verb) {
    Set<String> ids = new HashSet<>();
    output.stream()
        .filter(line -> line.startsWith(verb) && line.matches("\\w+ r\\d+-\\d+-\\d"))
        .forEach(line -> ids.add(line.substring(verb.length())));
    return ids;
  }

  private record Left(Set<String> waiting, Set<String> dead) {}

  private Left left() {
    ManualClock clock = new ManualClock(Instant.parse("2026-01-05T10:00:00Z"));
    Set<String> waiting = new HashSet<>();
    Set<String> dead = new HashSet<>();
    try (SegmentStore store = LogKilledWriter.open(folder, clock)) {
      SegmentTotals totals = store.totals().get("q");
      clock.advance(Duration.ofMinutes(5));
      store.expire(queue -> QueueRules.of(new DeliveryLimits(5, 25)));
      LeaseOrder order = new LeaseOrder("q", 5_000, Long.MAX_VALUE, Duration.ofMinutes(1));
      for (List<LeasedEvent> leased = store.lease(order);
          !leased.isEmpty();
          leased = store.lease(order)) {
        leased.forEach(event -> assertThat(waiting.add(event.event().id())).isTrue());
      }
      store.dead("q", Long.MAX_VALUE, 1_000_000).forEach(letter -> dead.add(letter.event().id()));
      assertThat(totals.unfinished()).isEqualTo(waiting.size());
      assertThat(totals.dead()).isEqualTo(dead.size());
      assertThat(totals.inserted() - totals.acknowledged()).isEqualTo(waiting.size() + dead.size());
    }
    return new Left(waiting, dead);
  }
}
