package io.millrace.manager.graph;

import io.millrace.api.Pure;
import io.millrace.manager.job.Varints;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Some listed steps in a row, as they are stored: for each its template, the numbers of the steps
 * and templates that it needs, its name and its arguments. Pure.
 */
@Pure
public final class ListedSteps {
  /** Steps of one row. */
  public static final int MAX = 128;

  private ListedSteps() {}

  /**
   * A listed step.
   *
   * @param template the number of its template
   * @param needs numbers of steps, rising
   * @param all numbers of templates, rising
   * @param name empty for none
   * @param arguments by name
   */
  @SuppressWarnings("ArrayRecordComponent") // millions of steps; never compared or changed
  public record StoredStep(
      int template, int[] needs, int[] all, String name, Map<String, String> arguments) {}

  public static byte[] encode(List<StoredStep> steps) {
    Varints.Writer out = new Varints.Writer();
    for (StoredStep step : steps) {
      out.unsigned(step.template());
      rising(out, step.needs());
      rising(out, step.all());
      out.text(step.name());
      out.unsigned(step.arguments().size());
      new TreeMap<>(step.arguments())
          .forEach(
              (key, value) -> {
                out.text(key);
                out.text(value);
              });
    }
    return out.bytes();
  }

  private static void rising(Varints.Writer out, int[] numbers) {
    out.unsigned(numbers.length);
    int before = 0;
    for (int number : numbers) {
      out.unsigned(number - before);
      before = number;
    }
  }

  /** All steps of a row. */
  public static List<StoredStep> decode(byte[] content) {
    Varints.Reader in = new Varints.Reader(content);
    List<StoredStep> steps = new ArrayList<>();
    while (in.hasMore()) {
      steps.add(next(in));
    }
    return steps;
  }

  /** The step at that position of a row; the others are passed over. */
  public static StoredStep decode(byte[] content, int position) {
    Varints.Reader in = new Varints.Reader(content);
    for (int i = 0; i < position; i++) {
      skip(in);
    }
    return next(in);
  }

  private static StoredStep next(Varints.Reader in) {
    int template = in.unsignedInt();
    int[] needs = rising(in);
    int[] all = rising(in);
    String name = in.text();
    Map<String, String> arguments = new LinkedHashMap<>();
    for (int left = in.unsignedInt(); left > 0; left--) {
      String key = in.text();
      arguments.put(key, in.text());
    }
    return new StoredStep(template, needs, all, name, arguments);
  }

  private static void skip(Varints.Reader in) {
    in.unsignedInt();
    for (int list = 0; list < 2; list++) {
      for (int left = in.unsignedInt(); left > 0; left--) {
        in.unsignedInt();
      }
    }
    in.skipText();
    for (int left = in.unsignedInt(); left > 0; left--) {
      in.skipText();
      in.skipText();
    }
  }

  private static int[] rising(Varints.Reader in) {
    int[] numbers = new int[in.unsignedInt()];
    int before = 0;
    for (int i = 0; i < numbers.length; i++) {
      before += in.unsignedInt();
      numbers[i] = before;
    }
    return numbers;
  }

  /** The numbers, rising and each once. */
  public static int[] sorted(List<Integer> numbers) {
    return numbers.stream().mapToInt(Integer::intValue).sorted().distinct().toArray();
  }
}
