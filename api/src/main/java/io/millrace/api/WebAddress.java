package io.millrace.api;

import java.net.URI;
import java.net.URISyntaxException;
import java.util.Optional;

/**
 * Reads web addresses that users wrote: of servers and of webhooks. Pure.
 *
 * <p>The messages of its errors do not say where the address was written; callers put that before
 * them: {@code MILLRACE_URL: 'x y' is not a URL; …}.
 */
public final class WebAddress {
  private static final int HIGHEST_PORT = 65_535;

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
   * @throws IllegalArgumentException if it is none, or has more than that: nothing else of it would
   *     be used
   */
  public static URI ofServer(String text) {
    String url = text.contains("://") ? text : "http://" + text;
    if (read(url).filter(WebAddress::hasUser).isPresent()) {
      throw new IllegalArgumentException(
          "contains a user name; servers identify callers by their tokens, so leave it out");
    }
    URI address = parse(text, url);
    boolean bare = address.getPath().isEmpty() || address.getPath().equals("/");
    if (!bare || address.getQuery() != null || address.getFragment() != null) {
      throw new IllegalArgumentException(
          "'%s' has more than a host and a port; write only %s://%s"
              .formatted(ShownText.of(text), address.getScheme(), address.getAuthority()));
    }
    return address;
  }

  /**
   * The address of a webhook, which many may read.
   *
   * @throws IllegalArgumentException if it is none, or contains a password; the message has nothing
   *     of the address, whose path may be a secret
   */
  public static URI ofWebhook(String text) {
    Optional<URI> written = read(text);
    if (written.filter(WebAddress::hasUser).isPresent()) {
      throw new IllegalArgumentException(
          "contains a password, which would be visible; use a secret path instead");
    }
    return withinPorts(
        written
            .filter(WebAddress::isWeb)
            .orElseThrow(
                () ->
                    new IllegalArgumentException(
                        "is not a URL; write one such as https://host/hook")));
  }

  private static URI parse(String written, String text) {
    return withinPorts(
        read(text)
            .filter(WebAddress::isWeb)
            .orElseThrow(
                () ->
                    new IllegalArgumentException(
                        "'%s' is not a URL; write one such as http://127.0.0.1:7700 or https://host/hook"
                            .formatted(ShownText.of(written)))));
  }

  private static URI withinPorts(URI address) {
    if (address.getPort() > HIGHEST_PORT) {
      throw new IllegalArgumentException(
          "port %d is out of range; the highest is %d".formatted(address.getPort(), HIGHEST_PORT));
    }
    return address;
  }

  private static Optional<URI> read(String text) {
    try {
      return Optional.of(new URI(text));
    } catch (URISyntaxException e) {
      // Its message has the whole text.
      return Optional.empty();
    }
  }

  private static boolean isWeb(URI address) {
    return address.getHost() != null && isWebScheme(address.getScheme());
  }

  /** Whether a scheme is http or https, in either case (RFC 3986, 3.1); false for null. */
  public static boolean isWebScheme(String scheme) {
    return "http".equalsIgnoreCase(scheme) || "https".equalsIgnoreCase(scheme);
  }

  /** Also if the host is none, for which the address has no user information of its own. */
  private static boolean hasUser(URI address) {
    String authority = address.getRawAuthority();
    return authority != null && authority.contains("@");
  }
}
