package io.millrace.manager.workflow;

import java.io.ByteArrayOutputStream;

/** The lists of successors of the steps of a block, as they are stored. Pure. */
final class Successors {
  private static final int[] NONE = new int[0];

  private Successors() {}

  /**
   * Encodes the lists.
   *
   * @param lists one for each step of the block, rising
   */
  static byte[] encode(int[][] lists) {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    for (int[] list : lists) {
      Varints.write(out, list.length);
      int before = 0;
      for (int step : list) {
        Varints.write(out, step - before);
        before = step;
      }
    }
    return out.toByteArray();
  }

  /** One list for each step of the block. */
  static int[][] decode(byte[] content) {
    Varints in = new Varints(content);
    int[][] lists = new int[StepBlock.SIZE][];
    for (int i = 0; i < lists.length; i++) {
      int length = in.next();
      lists[i] = length == 0 ? NONE : new int[length];
      int before = 0;
      for (int at = 0; at < length; at++) {
        before += in.next();
        lists[i][at] = before;
      }
    }
    return lists;
  }
}
