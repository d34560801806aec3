package io.millrace.manager.task;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.api.MillraceException;
import io.millrace.api.job.AttemptId;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class LoggedOutputTest {
  private static final AttemptId ATTEMPT = new AttemptId(7, 1);

  @Test
  void anOutputWhoseMiddleWasDroppedIsRefused() {
    String notice = "[millrace: 4711 bytes of this output were dropped here]";
    assertThatThrownBy(() -> LoggedOutput.lines(Stream.of("a", notice, "z"), ATTEMPT))
        .isInstanceOf(MillraceException.class)
        .hasMessageContaining("4711 bytes")
        .hasMessageContaining("entries are missing")
        .hasMessageContaining("limits.logHead")
        .hasMessageContaining("up to 32 MiB");
  }

  @Test
  void eachLineIsAChunkAndBlankOnesAreNone() {
    assertThat(LoggedOutput.lines("a\n\n  b \r\n\t\n".lines(), ATTEMPT)).containsExactly("a", "b");
  }

  /** Sixteen million lines of one character fit into the bytes that are read. */
  @Test
  void linesWithoutEndAreRefusedAndNotKept() {
    refused(Stream.generate(() -> "a"), "more than 1,000,000 lines");
  }

  @Test
  void aLineThatIsTooLongIsRefused() {
    refused(Stream.of("a".repeat(1_001)), "a line of 1,001 characters; at most 1,000");
    assertThat(LoggedOutput.lines(Stream.of("a".repeat(1_000)), ATTEMPT)).hasSize(1);
  }

  private static void refused(Stream<String> output, String reason) {
    assertThatThrownBy(() -> LoggedOutput.lines(output, ATTEMPT))
        .isInstanceOf(MillraceException.class)
        .hasMessageContaining(reason);
  }
}
