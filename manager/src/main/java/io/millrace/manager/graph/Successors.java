package io.millrace.manager.graph;

import io.millrace.api.Pure;
import io.millrace.manager.job.Varints;

/** The lists of successors of the steps of a block, as they are stored. Pure. */
@Pure
public final class Successors {
  private static final int[] NONE = new int[0];

  private Successors() {}

  /**
   * Encodes the lists.
   *
   * @param lists one for each step of the block, rising
   */
  public static byte[] encode(int[][] lists) {
    Varints.Writer out = new Varints.Writer();
    for (int[] list : lists) {
      out.unsigned(list.length);
      int before = 0;
      for (int step : list) {
        out.unsigned(step - before);
        before = step;
      }
    }
    return out.bytes();
  }

  /** One list for each step of the block. */
  public static int[][] decode(byte[] content) {
    Varints.Reader in = new Varints.Reader(content);
    int[][] lists = new int[StepBlock.SIZE][];
    for (int i = 0; i < lists.length; i++) {
      int length = in.unsignedInt();
      lists[i] = length == 0 ? NONE : new int[length];
      int before = 0;
      for (int at = 0; at < length; at++) {
        before += in.unsignedInt();
        lists[i][at] = before;
      }
    }
    return lists;
  }
}
