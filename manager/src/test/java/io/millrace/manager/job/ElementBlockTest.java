package io.millrace.manager.job;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.api.job.Usage;
import java.time.Instant;
import java.util.BitSet;
import java.util.SortedMap;
import java.util.TreeMap;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;

/** What is written of a block of ended elements is read again. */
class ElementBlockTest {
  private static final Instant START = Instant.parse("2026-03-01T10:00:00.123Z");
  private static final int COLUMN = 24_000;
  private static final long LARGEST = (1L << 50) - 1;

  @Property(tries = 300)
  void everyBlockIsReadAsItWasWritten(@ForAll("blocks") ElementBlock block) {
    byte[] bits = block.bits();
    byte[] facts = block.facts();
    assertThat(ElementBlock.read(bits, facts)).isEqualTo(block);
    assertThat(bits).hasSizeLessThanOrEqualTo(32);
    assertThat(facts).hasSizeLessThanOrEqualTo(COLUMN);
    assertThat(BitSet.valueOf(bits).stream().boxed())
        .containsExactlyElementsOf(block.elements().keySet());
  }

  @Property(tries = 100)
  void furtherElementsAreAdded(
      @ForAll("blocks") ElementBlock block, @ForAll("blocks") ElementBlock further) {
    ElementBlock both = block.plus(further.elements());
    SortedMap<Integer, EndedElement> expected = new TreeMap<>(block.elements());
    expected.putAll(further.elements());
    assertThat(ElementBlock.read(both.bits(), both.facts()).elements()).isEqualTo(expected);
  }

  @Provide
  Arbitrary<ElementBlock> blocks() {
    return Arbitraries.maps(Arbitraries.integers().between(0, ElementBlock.SIZE - 1), elements())
        .ofMaxSize(ElementBlock.SIZE)
        .map(elements -> new ElementBlock(new TreeMap<>(elements)));
  }

  private static Arbitrary<EndedElement> elements() {
    Arbitrary<Long> year = Arbitraries.longs().between(-31_536_000_000L, 31_536_000_000L);
    Arbitrary<Long> amount = Arbitraries.longs().between(0, LARGEST);
    Arbitrary<Usage> usage =
        Combinators.combine(amount, amount, amount, amount).as(Usage::new).injectNull(0.2);
    return Combinators.combine(
            Arbitraries.integers().between(0, ElementBlockDao.MAX_NODES),
            year,
            year,
            year,
            year,
            amount,
            usage)
        .as(
            (node, submitted, placed, started, ended, run, used) ->
                new EndedElement(
                    node,
                    START.plusMillis(submitted),
                    START.plusMillis(placed),
                    START.plusMillis(started),
                    START.plusMillis(ended),
                    run,
                    used));
  }

  @Example
  void theLargestNumbersOfAWholeBlockFitTheColumn() {
    SortedMap<Integer, EndedElement> elements = new TreeMap<>();
    Usage usage = new Usage(LARGEST, LARGEST, LARGEST, LARGEST);
    Instant first = Instant.parse("1000-01-01T00:00:00Z");
    Instant last = Instant.parse("9999-12-31T00:00:00Z");
    for (int position = 0; position < ElementBlock.SIZE; position++) {
      Instant submitted = position % 2 == 0 ? first : last;
      Instant placed = position % 2 == 0 ? last : first;
      elements.put(
          position,
          new EndedElement(
              ElementBlockDao.MAX_NODES, submitted, placed, submitted, placed, LARGEST, usage));
    }
    assertThat(new ElementBlock(elements).facts()).hasSizeLessThanOrEqualTo(COLUMN);
  }

  @Example
  void aUsualElementTakesSomeTwentyBytes() {
    SortedMap<Integer, EndedElement> elements = new TreeMap<>();
    for (int position = 0; position < ElementBlock.SIZE; position++) {
      Instant submitted = START.plusMillis(position / 16 * 40L);
      elements.put(
          position,
          new EndedElement(
              position % 100,
              submitted,
              submitted.plusMillis(900),
              submitted.plusMillis(950),
              submitted.plusMillis(62_000),
              61_020,
              new Usage(58_000, 300L << 20, 0, 1 << 20)));
    }
    assertThat(new ElementBlock(elements).facts().length / ElementBlock.SIZE)
        .isLessThanOrEqualTo(20);
  }

  @Example
  void theSameElementWithoutUsageIsNotOneThatUsedNothing() {
    EndedElement unmeasured = new EndedElement(0, START, START, START, START, 0, null);
    EndedElement idle = new EndedElement(0, START, START, START, START, 0, new Usage(0, 0, 0, 0));
    SortedMap<Integer, EndedElement> elements = new TreeMap<>();
    elements.put(3, unmeasured);
    elements.put(4, idle);
    ElementBlock block = new ElementBlock(elements);
    assertThat(ElementBlock.read(block.bits(), block.facts()).elements())
        .containsEntry(3, unmeasured)
        .containsEntry(4, idle);
  }

  @Example
  void damagedFactsAreRefused() {
    SortedMap<Integer, EndedElement> elements = new TreeMap<>();
    elements.put(7, new EndedElement(0, START, START, START, START, 0, null));
    ElementBlock block = new ElementBlock(elements);
    byte[] none = {1};
    byte[] otherForm = {9};
    assertThatThrownBy(() -> ElementBlock.read(block.bits(), none))
        .isInstanceOf(IllegalStateException.class);
    assertThatThrownBy(() -> ElementBlock.read(new byte[0], block.facts()))
        .hasMessageContaining("more facts");
    assertThatThrownBy(() -> ElementBlock.read(block.bits(), otherForm))
        .hasMessageContaining("form 9");
  }
}
