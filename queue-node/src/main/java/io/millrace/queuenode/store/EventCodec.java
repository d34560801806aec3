package io.millrace.queuenode.store;

import io.millrace.queuenode.store.log.ByteReader;
import io.millrace.queuenode.store.log.ByteWriter;

/** Events as the log keeps them: what a batch has in common once, the rest for each. */
final class EventCodec {
  private EventCodec() {}

  /** What the events of a batch have in common: the standing from which theirs differ little. */
  static byte[] common(Standing first) {
    ByteWriter writer = new ByteWriter();
    StandingCodec.write(writer, first, StandingCodec.ZERO);
    return writer.copy();
  }

  static void write(ByteWriter writer, Rows.Row row, Standing first) {
    NewEvent event = row.event();
    StandingCodec.write(writer, row.standing(), first);
    writer.text(event.id());
    writer.text(event.attributes());
    writer.bytes(event.data());
  }

  static Standing standing(ByteReader common, ByteReader content) {
    return StandingCodec.read(content, StandingCodec.read(common, StandingCodec.ZERO));
  }

  static Rows.Row row(ByteReader common, ByteReader content) {
    Standing standing = standing(common, content);
    String id = content.text();
    String attributes = content.text();
    byte[] data = content.bytes();
    return new Rows.Row(standing, new NewEvent(id, data, attributes, standing.priority(), 0));
  }
}
