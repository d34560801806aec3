package io.millrace.api;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class WebAddressTest {
  @ParameterizedTest
  @ValueSource(
      strings = {"", "a b", "host:7700", "ftp://h/x", "http:///path", "httpx://h", "http://"})
  void whatHasNoWebSchemeOrNoHostIsRefusedInTheSameWords(String text) {
    String words =
        "'" + text + "' is not a URL; write one such as http://127.0.0.1:7700 or https://host/hook";
    assertThatThrownBy(() -> WebAddress.parse(text))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage(words);
    assertThatThrownBy(() -> WebAddress.ofWebhook(text)).hasMessage(words);
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
  void theAddressOfAWebhookHasNoPassword() {
    assertThat(WebAddress.ofWebhook("https://host/hook?a=b")).hasHost("host");
    assertThatThrownBy(() -> WebAddress.ofWebhook("https://ann:secret@host/hook"))
        .hasMessageContaining("password")
        .hasMessageNotContaining("ann:secret");
  }
}
