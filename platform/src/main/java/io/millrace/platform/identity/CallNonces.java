package io.millrace.platform.identity;

import io.millrace.platform.clock.Clock;
import java.nio.ByteBuffer;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.Arrays;
import java.util.Base64;
import java.util.OptionalLong;

/**
 * Nonces that this process issues to its callers and accepts for a minute. Their age is measured by
 * this machine's monotonic clock only, so that a step of a wall clock, here or at the caller,
 * neither expires nor prolongs a call's token. Nothing is stored: a nonce is its own time with a
 * message authentication code. Thread-safe; never blocks.
 */
final class CallNonces {
  /** How long a nonce is accepted. */
  static final Duration VALIDITY = Duration.ofMinutes(1);

  private static final int CODE = 16;
  private static final int LENGTH = Long.BYTES + CODE;

  private final Clock clock;
  private final MessageCode codes;

  CallNonces(Clock clock) {
    this.clock = clock;
    byte[] random = new byte[32];
    new SecureRandom().nextBytes(random);
    this.codes = new MessageCode(random);
  }

  /** A new nonce. */
  String issue() {
    long now = clock.nanoTime();
    byte[] code = codes.of(bytes(now), CODE);
    byte[] nonce = ByteBuffer.allocate(LENGTH).putLong(now).put(code).array();
    return Base64.getUrlEncoder().withoutPadding().encodeToString(nonce);
  }

  /** When the nonce was issued, in monotonic nanoseconds; empty if it is not of this process. */
  OptionalLong issuedAt(String nonce) {
    byte[] bytes;
    try {
      bytes = Base64.getUrlDecoder().decode(nonce);
    } catch (IllegalArgumentException e) {
      return OptionalLong.empty();
    }
    if (bytes.length != LENGTH) {
      return OptionalLong.empty();
    }
    long at = ByteBuffer.wrap(bytes).getLong();
    byte[] code = Arrays.copyOfRange(bytes, Long.BYTES, LENGTH);
    return codes.matches(bytes(at), code) ? OptionalLong.of(at) : OptionalLong.empty();
  }

  /** Whether a nonce issued at that time is still accepted. */
  boolean accepts(long issuedAt) {
    return clock.nanoTime() - issuedAt <= VALIDITY.toNanos();
  }

  private static byte[] bytes(long time) {
    return ByteBuffer.allocate(Long.BYTES).putLong(time).array();
  }
}
