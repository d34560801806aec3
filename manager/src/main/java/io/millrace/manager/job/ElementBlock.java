package io.millrace.manager.job;

import io.millrace.api.job.Usage;
import java.time.Instant;
import java.util.BitSet;
import java.util.Collections;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * Up to 256 neighbouring elements of an array that have succeeded, as bits and facts: a bit for
 * each by its position, and for each bit that is set, by rising position, its facts as
 * variable-length numbers. Times are stored as differences in milliseconds, that of submission from
 * the element before, because neighbours become jobs at almost the same time. Pure.
 *
 * @param elements by position, from 0 to 255
 */
record ElementBlock(SortedMap<Integer, EndedElement> elements) {
  /** Positions of a block. */
  static final int SIZE = 256;

  /** The encoding of the facts. */
  private static final int FORM = 1;

  private static final int KIB = 1024;

  ElementBlock {
    elements = Collections.unmodifiableSortedMap(new TreeMap<>(elements));
  }

  /** A block without elements. */
  static ElementBlock empty() {
    return new ElementBlock(new TreeMap<>());
  }

  /** Which bit belongs to the element at that place in its array. */
  static int position(long ordinal) {
    return Math.floorMod(ordinal, SIZE);
  }

  /** Which block belongs to the element at that place in its array. */
  static int number(long ordinal) {
    return Math.toIntExact(Math.floorDiv(ordinal, SIZE));
  }

  /** The block with further elements. */
  ElementBlock plus(Map<Integer, EndedElement> further) {
    SortedMap<Integer, EndedElement> all = new TreeMap<>(elements);
    all.putAll(further);
    return new ElementBlock(all);
  }

  /** The bits of the positions that have an element. */
  byte[] bits() {
    BitSet bits = new BitSet(SIZE);
    elements.keySet().forEach(bits::set);
    return bits.toByteArray();
  }

  /** The facts of the elements. */
  byte[] facts() {
    Varints.Writer facts = new Varints.Writer().unsigned(FORM);
    long submitted = 0;
    for (EndedElement element : elements.values()) {
      write(facts, element, submitted);
      submitted = element.submittedAt().toEpochMilli();
    }
    return facts.bytes();
  }

  private static void write(Varints.Writer facts, EndedElement element, long before) {
    long submitted = element.submittedAt().toEpochMilli();
    long placed = element.placedAt().toEpochMilli();
    long started = element.startedAt().toEpochMilli();
    long ended = element.endedAt().toEpochMilli();
    Usage usage = element.usage();
    facts
        // The lowest bit: whether the usage follows.
        .unsigned(element.node() * 2L + (usage == null ? 0 : 1))
        .signed(submitted - before)
        .signed(placed - submitted)
        .signed(started - placed)
        .signed(ended - started)
        .signed(element.runMillis() - (ended - started));
    if (usage != null) {
      facts
          .unsigned(usage.cpuMillis())
          .unsigned(usage.memoryBytes() / KIB)
          .unsigned(usage.readBytes())
          .unsigned(usage.writtenBytes());
    }
  }

  /**
   * Reads a block.
   *
   * @throws IllegalStateException if the facts are not those of these bits
   */
  static ElementBlock read(byte[] bits, byte[] facts) {
    Varints.Reader reader = new Varints.Reader(facts);
    long form = reader.unsigned();
    if (form != FORM) {
      throw new IllegalStateException(
          "facts of ended elements have form %d; this version reads form %d".formatted(form, FORM));
    }
    SortedMap<Integer, EndedElement> elements = new TreeMap<>();
    long submitted = 0;
    BitSet set = BitSet.valueOf(bits);
    for (int position = set.nextSetBit(0); position >= 0; position = set.nextSetBit(position + 1)) {
      EndedElement element = read(reader, submitted);
      submitted = element.submittedAt().toEpochMilli();
      elements.put(position, element);
    }
    if (reader.hasMore()) {
      throw new IllegalStateException("more facts of ended elements than bits");
    }
    return new ElementBlock(elements);
  }

  private static EndedElement read(Varints.Reader reader, long before) {
    long node = reader.unsigned();
    long submitted = before + reader.signed();
    long placed = submitted + reader.signed();
    long started = placed + reader.signed();
    long ended = started + reader.signed();
    long run = ended - started + reader.signed();
    Usage usage =
        node % 2 == 0
            ? null
            : new Usage(
                reader.unsigned(), reader.unsigned() * KIB, reader.unsigned(), reader.unsigned());
    return new EndedElement(
        Math.toIntExact(node / 2),
        Instant.ofEpochMilli(submitted),
        Instant.ofEpochMilli(placed),
        Instant.ofEpochMilli(started),
        Instant.ofEpochMilli(ended),
        run,
        usage);
  }
}
