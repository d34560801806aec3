package io.millrace.queuenode.store.log;

/**
 * A place between two groups.
 *
 * @param file number of the file
 * @param offset in the file
 * @param group number of the group that begins there, or will
 */
record LogPosition(long file, long offset, long group) {
  /** Where every log begins. */
  static final LogPosition START = new LogPosition(1, FileHeader.BYTES, 1);
}
