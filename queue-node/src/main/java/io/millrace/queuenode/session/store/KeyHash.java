package io.millrace.queuenode.session.store;

import java.security.SecureRandom;

/**
 * Hashes for tables in memory, which differ from process to process: who chooses keys cannot choose
 * many of one place. They are never stored or sent; {@link IdHash} is.
 */
final class KeyHash {
  // SipHash-1-3 (Aumasson and Bernstein, 2012) over words of four UTF-16 units instead of eight
  // bytes: one round for each word, and three at the end.
  private static final long FIRST = 0x736F6D6570736575L;
  private static final long SECOND = 0x646F72616E646F6DL;
  private static final long THIRD = 0x6C7967656E657261L;
  private static final long FOURTH = 0x7465646279746573L;
  private static final int LAST_ROUNDS = 3;
  private static final long FINISH = 0xFF51AFD7ED558CCDL;

  private static final long KEY;
  private static final long OTHER_KEY;

  static {
    SecureRandom random = new SecureRandom();
    KEY = random.nextLong();
    OTHER_KEY = random.nextLong();
  }

  private KeyHash() {}

  static int of(String text) {
    return of(text, KEY, OTHER_KEY);
  }

  /** The hash with some keys. */
  static int of(String text, long key, long otherKey) {
    long v0 = key ^ FIRST;
    long v1 = otherKey ^ SECOND;
    long v2 = key ^ THIRD;
    long v3 = otherKey ^ FOURTH;
    int words = text.length() / 4 + 1;
    for (int i = 0; i < words + LAST_ROUNDS; i++) {
      long word = i < words ? word(text, i * 4) : 0;
      v2 ^= i == words ? 0xFF : 0;
      v3 ^= word;
      v0 += v1;
      v2 += v3;
      v1 = Long.rotateLeft(v1, 13) ^ v0;
      v3 = Long.rotateLeft(v3, 16) ^ v2;
      v0 = Long.rotateLeft(v0, 32);
      v2 += v1;
      v0 += v3;
      v1 = Long.rotateLeft(v1, 17) ^ v2;
      v3 = Long.rotateLeft(v3, 21) ^ v0;
      v2 = Long.rotateLeft(v2, 32);
      v0 ^= word;
    }
    return Long.hashCode(v0 ^ v1 ^ v2 ^ v3);
  }

  /** Of a hash that is known to all. */
  static int of(long hash) {
    // Products with unknown odd numbers: of two hashes nobody knows whether they have one place.
    long mixed = Long.rotateLeft((hash ^ KEY) * (OTHER_KEY | 1), 32) * (KEY | 1);
    mixed = (mixed ^ mixed >>> 32) * FINISH;
    return (int) (mixed >>> 32);
  }

  // The four letters from a place on; of the last word there are fewer, and the length.
  private static long word(String text, int from) {
    int end = Math.min(text.length(), from + 4);
    long word = end - from < 4 ? text.length() : 0;
    for (int i = from; i < end; i++) {
      word = word << 16 | text.charAt(i);
    }
    return word;
  }
}
