package io.millrace.queuenode.store.log;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * The records of one group while it is built. A record consists of its type, its length and its
 * content; the content of an events record is its own checksum, what its events have in common, and
 * the events, so that some of them can be read and verified without their group. One thread.
 */
public final class GroupBuffer {
  /** Types below this one are reserved for the log. */
  public static final int FREE_TYPES = 16;

  static final int EVENTS = 1;
  static final int SEAL = 2;
  static final int RECORD_HEADER = 5;

  /** The position of an events record relative to the group's first byte. */
  record Mark(long firstSeq, int start, int end, int events) {}

  private final int blockBytes;
  private final ByteWriter writer = new ByteWriter();
  private final List<Mark> marks = new ArrayList<>();
  private byte[] common;
  private int recordStart;
  private int eventStart;
  private long firstSeq;
  private long previousSeq;
  private long lastSeq;
  private int events;

  GroupBuffer(int blockBytes) {
    this.blockBytes = blockBytes;
    clear();
  }

  /**
   * Begins a record of a type not reserved for the log; its content goes into the returned writer.
   */
  public ByteWriter begin(int type) {
    endEvents();
    recordStart = writer.size();
    writer.oneByte(type);
    writer.fixedInt(0);
    return writer;
  }

  /** Ends the current record. */
  public void end() {
    writer.patchInt(recordStart + 1, writer.size() - recordStart - RECORD_HEADER);
  }

  /**
   * Begins an event; its content goes into the returned writer.
   *
   * @param inCommon content shared by consecutive events, written once
   * @param seq higher than that of every earlier event
   */
  public ByteWriter beginEvent(byte[] inCommon, long seq) {
    if (seq <= lastSeq) {
      throw new IllegalArgumentException("event " + seq + " after event " + lastSeq);
    }
    if (common == null
        || !Arrays.equals(common, inCommon)
        || writer.size() - recordStart >= blockBytes) {
      beginEvents(inCommon, seq);
    }
    writer.number(seq - previousSeq);
    previousSeq = seq;
    lastSeq = seq;
    events++;
    eventStart = writer.size();
    writer.fixedInt(0);
    return writer;
  }

  /** Ends the current event. */
  public void endEvent() {
    writer.patchInt(eventStart, writer.size() - eventStart - 4);
  }

  private void beginEvents(byte[] inCommon, long seq) {
    begin(EVENTS);
    writer.fixedInt(0);
    writer.bytes(inCommon);
    writer.number(seq);
    common = inCommon;
    firstSeq = seq;
    previousSeq = seq;
    events = 0;
  }

  private void endEvents() {
    if (common == null) {
      return;
    }
    end();
    int content = recordStart + RECORD_HEADER;
    writer.patchInt(content, writer.checksum(content + 4, writer.size()));
    marks.add(new Mark(firstSeq, recordStart, writer.size(), events));
    common = null;
  }

  /** Whether it has no records. */
  public boolean isEmpty() {
    return writer.size() == GroupHeader.BYTES;
  }

  /** The size when written. */
  int size() {
    return writer.size();
  }

  /** The complete group; it may be completed again with other numbers. */
  ByteWriter complete(long salt, long number, long unforced) {
    endEvents();
    GroupHeader.complete(writer, salt, number, unforced);
    return writer;
  }

  List<Mark> marks() {
    return marks;
  }

  /** The highest event number in it; 0 for none. */
  long lastSeq() {
    return lastSeq;
  }

  /** Removes all records. */
  public void clear() {
    writer.clear();
    writer.raw(new byte[GroupHeader.BYTES], 0, GroupHeader.BYTES);
    marks.clear();
    common = null;
    lastSeq = 0;
  }
}
