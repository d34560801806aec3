package io.millrace.api;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class WebAddressTest {
  @ParameterizedTest
  @ValueSource(
      strings = {"", "a b", "host:7700", "ftp://h/x", "http:///path", "httpx://h", "http://"})
  void whatHasNoWebSchemeOrNoHostIsRefused(String text) {
    String words =
        "'" + text + "' is not a URL; write one such as http://127.0.0.1:7700 or https://host/hook";
    assertThatThrownBy(() -> WebAddress.parse(text))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage(words);
    assertThatThrownBy(() -> WebAddress.ofWebhook(text))
        .hasMessage("is not a URL; write one such as https://host/hook");
  }

  @Test
  void theSchemeOfAServerMayBeLeftOut() {
    assertThat(WebAddress.ofServer("host:7700")).hasToString("http://host:7700");
    assertThat(WebAddress.ofServer("https://host")).hasToString("https://host");
    assertThatThrownBy(() -> WebAddress.ofServer("a b"))
        .as("as it was written")
        .hasMessageStartingWith("'a b' is not a URL");
  }

  @Test
  void theAddressOfAServerHasOnlyAHostAndAPort() {
    assertThat(WebAddress.ofServer("http://host:7700/")).hasPort(7700);
    for (String path : List.of("/v1", "/?a=b", "#c")) {
      assertThatThrownBy(() -> WebAddress.ofServer("http://host:7700" + path))
          .hasMessageEndingWith("has more than a host and a port; write only http://host:7700");
    }
    assertThatThrownBy(() -> WebAddress.ofServer("http://ann:secret@host"))
        .hasMessage(
            "contains a user name; servers identify callers by their tokens, so leave it out");
  }

  @Test
  void aPortOutOfRangeIsRefused() {
    assertThat(WebAddress.parse("http://host:65535")).hasPort(65535);
    for (UnaryOperator<String> read :
        List.<UnaryOperator<String>>of(
            text -> WebAddress.parse(text).toString(),
            text -> WebAddress.ofServer(text).toString(),
            text -> WebAddress.ofWebhook(text).toString())) {
      assertThatThrownBy(() -> read.apply("http://host:65536"))
          .hasMessage("port 65536 is out of range; the highest is 65535");
    }
  }

  @Test
  void theCaseOfASchemeDoesNotMatter() {
    assertThat(WebAddress.parse("HTTP://10.0.0.1:7700")).hasHost("10.0.0.1");
    assertThat(WebAddress.ofServer("Https://host")).hasHost("host");
    assertThat(WebAddress.ofWebhook("HTTPS://host/hook")).hasHost("host");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "https://ann:secret@host/hook",
        "ftp://ann:secret@host/",
        "https://ann:secret@ho_st/"
      })
  void theAddressOfAWebhookHasNoPassword(String text) {
    assertThat(WebAddress.ofWebhook("https://host/hook?a=b")).hasHost("host");
    assertThatThrownBy(() -> WebAddress.ofWebhook(text))
        .hasMessage("contains a password, which would be visible; use a secret path instead");
  }

  /** Not in a cause either, which logs show. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "htps://hooks.example/secret",
        "hooks.example/secret",
        "https://hooks.example/the secret",
        "https://ann:the secret@host/"
      })
  void theRefusalOfAWebhookHasNothingOfItsAddress(String text) {
    assertThatThrownBy(() -> WebAddress.ofWebhook(text))
        .hasMessage("is not a URL; write one such as https://host/hook")
        .hasNoCause();
  }
}
