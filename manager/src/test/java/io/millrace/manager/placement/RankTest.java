package io.millrace.manager.placement;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.api.node.NodeRegistration.NodeCapacity;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class RankTest {
  private static final NodeFacts NODE =
      NodeFacts.of(
          "e1",
          new NodeCapacity(4, 2.5, 1L << 30, Map.of("gpu", 2), false),
          List.of("default"),
          Map.of("label.speed", "7"));

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '~',
      textBlock =
          """
          cpus                              | 2.5
          -slots                            | -4
          cpus * 2 + slots                  | 9
          memory / 1MB                      | 1024
          label.speed == "7"                | 1
          label.speed == "8"                | 0
          int(label.speed) * 10             | 70
          has(label.ssd) ? 100 : 1          | 1
          resource.gpu                      | 2
          """)
  void a_node_is_worth_what_the_expression_says(String text, double value) {
    assertThat(Rank.parse(text).value(NODE)).isEqualTo(value);
  }

  @Test
  void values_that_cannot_be_computed_rank_last() {
    assertThat(Rank.parse("int(label.nothing)").value(NODE)).isEqualTo(Double.NEGATIVE_INFINITY);
    assertThat(Rank.parse("0.0 / (cpus - 2.5)").value(NODE)).isEqualTo(Double.NEGATIVE_INFINITY);
    assertThat(Rank.parse("1 / (slots - 4)").value(NODE)).isEqualTo(Double.NEGATIVE_INFINITY);
  }

  @Test
  void a_text_is_no_rank() {
    assertThatThrownBy(() -> Rank.parse("name"))
        .hasMessage("rank: its value is not a number; use for instance cpus, or -slots");
  }

  @Test
  void without_a_rank_all_nodes_are_equal() {
    assertThat(Rank.parse(null).given()).isFalse();
    assertThat(Rank.parse(" ").value(NODE)).isZero();
  }
}
