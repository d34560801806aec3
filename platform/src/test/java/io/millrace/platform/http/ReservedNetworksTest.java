package io.millrace.platform.http;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.UnknownHostException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ReservedNetworksTest {
  @ParameterizedTest
  @ValueSource(
      strings = {
        "127.0.0.1",
        "127.255.255.254",
        "2130706433",
        "10.1.2.3",
        "172.16.0.1",
        "172.31.255.255",
        "192.168.1.1",
        "169.254.169.254",
        "100.64.0.1",
        "0.0.0.0",
        "192.0.0.1",
        "192.0.2.1",
        "192.88.99.1",
        "198.18.0.1",
        "198.51.100.1",
        "203.0.113.1",
        "224.0.0.1",
        "240.0.0.1",
        "255.255.255.255",
        "::",
        "::1",
        "::7f00:1",
        "::ffff:127.0.0.1",
        "::ffff:0:127.0.0.1",
        "64:ff9b::7f00:1",
        "64:ff9b:1::1",
        "100::1",
        "2001::1",
        "2001:db8::1",
        "2002:7f00:1::1",
        "3fff::1",
        "fc00::1",
        "fd00::1",
        "fe80::1",
        "fec0::1",
        "ff02::1"
      })
  void addressesThatMayLeadToPrivateNetworksAreReserved(String address)
      throws UnknownHostException {
    assertThat(ReservedNetworks.contain(InetAddress.getByName(address))).isTrue();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "8.8.8.8",
        "172.15.255.255",
        "172.32.0.0",
        "100.128.0.0",
        "198.20.0.0",
        "223.255.255.255",
        "2001:4860:4860::8888",
        "2600::1"
      })
  void publicAddressesAreNot(String address) throws UnknownHostException {
    assertThat(ReservedNetworks.contain(InetAddress.getByName(address))).isFalse();
  }

  @Test
  void aMappedAddressIsReservedAlsoWhereJavaKeepsItsIpv6Form() throws UnknownHostException {
    byte[] mapped = new byte[16];
    mapped[10] = (byte) 0xff;
    mapped[11] = (byte) 0xff;
    mapped[12] = 127;
    mapped[15] = 1;

    assertThat(ReservedNetworks.contain(Inet6Address.getByAddress(null, mapped, -1))).isTrue();
  }
}
