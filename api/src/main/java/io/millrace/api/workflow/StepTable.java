package io.millrace.api.workflow;

import io.millrace.api.ErrorCode;
import io.millrace.api.MillraceException;
import io.millrace.api.Pure;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.IntPredicate;
import java.util.function.IntUnaryOperator;

/**
 * The listed steps of a graph: a million of them in about 100 MB. Numbers and the offsets of texts
 * are in arrays, and all texts in one array as UTF-8. Pure; not thread-safe.
 */
@Pure
final class StepTable {
  /** In place of a template, of a step whose template does not exist. */
  static final int UNKNOWN = -1;

  private static final int NONE = -1;

  private final Ints templates = new Ints();
  private final Ints keys = new Ints();
  // Where a step's name begins; the values of its arguments follow.
  private final Ints texts = new Ints();
  // The last need of a step; each need refers to the one before it.
  private final Ints lastNeed = new Ints();
  private final Ints needs = new Ints();
  private final Ints earlierNeed = new Ints();
  private final List<List<String>> keyLists = new ArrayList<>();
  private final Map<List<String>, Integer> keyNumbers = new HashMap<>();
  private final Index names = new Index(this::hashOfName, this::sameName);
  private byte[] bytes = new byte[1024];
  private int used;

  int size() {
    return templates.size();
  }

  /** Adds a step without needs; returns its position. */
  int add(String name, int template, Map<String, String> arguments) {
    Map<String, String> sorted = new TreeMap<>(arguments);
    texts.add(used);
    append(name);
    sorted.values().forEach(this::append);
    keys.add(
        keyNumbers.computeIfAbsent(
            List.copyOf(sorted.keySet()),
            list -> {
              keyLists.add(list);
              return keyLists.size() - 1;
            }));
    lastNeed.add(NONE);
    templates.add(template);
    return size() - 1;
  }

  /** Makes the step known by its name; returns the one that has the name already, or -1. */
  int register(int step) {
    return names.put(step);
  }

  /** The step of a name that was registered; -1 if there is none. */
  int find(String name) {
    byte[] wanted = name.getBytes(StandardCharsets.UTF_8);
    return names.find(
        hash(wanted, 0, wanted.length),
        step -> {
          int start = nameStart(step);
          return Arrays.equals(bytes, start, start + nameLength(step), wanted, 0, wanted.length);
        });
  }

  void addNeed(int step, int need) {
    earlierNeed.add(lastNeed.get(step));
    needs.add(need);
    lastNeed.set(step, needs.size() - 1);
  }

  /** What the step needs, each once and sorted. */
  int[] needs(int step) {
    Ints found = new Ints();
    for (int at = lastNeed.get(step); at != NONE; at = earlierNeed.get(at)) {
      found.add(needs.get(at));
    }
    return Arrays.stream(found.toArray()).sorted().distinct().toArray();
  }

  int template(int step) {
    return templates.get(step);
  }

  /** A number of the names of the step's arguments: steps with the same names have the same. */
  int keys(int step) {
    return keys.get(step);
  }

  /** The names of the step's arguments, sorted. */
  List<String> keyList(int step) {
    return keyLists.get(keys.get(step));
  }

  /** Null if it has none. */
  String name(int step) {
    return number(texts.get(step)) == 0
        ? null
        : new String(bytes, nameStart(step), nameLength(step), StandardCharsets.UTF_8);
  }

  Map<String, String> arguments(int step) {
    Map<String, String> arguments = new LinkedHashMap<>();
    int at = valuesStart(step);
    for (String key : keyList(step)) {
      int length = number(at) - 1;
      int start = at + width(at);
      arguments.put(key, new String(bytes, start, length, StandardCharsets.UTF_8));
      at = start + length;
    }
    return arguments;
  }

  /** Calls back for each step whose template and arguments are those of an earlier one. */
  void eachRepeated(RepeatedStep repetition) {
    Index seen = new Index(this::hashOfArguments, this::sameArguments);
    for (int step = 0; step < size(); step++) {
      int first = seen.put(step);
      if (first >= 0) {
        repetition.found(step, first);
      }
    }
  }

  // --- texts: the length and one, seven bits in each byte, and the text; 0 for none

  private void append(String text) {
    if (text == null) {
      reserve(1);
      bytes[used++] = 0;
      return;
    }
    byte[] utf8 = text.getBytes(StandardCharsets.UTF_8);
    reserve(utf8.length + 5);
    int length = utf8.length + 1;
    while (length > 0x7f) {
      bytes[used++] = (byte) (length | 0x80);
      length >>>= 7;
    }
    bytes[used++] = (byte) length;
    System.arraycopy(utf8, 0, bytes, used, utf8.length);
    used += utf8.length;
  }

