package io.millrace.manager.notification;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Notices are written as server, address and number. */
class NoticeChoiceTest {
  @Test
  void oneNoticeForEachServerIsChosenInTheOrderInWhichTheyAreDue() {
    assertThat(choose(4, List.of("ax1", "ax2", "ay3", "bx1", "cx1", "dx1", "ex1")))
        .containsExactly("ax1", "bx1", "cx1", "dx1");
  }

  @Test
  void furtherNoticesOfTheSameServersFillWhatIsLeft() {
    assertThat(choose(4, List.of("ax1", "ax2", "ax3", "bx1")))
        .containsExactly("ax1", "bx1", "ax2", "ax3");
    assertThat(choose(4, List.of("ax1", "ax2"))).containsExactly("ax1", "ax2");
  }

  @Test
  void addressesOfOneServerTakeTurns() {
    assertThat(choose(4, List.of("ax1", "ax2", "ax3", "ay1", "bx1")))
        .containsExactly("ax1", "bx1", "ay1", "ax2");
  }

  @Test
  void theServerWhoseTurnIsTheLongestAgoComesFirst() {
    assertThat(choose(3, List.of("dx1", "bx1", "cx1", "ax1"), Map.of("a", 9L, "b", 7L, "c", 8L)))
        .containsExactly("dx1", "bx1", "cx1");
  }

  @Test
  void newAddressesOfAServerThatHadItsTurnGoBehindOtherServers() {
    Map<String, Long> turns = Map.of("a", 9L, "b", 7L, "bx", 6L);
    assertThat(choose(2, List.of("ax1", "ay1", "az1", "bx1"), turns)).containsExactly("bx1", "ax1");
  }

  @Test
  void theLongestDueIsAlwaysChosenHoweverManyServersHadNoTurn() {
    assertThat(choose(3, List.of("ax1", "bx1", "cx1", "dx1"), Map.of("a", 1L)))
        .containsExactly("bx1", "cx1", "ax1");
    assertThat(choose(1, List.of("ax1", "bx1"), Map.of("a", 1L))).containsExactly("ax1");
  }

  @Test
  void nothingIsChosenOfNothing() {
    assertThat(choose(4, List.of())).isEmpty();
    assertThat(choose(0, List.of("ax1"))).isEmpty();
  }

  private static List<String> choose(int most, List<String> due) {
    return choose(most, due, Map.of());
  }

  private static List<String> choose(int most, List<String> due, Map<String, Long> turns) {
    return NoticeChoice.choose(
        due,
        notice -> notice.substring(0, 2),
        notice -> notice.substring(0, 1),
        one -> turns.getOrDefault(one, 0L),
        most);
  }
}
