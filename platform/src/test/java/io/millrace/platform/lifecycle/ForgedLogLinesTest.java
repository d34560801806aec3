package io.millrace.platform.lifecycle;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.joran.JoranConfigurator;
import ch.qos.logback.classic.util.LogbackMDCAdapter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Text from outside, in a message or an exception, cannot forge lines of the servers' log. */
class ForgedLogLinesTest {
  private static final String FORGED =
      "x\r\n2030-01-01T00:00:00.000Z ERROR [main] forged - all is lost\u001b[31m"
          + "\u0085next\u2028line\u0007\u202Enommoc\u202C \u2066one\u2069 \u200Ftwo\u200E\u061C"
          + " \u00E4\u05D0\u0627\u200D\u2065";

  @TempDir private Path folder;

  @Test
  void everyLineBelongsToAnEventThatWasLogged() throws Exception {
    LoggerContext context = new LoggerContext();
    context.setMDCAdapter(new LogbackMDCAdapter());
    context.putProperty("millrace.log.folder", folder.toString());
    context.putProperty("millrace.log.name", "forged");
    context.putProperty("millrace.log.console", "OFF");
    JoranConfigurator configurator = new JoranConfigurator();
    configurator.setContext(context);
    // Tests run in the folder of their module.
    configurator.doConfigure(Path.of("../conf/logback.xml").toFile());
    Logger logger = context.getLogger("io.millrace.Test");

    logger.warn("refused: {}", FORGED);
    logger.warn("failed", new IllegalStateException(FORGED, new IllegalArgumentException(FORGED)));
    context.stop();

    List<String> lines = Files.readAllLines(folder.resolve("forged.log"));
    assertThat(lines.stream().filter(line -> !line.startsWith("  "))).hasSize(2);
    assertThat(lines.get(0)).contains("refused: x | 2030-01-01").contains("all is lost | [31m");
    assertThat(String.join("\n", lines)).doesNotContainPattern("[\\p{Cntrl}&&[^\\n\\t]]");
    assertThat(String.join("\n", lines))
        .doesNotContainPattern("[\\u061C\\u200E\\u200F\\u202A-\\u202E\\u2066-\\u2069]");
    assertThat(lines.get(0)).contains("nommoc").contains("\u00E4\u05D0\u0627\u200D");
    assertThat(lines.stream().filter(line -> line.contains("IllegalStateException"))).hasSize(1);
  }
}
