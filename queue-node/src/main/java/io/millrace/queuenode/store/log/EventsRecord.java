package io.millrace.queuenode.store.log;

import java.io.IOException;
import java.util.function.LongPredicate;

/** Reads an events record. */
final class EventsRecord {
  private EventsRecord() {}

  /** Whether the content is as it was written. */
  static boolean isWhole(byte[] bytes, int start, int end) {
    return end - start >= 4 && ByteReader.intAt(bytes, start) == Checksum.of(bytes, start + 4, end);
  }

  /** Visits the wanted events of a whole record in order. */
  static void visit(byte[] bytes, int start, int end, LongPredicate wanted, EventVisitor visitor)
      throws IOException {
    ByteReader reader = new ByteReader(bytes, start + 4, end);
    int commonLength = reader.smallNumber();
    int commonStart = reader.position();
    reader.part(commonLength);
    long seq = reader.number();
    while (reader.hasMore()) {
      seq += reader.number();
      ByteReader content = reader.part(reader.fixedInt());
      if (wanted.test(seq)) {
        ByteReader common = new ByteReader(bytes, commonStart, commonStart + commonLength);
        visitor.event(seq, common, content);
      }
    }
  }

  /** The number of its first event. */
  static long firstSeq(byte[] bytes, int start, int end) {
    ByteReader reader = new ByteReader(bytes, start + 4, end);
    reader.part(reader.smallNumber());
    return reader.number();
  }
}
