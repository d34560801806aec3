package io.millrace.manager.notification;

import io.millrace.api.client.HttpTransport.AnswerTooLargeException;
import io.millrace.api.client.HttpTransport.HttpAnswer;
import io.millrace.api.client.HttpTransport.HttpCall;
import io.millrace.platform.http.OutsideCalls;
import io.millrace.platform.http.OutsideCalls.RefusedAddressException;
import io.millrace.platform.http.OutsideCalls.TooManyLookupsException;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.net.URI;
import java.time.Duration;
import java.util.Optional;

/** Posts notices to web addresses that users chose. Thread-safe; blocks the caller. */
final class WebhookPost {
  /** Longest time of one request. */
  static final Duration TIMEOUT = Duration.ofSeconds(5);

  private static final long MAX_ANSWER = 64L << 10;
  private static final int TOO_MANY_REQUESTS = 429;

  private final OutsideCalls outside;

  WebhookPost(OutsideCalls outside) {
    this.outside = outside;
  }

  /**
   * Posts the message as JSON.
   *
   * @return why it was not accepted; empty if it was
   */
  Optional<PostFailure> post(String webhook, Object message) {
    String host = host(webhook);
    try {
      URI address = URI.create(webhook);
      HttpAnswer answer =
          outside.send(HttpCall.post(address, message).within(TIMEOUT).answeredWithin(MAX_ANSWER));
      return answered(host, answer.status());
    } catch (RefusedAddressException e) {
      return ofAddress(e.getMessage());
    } catch (AnswerTooLargeException e) {
      return ofMessage(host + " answered with more than " + MAX_ANSWER + " bytes; answer briefly");
    } catch (TooManyLookupsException | InterruptedIOException e) {
      return ofMessage(host + " was not called: " + e.getMessage());
    } catch (IOException e) {
      return ofAddress(host + " did not answer: " + e.getMessage());
    } catch (IllegalArgumentException e) {
      return ofAddress("'" + webhook + "' is not a valid URL");
    }
  }

  // Other statuses, such as 400 and 413, may be about what was sent.
  private static Optional<PostFailure> answered(String host, int status) {
    if (status >= 200 && status < 300) {
      return Optional.empty();
    }
    String reason = host + " answered with status " + status;
    return status >= 500 || status == TOO_MANY_REQUESTS ? ofAddress(reason) : ofMessage(reason);
  }

  private static Optional<PostFailure> ofAddress(String reason) {
    return Optional.of(new PostFailure(reason, true));
  }

  private static Optional<PostFailure> ofMessage(String reason) {
    return Optional.of(new PostFailure(reason, false));
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

  /**
   * Why a message was not accepted.
   *
   * @param reason without the path of the address, which may be a secret
   * @param ofAddress whether other messages to the same address would fail now, too
   */
  record PostFailure(String reason, boolean ofAddress) {}
}
