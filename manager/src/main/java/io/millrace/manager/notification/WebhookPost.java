package io.millrace.manager.notification;

import io.millrace.api.client.HttpTransport.AnswerTooLargeException;
import io.millrace.api.client.HttpTransport.HttpAnswer;
import io.millrace.api.client.HttpTransport.HttpCall;
import io.millrace.manager.notification.NoticeFailureDao.FailingTarget;
import io.millrace.manager.notification.WebhookPost.PostFailure.Cause;
import io.millrace.platform.http.OutsideCalls;
import io.millrace.platform.http.OutsideCalls.RefusedAddressException;
import io.millrace.platform.http.OutsideCalls.TooManyLookupsException;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.net.URI;
import java.time.Duration;
import java.util.Locale;
import java.util.Optional;

/** Posts notices to web addresses that users chose. Thread-safe; blocks the caller. */
final class WebhookPost {
  /** Longest time of one request. */
  static final Duration TIMEOUT = Duration.ofSeconds(5);

  private static final long MAX_ANSWER = 64L << 10;
  private static final int HTTP_PORT = 80;
  private static final int HTTPS_PORT = 443;

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
      return answer.status() >= 200 && answer.status() < 300
          ? Optional.empty()
          : failure(Cause.ANSWER, host + " answered with status " + answer.status());
    } catch (RefusedAddressException e) {
      return failure(Cause.NO_ANSWER, e.getMessage());
    } catch (AnswerTooLargeException e) {
      return failure(
          Cause.ANSWER, host + " answered with more than " + MAX_ANSWER + " bytes; answer briefly");
    } catch (TooManyLookupsException | InterruptedIOException e) {
      return failure(Cause.NOT_CALLED, host + " was not called: " + e.getMessage());
    } catch (IOException e) {
      return failure(Cause.NO_ANSWER, host + " did not answer: " + e.getMessage());
    } catch (IllegalArgumentException e) {
      return failure(Cause.NO_ANSWER, "the address is not a URL");
    }
  }

  private static Optional<PostFailure> failure(Cause cause, String reason) {
    return Optional.of(new PostFailure(reason, cause));
  }

  /** An address as operators are shown it. */
  static FailingTarget target(String webhook) {
    return FailingTarget.webhook(webhook, host(webhook));
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
   * Scheme, host and port of an address, which are the same for all that one server answers. An
   * address that is refused for how it is written is its own server, so that it stands for no
   * other.
   */
  static String server(String webhook) {
    try {
      URI address = URI.create(webhook);
      if (address.getScheme() == null
          || address.getHost() == null
          || address.getUserInfo() != null) {
        return webhook;
      }
      int usual = address.getScheme().equalsIgnoreCase("https") ? HTTPS_PORT : HTTP_PORT;
      int port = address.getPort() < 0 ? usual : address.getPort();
      return (address.getScheme() + "://" + address.getHost() + ":" + port)
          .toLowerCase(Locale.ROOT);
    } catch (IllegalArgumentException e) {
      return webhook;
    }
  }

  /**
   * Why a message was not accepted.
   *
   * @param reason without the path of the address, which may be a secret
   * @param cause whom the failure concerns
   */
  record PostFailure(String reason, Cause cause) {
    /** Whom a failure concerns. */
    enum Cause {
      /** This message: the server answered it, with whatever status. */
      ANSWER,
      /** The server: it refused the connection or did not answer in time, or may not be called. */
      NO_ANSWER,
      /** Neither: the request was not made, because of other requests. */
      NOT_CALLED
    }
  }
}
