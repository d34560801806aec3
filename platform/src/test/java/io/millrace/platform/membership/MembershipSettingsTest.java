package io.millrace.platform.membership;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.api.MillraceException;
import io.millrace.platform.config.ConfigurationLoader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class MembershipSettingsTest {
  @TempDir Path folder;

  @Test
  void publicAddressMayBeConfiguredAndMayBeMissing() throws IOException {
    assertThat(read("port: 5701").publicAddress()).isEmpty();
    assertThat(read("publicAddress: 10.0.0.7:5701").publicAddress()).contains("10.0.0.7:5701");
  }

  @ParameterizedTest
  @ValueSource(strings = {"10.0.0.7", ":5701", "http://10.0.0.7:5701", "10.0.0.7:port", ""})
  void publicAddressIsHostAndPort(String wrong) {
    assertThatThrownBy(() -> MembershipSettings.defaults().reachedAt(wrong))
        .isInstanceOf(MillraceException.class)
        .hasMessageContaining("host:port");
  }

  private MembershipSettings read(String yaml) throws IOException {
    Path file = Files.writeString(folder.resolve("membership.yaml"), yaml);
    return new ConfigurationLoader().load(file, MembershipSettings.class);
  }
}
