package io.millrace.queuenode.store;

import io.millrace.queuenode.store.log.ByteReader;
import io.millrace.queuenode.store.log.ByteWriter;

/**
 * The part of an event's row that deliveries change, with what identifies and measures the event.
 *
 * @param seq order of arrival, unique in the store
 * @param queue the store's number of the queue
 * @param priority 0 to 9, the higher first
 * @param storedAt wall time in milliseconds, for ages across restarts
 * @param bytes what it counts towards the size of its segment
 * @param state its current state
 * @param number number of the last delivery; 0 before the first
 * @param term term of the store that leased it last
 * @param heldAt wall time in milliseconds at which its lease or delay began, or at which it became
 *     ready again or died; 0 for an event that was ready from the start
 * @param holdMillis length of the lease when LEASED, of the delay when DELAYED
 * @param shared whether its last lease held other events too
 * @param alone whether it is delivered singly from now on
 * @param failures failures charged to it
 * @param returns deliveries lost through no fault of the event
 */
public record DeliveryState(
    long seq,
    int queue,
    int priority,
    long storedAt,
    int bytes,
    EventState state,
    int number,
    long term,
    long heldAt,
    long holdMillis,
    boolean shared,
    boolean alone,
    int failures,
    int returns) {

  /** The state of an event that has just arrived: delayed if it has a delay, otherwise ready. */
  static DeliveryState fresh(long seq, int queue, NewEvent event, long storedAt) {
    boolean delayed = event.delayMillis() > 0;
    return new DeliveryState(
        seq,
        queue,
        event.priority(),
        storedAt,
        event.bytes(),
        delayed ? EventState.DELAYED : EventState.READY,
        0,
        0,
        delayed ? storedAt : 0,
        event.delayMillis(),
        false,
        false,
        0,
        0);
  }

  DeliveryState leased(long byTerm, long now, long leaseMillis, boolean withOthers) {
    return new DeliveryState(
        seq,
        queue,
        priority,
        storedAt,
        bytes,
        EventState.LEASED,
        number + 1,
        byTerm,
        now,
        leaseMillis,
        withOthers,
        alone,
        failures,
        returns);
  }

  /** In another state, or held again in the same one, from now on. */
  DeliveryState in(EventState next, long now, long millis) {
    return new DeliveryState(
        seq, queue, priority, storedAt, bytes, next, number, term, now, millis, shared, alone,
        failures, returns);
  }

  DeliveryState charged(boolean aloneNext, int allFailures, int allReturns) {
    return new DeliveryState(
        seq,
        queue,
        priority,
        storedAt,
        bytes,
        state,
        number,
        term,
        heldAt,
        holdMillis,
        shared,
        aloneNext,
        allFailures,
        allReturns);
  }

  /** Whether the receipt belongs to the current delivery and the event is still leased. */
  boolean matches(int receiptQueue, Receipt receipt) {
    return state == EventState.LEASED
        && queue == receiptQueue
        && number == receipt.delivery()
        && term == receipt.term();
  }

  Receipt receipt() {
    return new Receipt(seq, number, term);
  }

  /**
   * Encodes delivery states as bytes. Each is written as its difference from the previous one,
   * which is small within a batch: about five bytes. The bits of the mask are part of the format.
   */
  static final class DeliveryStateCodec {
    /** The base of the first difference of a list. */
    static final DeliveryState ZERO =
        new DeliveryState(0, 0, 0, 0, 0, EventState.READY, 0, 0, 0, 0, false, false, 0, 0);

    private static final int QUEUE = 1;
    private static final int PRIORITY = 1 << 1;
    private static final int STORED = 1 << 2;
    private static final int STATE = 1 << 3;
    private static final int DELIVERY = 1 << 4;
    private static final int TERM = 1 << 5;
    private static final int HOLD = 1 << 6;
    private static final int SHARED = 1 << 7;
    private static final int ALONE = 1 << 8;
    private static final int COUNTS = 1 << 9;

    private DeliveryStateCodec() {}

    static void write(ByteWriter writer, DeliveryState delivery, DeliveryState before) {
      int mask = mask(delivery, before);
      writer.number(mask);
      writer.signed(delivery.seq() - before.seq());
      writer.number(delivery.bytes());
      if ((mask & QUEUE) != 0) {
        writer.number(delivery.queue());
      }
      if ((mask & PRIORITY) != 0) {
        writer.number(delivery.priority());
      }
      if ((mask & STORED) != 0) {
        writer.signed(delivery.storedAt() - before.storedAt());
      }
      if ((mask & STATE) != 0) {
        writer.number(delivery.state().code());
      }
      if ((mask & DELIVERY) != 0) {
        writer.number(delivery.number());
      }
      if ((mask & TERM) != 0) {
        writer.number(delivery.term());
      }
      if ((mask & HOLD) != 0) {
        writer.signed(delivery.heldAt() - before.heldAt());
        writer.signed(delivery.holdMillis());
      }
      if ((mask & COUNTS) != 0) {
        writer.number(delivery.failures());
        writer.number(delivery.returns());
      }
    }

    private static int mask(DeliveryState delivery, DeliveryState before) {
      return bit(delivery.queue() != before.queue(), QUEUE)
          | bit(delivery.priority() != before.priority(), PRIORITY)
          | bit(delivery.storedAt() != before.storedAt(), STORED)
          | bit(delivery.state() != before.state(), STATE)
          | bit(delivery.number() != before.number(), DELIVERY)
          | bit(delivery.term() != before.term(), TERM)
          | bit(
              delivery.heldAt() != before.heldAt() || delivery.holdMillis() != before.holdMillis(),
              HOLD)
          | bit(delivery.shared() != before.shared(), SHARED)
          | bit(delivery.alone() != before.alone(), ALONE)
          | bit(
              delivery.failures() != before.failures() || delivery.returns() != before.returns(),
              COUNTS);
    }

    private static int bit(boolean set, int bit) {
      return set ? bit : 0;
    }

    static DeliveryState read(ByteReader reader, DeliveryState before) {
      int mask = reader.smallNumber();
      long seq = before.seq() + reader.signed();
      int bytes = reader.smallNumber();
      int queue = has(mask, QUEUE) ? reader.smallNumber() : before.queue();
      int priority = has(mask, PRIORITY) ? reader.smallNumber() : before.priority();
      long storedAt = before.storedAt() + (has(mask, STORED) ? reader.signed() : 0);
      EventState state = has(mask, STATE) ? EventState.of(reader.smallNumber()) : before.state();
      int number = has(mask, DELIVERY) ? reader.smallNumber() : before.number();
      long term = has(mask, TERM) ? reader.number() : before.term();
      long heldAt = before.heldAt() + (has(mask, HOLD) ? reader.signed() : 0);
      long holdMillis = has(mask, HOLD) ? reader.signed() : before.holdMillis();
      int failures = has(mask, COUNTS) ? reader.smallNumber() : before.failures();
      int returns = has(mask, COUNTS) ? reader.smallNumber() : before.returns();
      return new DeliveryState(
          seq,
          queue,
          priority,
          storedAt,
          bytes,
          state,
          number,
          term,
          heldAt,
          holdMillis,
          has(mask, SHARED) != before.shared(),
          has(mask, ALONE) != before.alone(),
          failures,
          returns);
    }

    private static boolean has(int mask, int bit) {
      return (mask & bit) != 0;
    }

    /** Events as stored in the log: what a batch has in common once, the rest for each. */
    static final class EventCodec {
      private EventCodec() {}

      /**
       * What the events of a batch have in common: the state from which their own differ little.
       */
      static byte[] common(DeliveryState first) {
        ByteWriter writer = new ByteWriter();
        DeliveryStateCodec.write(writer, first, DeliveryStateCodec.ZERO);
        return writer.copy();
      }

      static void write(ByteWriter writer, Rows.Row row, DeliveryState first) {
        NewEvent event = row.event();
        DeliveryStateCodec.write(writer, row.delivery(), first);
        writer.text(event.id());
        writer.text(event.attributes());
        writer.bytes(event.data());
      }

      static DeliveryState delivery(ByteReader common, ByteReader content) {
        return DeliveryStateCodec.read(
            content, DeliveryStateCodec.read(common, DeliveryStateCodec.ZERO));
      }

      static Rows.Row row(ByteReader common, ByteReader content) {
        DeliveryState delivery = delivery(common, content);
        String id = content.text();
        String attributes = content.text();
        byte[] data = content.bytes();
        return new Rows.Row(delivery, new NewEvent(id, data, attributes, delivery.priority(), 0));
      }
    }
  }
}
