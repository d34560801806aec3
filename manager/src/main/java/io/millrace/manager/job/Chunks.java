package io.millrace.manager.job;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;

/** Cuts long lists of ids into pieces that one statement takes. */
final class Chunks {
  private Chunks() {}

  static <T> List<List<T>> of(Collection<T> all, int most) {
    List<T> list = List.copyOf(all);
    List<List<T>> chunks = new ArrayList<>();
    for (int from = 0; from < list.size(); from += most) {
      chunks.add(list.subList(from, Math.min(from + most, list.size())));
    }
    return chunks;
  }
}
