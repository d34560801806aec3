package io.millrace.platform.http;

import io.millrace.api.ErrorCode;
import io.millrace.api.MillraceException;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Limits the memory of all request bodies that a server holds. What finds no room is refused at
 * once, so that nothing waits while it holds a part. Thread-safe; never blocks.
 */
final class BodyBudget {
  private final long max;
  private final AtomicLong used = new AtomicLong();

  /** With so many bytes. */
  BodyBudget(long max) {
    this.max = max;
  }

  /** The bytes that are held. */
  long used() {
    return used.get();
  }

  /**
   * Reserves bytes.
   *
   * @throws MillraceException UNAVAILABLE if there is not enough room
   */
  void take(long bytes) {
    if (used.addAndGet(bytes) > max) {
      used.addAndGet(-bytes);
      throw new MillraceException(
          ErrorCode.UNAVAILABLE,
          "this server holds bodies of "
              + max
              + " bytes, which is as much as it may; send again later");
    }
  }

  void release(long bytes) {
    used.addAndGet(-bytes);
  }
}
