package io.millrace.manager.workflow;

import java.io.ByteArrayOutputStream;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Some listed steps in a row, as they are stored: for each its template, the numbers of the steps
 * and templates that it needs, its name and its arguments. Pure.
 */
final class ListedSteps {
  /** Steps of one row. */
  static final int MAX = 128;

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
  record StoredStep(
      int template, int[] needs, int[] all, String name, Map<String, String> arguments) {}

  static byte[] encode(List<StoredStep> steps) {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    for (StoredStep step : steps) {
      Varints.write(out, step.template());
      rising(out, step.needs());
      rising(out, step.all());
      Varints.write(out, step.name());
      Varints.write(out, step.arguments().size());
      new TreeMap<>(step.arguments())
          .forEach(
              (key, value) -> {
                Varints.write(out, key);
                Varints.write(out, value);
              });
    }
    return out.toByteArray();
  }

  private static void rising(ByteArrayOutputStream out, int[] numbers) {
    Varints.write(out, numbers.length);
    int before = 0;
    for (int number : numbers) {
      Varints.write(out, number - before);
      before = number;
    }
  }

  /** All steps of a row. */
  static List<StoredStep> decode(byte[] content) {
    Varints in = new Varints(content);
    List<StoredStep> steps = new ArrayList<>();
    while (in.hasMore()) {
      steps.add(next(in));
    }
    return steps;
  }

  /** The step at that position of a row; the others are passed over. */
  static StoredStep decode(byte[] content, int position) {
    Varints in = new Varints(content);
    for (int i = 0; i < position; i++) {
      skip(in);
    }
    return next(in);
  }

  private static StoredStep next(Varints in) {
    int template = in.next();
    int[] needs = rising(in);
    int[] all = rising(in);
    String name = in.nextText();
    Map<String, String> arguments = new LinkedHashMap<>();
    for (int left = in.next(); left > 0; left--) {
      String key = in.nextText();
      arguments.put(key, in.nextText());
    }
    return new StoredStep(template, needs, all, name, arguments);
  }

  private static void skip(Varints in) {
    in.next();
    for (int list = 0; list < 2; list++) {
      for (int left = in.next(); left > 0; left--) {
        in.next();
      }
    }
    in.skipText();
    for (int left = in.next(); left > 0; left--) {
      in.skipText();
      in.skipText();
    }
  }

  private static int[] rising(Varints in) {
    int[] numbers = new int[in.next()];
    int before = 0;
    for (int i = 0; i < numbers.length; i++) {
      before += in.next();
      numbers[i] = before;
    }
    return numbers;
  }

  /** The numbers, rising and each once. */
  static int[] sorted(List<Integer> numbers) {
    int[] all = numbers.stream().mapToInt(Integer::intValue).sorted().distinct().toArray();
    return Arrays.copyOf(all, all.length);
  }
}
