package io.millrace.platform.identity;

import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.util.Arrays;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/** Message authentication codes (HMAC-SHA256) under one secret key. Thread-safe; never blocks. */
final class MessageCode {
  /** The full length of a code, in bytes. */
  static final int LENGTH = 32;

  private static final String ALGORITHM = "HmacSHA256";

  private final SecretKeySpec key;

  MessageCode(byte[] key) {
    this.key = new SecretKeySpec(key, ALGORITHM);
  }

  /** The first bytes of the code of a message. */
  byte[] of(byte[] message, int length) {
    try {
      Mac mac = Mac.getInstance(ALGORITHM);
      mac.init(key);
      return Arrays.copyOf(mac.doFinal(message), length);
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("every JDK has " + ALGORITHM, e);
    }
  }

  /** Whether it is the code of the message; takes the same time for every wrong one. */
  boolean matches(byte[] message, byte[] code) {
    return MessageDigest.isEqual(of(message, code.length), code);
  }
}
