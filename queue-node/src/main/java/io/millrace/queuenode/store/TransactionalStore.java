package io.millrace.queuenode.store;

/** A store that one writer changes in transactions. Used by the writer's thread. */
public interface TransactionalStore {
  /** Makes the changes since the last commit survive the end of this process. */
  void commit();

  /** Undoes the changes since the last commit. */
  void rollback();

  /** Makes what was committed survive a power failure. Waits for the disk. */
  void force();
}
