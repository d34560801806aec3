package io.millrace.manager.partition;

import io.millrace.api.Pure;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;

/**
 * XXH64 of a text's UTF-8 bytes: the same in every process and every language (C-04, C-14), so that
 * other programs can compute the same ring with a standard library. Not for secrets. Pure.
 *
 * <p>The names below are those of the published description of the algorithm.
 */
@Pure
final class StableHash {
  private static final long PRIME1 = 0x9E3779B185EBCA87L;
  private static final long PRIME2 = 0xC2B2AE3D27D4EB4FL;
  private static final long PRIME3 = 0x165667B19E3779F9L;
  private static final long PRIME4 = 0x85EBCA77C2B2AE63L;
  private static final long PRIME5 = 0x27D4EB2F165667C5L;
  private static final int STRIPE = 32;

  private StableHash() {}

  /** The hash of a text with a seed; the hashes of different seeds are independent. */
  static long of(String text, long seed) {
    return of(text.getBytes(StandardCharsets.UTF_8), seed);
  }

  static long of(byte[] bytes, long seed) {
    ByteBuffer rest = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
    long hash = bytes.length < STRIPE ? seed + PRIME5 : stripes(rest, seed);
    return avalanche(tail(rest, hash + bytes.length));
  }

  private static long stripes(ByteBuffer rest, long seed) {
    long[] lanes = {seed + PRIME1 + PRIME2, seed + PRIME2, seed, seed - PRIME1};
    while (rest.remaining() >= STRIPE) {
      for (int lane = 0; lane < lanes.length; lane++) {
        lanes[lane] = round(lanes[lane], rest.getLong());
      }
    }
    long hash =
        Long.rotateLeft(lanes[0], 1)
            + Long.rotateLeft(lanes[1], 7)
            + Long.rotateLeft(lanes[2], 12)
            + Long.rotateLeft(lanes[3], 18);
    for (long lane : lanes) {
      hash = (hash ^ round(0, lane)) * PRIME1 + PRIME4;
    }
    return hash;
  }

  private static long tail(ByteBuffer rest, long start) {
    long hash = start;
    while (rest.remaining() >= Long.BYTES) {
      hash = Long.rotateLeft(hash ^ round(0, rest.getLong()), 27) * PRIME1 + PRIME4;
    }
    if (rest.remaining() >= Integer.BYTES) {
      long bits = Integer.toUnsignedLong(rest.getInt());
      hash = Long.rotateLeft(hash ^ bits * PRIME1, 23) * PRIME2 + PRIME3;
    }
    while (rest.hasRemaining()) {
      long single = Byte.toUnsignedLong(rest.get());
      hash = Long.rotateLeft(hash ^ single * PRIME5, 11) * PRIME1;
    }
    return hash;
  }

  private static long round(long lane, long bits) {
    return Long.rotateLeft(lane + bits * PRIME2, 31) * PRIME1;
  }

  private static long avalanche(long hash) {
    long mixed = (hash ^ hash >>> 33) * PRIME2;
    mixed = (mixed ^ mixed >>> 29) * PRIME3;
    return mixed ^ mixed >>> 32;
  }
}
