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

  @ParameterizedTest
  @ValueSource(
      strings = {
        "0.0.0.0",
        "'::'",
        "'::ffff:0.0.0.0'",
        "8.8.8.8",
        "172.32.0.1",
        "100.64.0.1",
        "224.0.0.1",
        "'2001:4860:4860::8888'",
        "10.*.*.*",
        "'*'",
        "' '"
      })
  void anAddressThatOthersThanThePrivateNetworkReachIsRefusedAtTheStart(String host) {
    assertThatThrownBy(() -> read("host: " + host))
        .isInstanceOf(MillraceException.class)
        .hasMessageContaining("membership.host")
        .hasMessageContaining("use 127.0.0.1, or the address of one interface");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "127.0.0.1",
        "127.0.0.9",
        "localhost",
        "'::1'",
        "10.1.2.3",
        "172.16.0.1",
        "192.168.1.1",
        "169.254.1.1",
        "'fd00::1'",
        "'fe80::1'"
      })
  void loopbackAndAnAddressOfAPrivateNetworkAreBound(String host) throws IOException {
    assertThat(read("host: " + host).bindAddress().getAddress()).isNotEmpty();
  }

  @Test
  void loopbackIsTheDefault() throws IOException {
    assertThat(read("port: 5701").bindAddress().isLoopbackAddress()).isTrue();
  }

  @ParameterizedTest
  @ValueSource(strings = {"127.0.0.1:5701", "10.0.0.7:1", "192.168.1.1:65535", "[fd00::1]:5701"})
  void membersAreNamedByAddressesOfAPrivateNetwork(String address) {
    assertThat(MembershipSettings.isMemberAddress(address)).isTrue();
  }

  /** A node names its own address, and others connect to it. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "8.8.8.8:5701",
        "0.0.0.0:5701",
        "[2001:4860:4860::8888]:5701",
        "q1.example.org:5701",
        "localhost:5701",
        "fe80:5701",
        "999.1.1.1:5701",
        "10.0.0.7",
        "10.0.0.7:0",
        "10.0.0.7:65536",
        "10.0.0.*:5701",
        "10.0.0.1-9:5701",
        ":5701",
        ""
      })
  void whatIsNoAddressOfAMemberIsNotJoined(String address) {
    assertThat(MembershipSettings.isMemberAddress(address)).isFalse();
  }

  private MembershipSettings read(String yaml) throws IOException {
    Path file = Files.writeString(folder.resolve("membership.yaml"), yaml);
    return new ConfigurationLoader().load(file, MembershipSettings.class);
  }
}
