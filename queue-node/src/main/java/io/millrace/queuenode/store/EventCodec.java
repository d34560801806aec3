package io.millrace.queuenode.store;

import io.millrace.queuenode.store.log.ByteReader;
import io.millrace.queuenode.store.log.ByteWriter;

/** Events as the log keeps them: what a batch has in common once, the rest for each. */
final class EventCodec {
  private EventCodec() {}

  /** What the events of a batch have in common: the standing from which theirs differ little. */
  static byte[] common(DeliveryState first) {
    ByteWriter writer = new ByteWriter();
    DeliveryStateCodec.write(writer, first, DeliveryStateCodec.ZERO);
    return writer.copy();
  }

  static void write(ByteWriter writer, Rows.Row row, DeliveryState first) {
    NewEvent event = row.event();
    DeliveryStateCodec.write(writer, row.standing(), first);
    writer.text(event.id());
    writer.text(event.attributes());
    writer.bytes(event.data());
  }

  static DeliveryState standing(ByteReader common, ByteReader content) {
    return DeliveryStateCodec.read(
        content, DeliveryStateCodec.read(common, DeliveryStateCodec.ZERO));
  }

  static Rows.Row row(ByteReader common, ByteReader content) {
    DeliveryState standing = standing(common, content);
    String id = content.text();
    String attributes = content.text();
    byte[] data = content.bytes();
    return new Rows.Row(standing, new NewEvent(id, data, attributes, standing.priority(), 0));
  }
}
