package io.millrace.queuenode.store;

import io.millrace.api.ErrorCode;
import io.millrace.api.MillraceException;
import java.util.concurrent.CompletableFuture;

/** A request on its way through the committer, with its outcome until it may be told. */
final class Pending<R> {
  private final Change<R> change;
  private final CompletableFuture<R> answer = new CompletableFuture<>();
  // Only touched by the committer's thread.
  private R result;
  private MillraceException refusal;

  Pending(Change<R> change) {
    this.change = change;
  }

  CompletableFuture<R> answer() {
    return answer;
  }

  Change<R> change() {
    return change;
  }

  /** Runs the change; a refusal is an outcome, anything else thrown spoils the transaction. */
  void run(SegmentStore store) {
    result = null;
    refusal = null;
    try {
      result = change.action().apply(store);
    } catch (MillraceException e) {
      refusal = e;
    }
  }

  void tell() {
    if (refusal != null) {
      answer.completeExceptionally(refusal);
    } else {
      answer.complete(result);
    }
  }

  /** Ends with a refusal that the store itself gave, or else with STORE_FAILURE. */
  void fail(String words, Throwable cause) {
    answer.completeExceptionally(
        cause instanceof MillraceException known
            ? known
            : new MillraceException(
                ErrorCode.STORE_FAILURE, words + ": " + cause.getMessage(), cause));
  }
}
