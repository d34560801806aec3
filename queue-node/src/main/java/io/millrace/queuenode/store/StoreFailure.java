package io.millrace.queuenode.store;

/** Thrown if the store cannot be read or written; the transaction must be rolled back. */
public final class StoreFailure extends RuntimeException {
  private static final long serialVersionUID = 1L;

  public StoreFailure(String what) {
    super(what);
  }

  public StoreFailure(String what, Throwable cause) {
    super(what + ": " + cause.getMessage(), cause);
  }
}
