package io.millrace.manager.graph;

import io.millrace.api.Pure;
import io.millrace.manager.job.Varints;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Numbers of steps as bytes: runs of consecutive numbers, each as its distance from the end of the
 * run before it (zigzag) and its length, both in groups of seven bits. Order is kept. Pure.
 */
@Pure
public final class StepNumbers {
  /** The most bytes of one text of numbers. */
  static final int MAX_BYTES = 16_000;

  /** The most numbers of one text, so that taking some from a long one is cheap. */
  public static final int MAX_STEPS = 4096;

  private static final int RUN_BYTES = 10;

  private StepNumbers() {}

  /** Some numbers as one text. */
  @SuppressWarnings("ArrayRecordComponent") // never compared or changed
  public record Packed(byte[] bytes, int steps) {}

  /** All numbers in as few texts as their bounds allow. */
  public static List<Packed> pack(int[] numbers, int count) {
    return pack(numbers, count, MAX_BYTES);
  }

  /** At most {@link #MAX_STEPS} numbers as one text, of whatever length. */
  public static byte[] packWhole(int[] numbers) {
    return pack(numbers, numbers.length, Integer.MAX_VALUE).get(0).bytes();
  }

  private static List<Packed> pack(int[] numbers, int count, int maxBytes) {
    List<Packed> all = new ArrayList<>();
    Varints.Writer out = new Varints.Writer();
    int before = 0;
    int steps = 0;
    int at = 0;
    while (at < count) {
      int end = at + 1;
      while (end < count && end - at < MAX_STEPS && numbers[end] == numbers[end - 1] + 1) {
        end++;
      }
      if (out.size() > maxBytes - RUN_BYTES || (steps > 0 && steps + end - at > MAX_STEPS)) {
        all.add(new Packed(out.bytes(), steps));
        out = new Varints.Writer();
        before = 0;
        steps = 0;
      }
      out.signed(numbers[at] - before);
      out.unsigned(end - at);
      before = numbers[end - 1];
      steps += end - at;
      at = end;
    }
    if (steps > 0) {
      all.add(new Packed(out.bytes(), steps));
    }
    return all;
  }

  /** The numbers of one text, in their order. */
  public static int[] unpack(byte[] bytes) {
    Varints.Reader in = new Varints.Reader(bytes);
    int[] numbers = new int[64];
    int size = 0;
    int before = 0;
    while (in.hasMore()) {
      int first = before + (int) in.signed();
      int length = in.unsignedInt();
      if (size + length > numbers.length) {
        numbers = Arrays.copyOf(numbers, Math.max(size + length, 2 * numbers.length));
      }
      for (int i = 0; i < length; i++) {
        numbers[size++] = first + i;
      }
      before = first + length - 1;
    }
    return Arrays.copyOf(numbers, size);
  }
}
