package io.millrace.manager.notification;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Notices are written as destination and number. */
class NoticeChoiceTest {
  @Test
  void oneNoticeForEachDestinationIsChosenInTheOrderInWhichTheyAreDue() {
    assertThat(choose(4, List.of("a1", "a2", "a3", "b1", "c1", "d1", "e1")))
        .containsExactly("a1", "b1", "c1", "d1");
  }

  @Test
  void furtherNoticesOfTheSameDestinationsFillWhatIsLeft() {
    assertThat(choose(4, List.of("a1", "a2", "a3", "b1"))).containsExactly("a1", "b1", "a2", "a3");
    assertThat(choose(4, List.of("a1", "a2"))).containsExactly("a1", "a2");
  }

  @Test
  void theDestinationWhoseTurnIsTheLongestAgoComesFirst() {
    assertThat(choose(3, List.of("a1", "b1", "c1", "d1"), Map.of("a", 9L, "b", 7L, "c", 8L)))
        .containsExactly("d1", "b1", "c1");
  }

  @Test
  void nothingIsChosenOfNothing() {
    assertThat(choose(4, List.of())).isEmpty();
    assertThat(choose(0, List.of("a1"))).isEmpty();
  }

  private static List<String> choose(int most, List<String> due) {
    return choose(most, due, Map.of());
  }

  private static List<String> choose(int most, List<String> due, Map<String, Long> turns) {
    return NoticeChoice.choose(
        due, notice -> notice.substring(0, 1), one -> turns.getOrDefault(one, 0L), most);
  }
}
