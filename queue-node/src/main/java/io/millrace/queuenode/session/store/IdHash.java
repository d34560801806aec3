package io.millrace.queuenode.session.store;

import io.millrace.api.Pure;

/**
 * The 64-bit hash of an event's id or of a key. It is stored, and compared with that of other
 * nodes: it must never change.
 */
@Pure
final class IdHash {
  private static final long FIRST = 0x9E3779B97F4A7C15L;
  private static final long SECOND = 0xC2B2AE3D27D4EB4FL;

  private IdHash() {}

  static long of(String text) {
    long hash = FIRST ^ text.length() * SECOND;
    int i = 0;
    for (; i + 4 <= text.length(); i += 4) {
      long word =
          (long) text.charAt(i) << 48
              | (long) text.charAt(i + 1) << 32
              | (long) text.charAt(i + 2) << 16
              | text.charAt(i + 3);
      hash = mixed(hash, word);
    }
    long word = 0;
    for (; i < text.length(); i++) {
      word = word << 16 | text.charAt(i);
    }
    return finished(mixed(hash, word));
  }

  private static long mixed(long hash, long word) {
    long spread = Long.rotateLeft(word * SECOND, 31) * FIRST;
    return (Long.rotateLeft(hash ^ spread, 27) + 0x52DCE729L) * FIRST;
  }

  private static long finished(long value) {
    long hash = value;
    hash = (hash ^ hash >>> 33) * 0xFF51AFD7ED558CCDL;
    hash = (hash ^ hash >>> 33) * 0xC4CEB9FE1A85EC53L;
    return hash ^ hash >>> 33;
  }
}