  private void reserve(int more) {
    long needed = (long) used + more;
    if (needed > Ints.MAX) {
      throw new MillraceException(
          ErrorCode.INVALID_DEFINITION,
          "the names and arguments of the steps are longer than 2 GB together");
    }
    if (needed > bytes.length) {
      bytes =
          Arrays.copyOf(bytes, (int) Math.min(Ints.MAX, Math.max(needed, bytes.length * 3L / 2)));
    }
  }

  private int number(int at) {
    int number = 0;
    int next = at;
    for (int shift = 0; ; shift += 7) {
      byte part = bytes[next++];
      number |= (part & 0x7f) << shift;
      if (part >= 0) {
        return number;
      }
    }
  }

  private int width(int at) {
    int end = at;
    while (bytes[end] < 0) {
      end++;
    }
    return end + 1 - at;
  }

  private int nameStart(int step) {
    return texts.get(step) + width(texts.get(step));
  }

  private int nameLength(int step) {
    return Math.max(0, number(texts.get(step)) - 1);
  }

  private int valuesStart(int step) {
    return nameStart(step) + nameLength(step);
  }

  private int end(int step) {
    return step + 1 < size() ? texts.get(step + 1) : used;
  }

  private int hashOfName(int step) {
    int start = nameStart(step);
    return hash(bytes, start, start + nameLength(step));
  }

  private boolean sameName(int a, int b) {
    return equal(
        nameStart(a), nameStart(a) + nameLength(a), nameStart(b), nameStart(b) + nameLength(b));
  }

  private int hashOfArguments(int step) {
    return 31 * (31 * template(step) + keys(step)) + hash(bytes, valuesStart(step), end(step));
  }

  private boolean sameArguments(int a, int b) {
    return template(a) == template(b)
        && keys(a) == keys(b)
        && equal(valuesStart(a), end(a), valuesStart(b), end(b));
  }

  private boolean equal(int from, int to, int otherFrom, int otherTo) {
    return Arrays.equals(bytes, from, to, bytes, otherFrom, otherTo);
  }

  private static int hash(byte[] text, int from, int to) {
    int hash = 1;
    for (int i = from; i < to; i++) {
      hash = 31 * hash + text[i];
    }
    return hash;
  }

  /** Takes a step and the first one of which it is a repetition. */
  interface RepeatedStep {
    void found(int step, int first);
  }

  /** Numbers in an array that grows. */
  static final class Ints {
    /** The most that a Java virtual machine allocates. */
    static final int MAX = Integer.MAX_VALUE - 16;

    private int[] values = new int[16];
    private int size;

    void add(int value) {
      if (size == values.length) {
        values = Arrays.copyOf(values, (int) Math.min(MAX, size * 3L / 2));
      }
      values[size++] = value;
    }

    int get(int position) {
      return values[position];
    }

    void set(int position, int value) {
      values[position] = value;
    }

    int size() {
      return size;
    }

    int[] toArray() {
      return Arrays.copyOf(values, size);
    }
  }

  /** Finds steps by a property. Open addressing: four bytes for each of at least two places. */
  private static final class Index {
    private final IntUnaryOperator hash;
    private final Same same;
    // A step and one; 0 for a free place.
    private int[] places = new int[64];
    private int size;

    Index(IntUnaryOperator hash, Same same) {
      this.hash = hash;
      this.same = same;
    }

    /** Adds a step; returns the one with the same property, which stays, or -1. */
    int put(int step) {
      int found = find(hash.applyAsInt(step), other -> same.test(step, other));
      if (found >= 0) {
        return found;
      }
      if (++size > places.length / 2) {
        grow();
      }
      place(step);
      return NONE;
    }

    int find(int hashed, IntPredicate wanted) {
      int at = spread(hashed) & (places.length - 1);
      while (places[at] != 0 && !wanted.test(places[at] - 1)) {
        at = (at + 1) & (places.length - 1);
      }
      return places[at] - 1;
    }

    private void grow() {
      int[] before = places;
      places = new int[before.length * 2];
      for (int step : before) {
        if (step != 0) {
          place(step - 1);
        }
      }
    }

    private void place(int step) {
      int at = spread(hash.applyAsInt(step)) & (places.length - 1);
      while (places[at] != 0) {
        at = (at + 1) & (places.length - 1);
      }
      places[at] = step + 1;
    }

    private static int spread(int hashed) {
      int mixed = hashed * 0x9E3779B9;
      return mixed ^ (mixed >>> 16);
    }

    private interface Same {
      boolean test(int a, int b);
    }
  }
}
