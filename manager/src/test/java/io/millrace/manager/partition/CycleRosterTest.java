package io.millrace.manager.partition;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.manager.partition.MemberDao.MemberRow;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;

class CycleRosterTest {
  private static final Duration MINUTE = Duration.ofMinutes(1);
  private static final Instant BEGIN = Instant.parse("2030-01-01T12:34:00Z");
  private static final Instant NOW = BEGIN.plusSeconds(40);

  @Test
  void aCycleStartsAtAMultipleOfTheIntervalForAllMembers() {
    assertThat(CycleRoster.of(List.of(), MINUTE, NOW).begin()).isEqualTo(BEGIN);
    assertThat(CycleRoster.of(List.of(), MINUTE, BEGIN).begin()).isEqualTo(BEGIN);
    assertThat(CycleRoster.of(List.of(), Duration.ofMinutes(10), NOW).begin())
        .isEqualTo("2030-01-01T12:30:00Z");
  }

  @Test
  void aMemberThatJoinsDuringACycleCountsFromTheNext() {
    List<MemberRow> rows = List.of(row("old", -1, null), row("new", 1, null));
    assertThat(CycleRoster.of(rows, MINUTE, NOW).members()).containsExactly("old");
    assertThat(CycleRoster.of(rows, MINUTE, NOW.plus(MINUTE)).members())
        .containsExactly("old", "new");
  }

  @Test
  void theShareOfAMemberThatLeavesIsNotReassignedInThatCycle() {
    List<MemberRow> rows = List.of(row("stays", -90, null), row("left", -90, 5));
    assertThat(CycleRoster.of(rows, MINUTE, NOW).members()).containsExactly("stays", "left");
    assertThat(CycleRoster.of(rows, MINUTE, NOW.plus(MINUTE)).members()).containsExactly("stays");
  }

  @Test
  void aClockThatIsSetBackExcludesNoMember() {
    Instant earlier = NOW.minus(Duration.ofHours(1));
    List<MemberRow> rows = List.of(row("lives", -90, null), row("left", -90, 5));
    assertThat(CycleRoster.of(rows, MINUTE, earlier).members()).containsExactly("lives");
  }

  private static MemberRow row(String name, int joined, Integer left) {
    return new MemberRow(
        "g",
        name,
        1,
        MINUTE,
        0,
        BEGIN.plusSeconds(joined),
        BEGIN,
        left == null ? null : BEGIN.plusSeconds(left));
  }
}
