package io.millrace.manager.notification;

import io.millrace.api.client.HttpTransport.AnswerTooLargeException;
import io.millrace.api.client.HttpTransport.HttpAnswer;
import io.millrace.api.client.HttpTransport.HttpCall;
import io.millrace.platform.http.OutsideCalls;
import io.millrace.platform.http.OutsideCalls.RefusedAddressException;
import java.io.IOException;
import java.net.URI;
import java.time.Duration;
import java.util.Optional;

/** Posts notices to web addresses that users chose. Thread-safe; blocks the caller. */
final class WebhookPost {
  /** Longest time of one request. */
  static final Duration TIMEOUT = Duration.ofSeconds(5);

  private static final long MAX_ANSWER = 64L << 10;

  private final OutsideCalls outside;

  WebhookPost(OutsideCalls outside) {
    this.outside = outside;
  }

  /**
   * Posts the message as JSON.
   *
   * @return why it was not accepted, without the path of the address, which may be a secret; empty
   *     if it was
   */
  Optional<String> post(String webhook, Object message) {
    String host = host(webhook);
    try {
      URI address = URI.create(webhook);
      HttpAnswer answer =
          outside.send(HttpCall.post(address, message).within(TIMEOUT).answeredWithin(MAX_ANSWER));
      boolean taken = answer.status() >= 200 && answer.status() < 300;
      return taken
          ? Optional.empty()
          : Optional.of(host + " answered with status " + answer.status());
    } catch (RefusedAddressException e) {
      return Optional.of(e.getMessage());
    } catch (AnswerTooLargeException e) {
      return Optional.of(
          host + " answered with more than " + MAX_ANSWER + " bytes; answer briefly");
    } catch (IOException e) {
      return Optional.of(host + " did not answer: " + e.getMessage());
    } catch (IllegalArgumentException e) {
      return Optional.of("'" + webhook + "' is not a valid URL");
    }
  }

  /** The part of an address that is no secret. */
  static String host(String webhook) {
    try {
      URI address = URI.create(webhook);
      if (address.getHost() == null) {
        return "an invalid address";
      }
      String port = address.getPort() < 0 ? "" : ":" + address.getPort();
      return address.getScheme() + "://" + address.getHost() + port;
    } catch (IllegalArgumentException e) {
      return "an invalid address";
    }
  }
}
