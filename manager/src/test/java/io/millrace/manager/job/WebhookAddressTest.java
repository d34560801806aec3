package io.millrace.manager.job;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.manager.job.NotificationDelivery.WebhookAddress;
import java.net.URI;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class WebhookAddressTest {
  @ParameterizedTest
  @ValueSource(
      strings = {
        "http://127.0.0.1/",
        "http://localhost:8080/",
        "http://10.1.2.3/",
        "http://172.16.0.1/",
        "http://192.168.1.1/",
        "http://169.254.169.254/latest/meta-data",
        "http://100.64.0.1/",
        "http://0.0.0.0/",
        "http://[::1]/",
        "http://[fe80::1]/",
        "http://[fd00::1]/",
        "http://[::ffff:127.0.0.1]/"
      })
  void addressesOfThisMachineAndOfPrivateNetworksAreRefused(String address) {
    assertThat(WebhookAddress.refusal(URI.create(address), false)).isPresent();
    assertThat(WebhookAddress.refusal(URI.create(address), true)).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"ftp://8.8.8.8/", "file:///etc/passwd", "/hook", "http://user:word@8.8.8.8/"})
  void addressesThatAreNotPlainHttpAreAlwaysRefused(String address) {
    assertThat(WebhookAddress.refusal(URI.create(address), true)).isPresent();
  }

  @Test
  void publicAddressesArePostedTo() {
    assertThat(WebhookAddress.refusal(URI.create("https://8.8.8.8/hook"), false)).isEmpty();
  }
}
