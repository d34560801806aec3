package io.millrace.manager.job;

import io.millrace.api.Json;
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

  private static final String SHORT_ESCAPES = "\b\t\n\f\r";

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
  void add(StoredLength lengths, List<NewJob> elements) {
    elements.forEach(one -> used += lengths.element(one.spec()));
  }

  /**
   * How many characters the specifications of the elements of one array have as they are stored.
   * What they have in common is counted once, with all names, expressions and secrets; what an
   * element differs in is its command, its variables, its folder and its input. Immutable.
   */
  public static final class StoredLength {
    private final long rest;

    private StoredLength(long rest) {
      this.rest = rest;
    }

    /**
     * Of the elements of an array.
     *
     * @param common the specification of the array, as its elements have it
     */
    public static StoredLength of(JobSpec common) {
      JobSpec stored = NewJob.element(common, 0, 0).spec();
      return new StoredLength(Json.write(stored).length() - texts(stored));
    }

    /** The length of an element. */
    public long element(JobSpec element) {
      return rest + texts(element);
    }
  }

  private static long texts(JobSpec job) {
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

  /** The length of a text in JSON, with its quotation marks and what separates it from the next. */
  private static long length(String text) {
    if (text == null) {
      return 0;
    }
    long length = text.length() + 3L;
    for (int i = 0; i < text.length(); i++) {
      char one = text.charAt(i);
      if (one == '"' || one == '\\' || SHORT_ESCAPES.indexOf(one) >= 0) {
        length++;
      } else if (one < ' ') {
        length += 5;
      }
    }
    return length;
  }
}
