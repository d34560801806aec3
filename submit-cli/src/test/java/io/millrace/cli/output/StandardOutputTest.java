package io.millrace.cli.output;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class StandardOutputTest {
  private final ByteArrayOutputStream messages = new ByteArrayOutputStream();

  @ParameterizedTest
  @CsvSource({"No space left on device,0,1", "No space left on device,6,6", "Broken pipe,0,0"})
  void outputThatIsNotWrittenIsAFailureUnlessItsReaderWentAway(String reason, int code, int exit) {
    assertThat(written(failing(reason), code)).isEqualTo(exit);
    assertThat(messages.toString(StandardCharsets.UTF_8))
        .isEqualTo(
            reason.equals("Broken pipe")
                ? ""
                : "error: cannot write to standard output: " + reason + System.lineSeparator());
  }

  @Test
  void outputThatIsWrittenDoesNotChangeTheExitCode() {
    ByteArrayOutputStream target = new ByteArrayOutputStream();
    assertThat(written(target, 0)).isZero();
    assertThat(target.toString(StandardCharsets.UTF_8)).isEqualTo("a list");
  }

  private int written(OutputStream target, int code) {
    StandardOutput output = new StandardOutput(target);
    PrintStream printed = new PrintStream(output, true, StandardCharsets.UTF_8);
    printed.print("a list");
    printed.flush();
    return output.exitCode(code, new PrintStream(messages, true, StandardCharsets.UTF_8));
  }

  private static OutputStream failing(String reason) {
    return new OutputStream() {
      @Override
      public void write(int value) throws IOException {
        throw new IOException(reason);
      }
    };
  }
}
