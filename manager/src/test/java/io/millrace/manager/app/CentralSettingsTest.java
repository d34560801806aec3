package io.millrace.manager.app;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.api.MillraceException;
import io.millrace.platform.config.ConfigurationLoader;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

class CentralSettingsTest {
  private static final Path FILE = Path.of("/etc/millrace/manager.yaml");

  @Test
  void withoutATokensDirectoryTheTokensAreInTheDataDirectory() {
    assertThat(settings("dataDirectory: /data/c1\n").tokens())
        .isEqualTo(Path.of("/data/c1/tokens"));
  }

  @Test
  void aTokensDirectoryIsRelativeToTheFile() {
    assertThat(settings("dataDirectory: /data/c1\ntokensDirectory: ../keys\n").tokens().normalize())
        .isEqualTo(Path.of("/etc/keys"));
  }

  @Test
  void onADatabaseServerTheTokensDirectoryIsNamed() {
    String server = "dataDirectory: /data/c1\ndatabase: {url: 'jdbc:mysql://db/millrace'}\n";
    settings("dataDirectory: /data/c1\n").requireSharedKeys();
    settings(server + "tokensDirectory: /data/tokens\n").requireSharedKeys();
    assertThatThrownBy(() -> settings(server).requireSharedKeys())
        .isInstanceOf(MillraceException.class)
        .hasMessageStartingWith("tokensDirectory: missing");
  }

  private static CentralSettings settings(String yaml) {
    return new ConfigurationLoader().parse(yaml, FILE, CentralSettings.class);
  }
}
