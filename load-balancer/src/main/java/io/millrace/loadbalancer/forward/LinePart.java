package io.millrace.loadbalancer.forward;

/**
 * A piece of a body, cut at line ends.
 *
 * @param number 0 for the first
 * @param firstLine number of its first line in the body, from 1
 * @param lastLine number of its last line
 * @param body its bytes; never changed
 * @param last whether the body ends with it
 */
@SuppressWarnings("ArrayRecordComponent") // compared by nobody; a copy per part would cost
record LinePart(int number, long firstLine, long lastLine, byte[] body, boolean last) {
  /** Whether the whole body is this one piece. */
  boolean alone() {
    return number == 0 && last;
  }
}
