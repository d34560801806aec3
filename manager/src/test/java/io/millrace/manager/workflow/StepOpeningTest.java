package io.millrace.manager.workflow;

import static java.util.stream.Collectors.toMap;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.millrace.manager.workflow.StepOpening.OpeningKind;
import java.util.Arrays;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** How kinds of openings are stored. */
class StepOpeningTest {
  @Test
  void theStoredWordsAreThoseOfEarlierVersions() {
    Map<OpeningKind, String> words =
        Arrays.stream(OpeningKind.values()).collect(toMap(kind -> kind, OpeningKind::stored));
    assertThat(words)
        .containsExactlyInAnyOrderEntriesOf(
            Map.ofEntries(
                Map.entry(OpeningKind.START, "START"),
                Map.entry(OpeningKind.TEMPLATES_MET, "GATE"),
                Map.entry(OpeningKind.WHOLE_TEMPLATE, "JOIN"),
                Map.entry(OpeningKind.ARGUMENT, "ARGUMENT"),
                Map.entry(OpeningKind.EMPTY, "EMPTY"),
                Map.entry(OpeningKind.RETRY, "RETRY"),
                Map.entry(OpeningKind.SCAN, "SCAN"),
                Map.entry(OpeningKind.WITHDRAW, "WITHDRAW"),
                Map.entry(OpeningKind.WHOLE_TEMPLATE_LOST, "JOIN_LOST"),
                Map.entry(OpeningKind.ARGUMENT_LOST, "ARGUMENT_LOST"),
                Map.entry(OpeningKind.EMPTY_LOST, "EMPTY_LOST")));
    words.forEach((kind, word) -> assertThat(OpeningKind.ofStored(word)).isEqualTo(kind));
  }

  @Test
  void aWordOfNoKindIsRefused() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> OpeningKind.ofStored("TEMPLATES_MET"))
        .withMessageContaining("TEMPLATES_MET");
  }
}
