package io.millrace.cli.job;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** What a file says, with what the options add to it or put in its place. Pure. */
final class Merged {
  private Merged() {}

  static <T> List<T> of(List<T> file, List<T> options) {
    List<T> all = new ArrayList<>(file);
    options.stream().filter(option -> !all.contains(option)).forEach(all::add);
    return all;
  }

  static <V> Map<String, V> of(Map<String, V> file, Map<String, V> options) {
    Map<String, V> all = new LinkedHashMap<>(file);
    all.putAll(options);
    return all;
  }

  /** The option if it was given. */
  static <T> T of(T file, T option) {
    return option == null ? file : option;
  }
}
