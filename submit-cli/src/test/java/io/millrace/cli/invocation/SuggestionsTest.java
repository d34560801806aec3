package io.millrace.cli.invocation;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.cli.CommandRun;
import io.millrace.cli.FakeCluster;
import java.util.List;
import org.junit.jupiter.api.Test;

class SuggestionsTest {
  private static final List<String> KNOWN =
      List.of("list", "logs", "restore", "submit", "status", "queue");

  @Test
  void fewWrongLettersAreForgivenByTheLengthOfTheWord() {
    assertThat(Suggestions.of("lst", KNOWN)).containsExactly("list");
    assertThat(Suggestions.of("lsit", KNOWN)).containsExactly("list");
    assertThat(Suggestions.of("sumbit", KNOWN)).containsExactly("submit");
    assertThat(Suggestions.of("restroe", KNOWN)).containsExactly("restore");
    assertThat(Suggestions.of("statsu", KNOWN)).containsExactly("status");
  }

  @Test
  void theDashesOfAnOptionAreNoLetters() {
    assertThat(Suggestions.of("--bath", List.of("--batch", "--data", "--help")))
        .containsExactly("--batch");
  }

  @Test
  void theBeginningOfAWordIsEnough() {
    assertThat(Suggestions.of("rest", KNOWN)).containsExactly("restore");
    assertThat(Suggestions.of("st", KNOWN)).containsExactly("status");
  }

  @Test
  void whatIsNotSimilarIsNotSuggested() {
    assertThat(Suggestions.of("lst", List.of("restore", "test", "last-seen"))).isEmpty();
    assertThat(Suggestions.of("x", KNOWN)).isEmpty();
    assertThat(Suggestions.of("frobnicate", KNOWN)).isEmpty();
  }

  @Test
  void anUnknownCommandOrOptionNamesTheSimilarOnesAsTheyAreTyped() {
    assertThat(noteOf("lst")).doesNotContain("restore").contains("see 'millrace --help'");
    assertThat(noteOf("job", "lst")).contains("did you mean 'millrace job list'?");
    assertThat(noteOf("queue", "dead", "list", "alert", "--limti", "5"))
        .contains("did you mean '--limit'?");
    assertThat(noteOf("queue", "dead", "list", "alert", "--limti=5"))
        .contains("did you mean '--limit'?");
  }

  @Test
  void aCommandThatStandsElsewhereIsNamedAsItIsTyped() {
    assertThat(noteOf("job", "submit"))
        .contains("did you mean 'millrace submit' or 'millrace workflow submit'?");
    assertThat(noteOf("peek")).contains("did you mean 'millrace queue peek'?");
    assertThat(noteOf("show")).contains("see 'millrace --help'");
  }

  private static String noteOf(String... arguments) {
    CommandRun run = new CommandRun(new FakeCluster());
    assertThat(run.run(arguments)).isNotZero();
    return run.messages();
  }
}
