package io.millrace.api;

import java.net.URI;
import java.net.URISyntaxException;
import java.util.Set;

/**
 * Reads web addresses that users wrote: of servers and of webhooks. Pure.
 *
 * <p>The messages of its errors do not say where the address was written; callers put that before
 * them: {@code MILLRACE_URL: 'x y' is not a URL; …}.
 */
public final class WebAddress {
  private static final Set<String> SCHEMES = Set.of("http", "https");

  private WebAddress() {}

  /**
   * An address with its scheme and host.
   *
   * @throws IllegalArgumentException if it is none
   */
  public static URI parse(String text) {
    return parse(text, text);
  }

  /**
   * The address of a server; {@code host:port} means http.
   *
   * @throws IllegalArgumentException if it is none
   */
  public static URI ofServer(String text) {
    return parse(text, text.contains("://") ? text : "http://" + text);
  }

  /**
   * The address of a webhook, which many may read.
   *
   * @throws IllegalArgumentException if it is none, or contains a password
   */
  public static URI ofWebhook(String text) {
    URI address = parse(text);
    if (address.getUserInfo() != null) {
      throw new IllegalArgumentException(
          "contains a password, which would be visible; use a secret path instead");
    }
    return address;
  }

  private static URI parse(String written, String text) {
    try {
      URI address = new URI(text);
      if (address.getHost() != null && SCHEMES.contains(address.getScheme())) {
        return address;
      }
    } catch (URISyntaxException e) {
      throw notUrl(written, e);
    }
    throw notUrl(written, null);
  }

  private static IllegalArgumentException notUrl(String text, Exception cause) {
    return new IllegalArgumentException(
        "'%s' is not a URL; write one such as http://127.0.0.1:7700 or https://host/hook"
            .formatted(ShownText.of(text)),
        cause);
  }
}
