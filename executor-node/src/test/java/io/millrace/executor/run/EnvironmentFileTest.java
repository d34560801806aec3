package io.millrace.executor.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.executor.run.JobEnvironment.EnvironmentFile;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class EnvironmentFileTest {

  @Test
  void linesAreReadWithQuotesAndComments() {
    assertThat(
            parse(
                "# the database",
                "",
                "PLAIN=a b ",
                "export EXPORTED=yes",
                "COMMENTED=value # of the example",
                "HASH=a#b",
                "EMPTY=",
                "SINGLE='$HOME \"x\" \\n' # as it is",
                "DOUBLE=\"a \\\"b\\\" \\\\ \\n\\$c #d\"",
                "TWICE=1",
                "TWICE=2"))
        .containsExactlyInAnyOrderEntriesOf(
            Map.of(
                "PLAIN", "a b",
                "EXPORTED", "yes",
                "COMMENTED", "value",
                "HASH", "a#b",
                "EMPTY", "",
                "SINGLE", "$HOME \"x\" \\n",
                "DOUBLE", "a \"b\" \\ \n$c #d",
                "TWICE", "2"));
  }

  @Test
  void aComplaintNamesTheLineAndNeverWhatIsInIt() {
    assertThatThrownBy(() -> parse("A=1", "hunter2"))
        .hasMessageContaining("envFile /etc/x, line 2: write NAME=value")
        .hasMessageNotContaining("hunter2");
    assertThatThrownBy(() -> parse("A='hunter2"))
        .hasMessageContaining("line 1: end the value with the quotation mark")
        .hasMessageNotContaining("hunter2");
    assertThatThrownBy(() -> parse("1A=x")).hasMessageContaining("line 1");
  }

  private static Map<String, String> parse(String... lines) {
    return EnvironmentFile.parse("/etc/x", List.of(lines));
  }
}
