package io.millrace.manager.job;

import io.millrace.api.job.JobSpec;
import java.util.List;

/**
 * Bounds the texts of the elements that one expansion creates. They are in memory and in one
 * transaction together, and a thousand elements with a megabyte each would be too much for both.
 * One thread.
 */
public final class ElementTexts {
  /**
   * The most characters of one expansion: enough for a thousand elements of 8,000 each, and a small
   * part of the memory of a central manager. The elements that remain are created by the next one.
   */
  public static final long MOST = 8L << 20;

  private final long most;
  private int arrays;
  private long used;

  /**
   * Of an expansion that has created nothing.
   *
   * @param arrays how many share it
   */
  ElementTexts(int arrays) {
    this(arrays, MOST);
  }

  ElementTexts(int arrays, long most) {
    this.most = most;
    this.arrays = arrays;
  }

  /**
   * The part of the next array: an equal one of what is left; 0 if nothing is.
   *
   * <p>Of an array that gets a part, one element is created even if it is longer.
   */
  long next() {
    long left = Math.max(0, most - used);
    return left == 0 ? 0 : Math.max(1, left / Math.max(1, arrays--));
  }

  /** Counts what was created. */
  void add(List<NewJob> elements) {
    elements.forEach(one -> used += length(one.spec()));
  }

  /** How many characters the texts of a job have that steps may fill, or users write at length. */
  public static long length(JobSpec job) {
    long length = length(job.stdin()) + length(job.cwd());
    length += job.command() == null ? 0 : length(job.command());
    length += job.arguments() == null ? 0 : length(job.arguments());
    for (var variable : job.env().entrySet()) {
      length += length(variable.getKey()) + length(variable.getValue());
    }
    return length;
  }

  private static long length(List<String> words) {
    return words.stream().mapToLong(ElementTexts::length).sum();
  }

  private static long length(String text) {
    return text == null ? 0 : text.length();
  }
}
