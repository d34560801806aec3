package io.millrace.queuenode.store;

import io.millrace.api.ErrorCode;
import io.millrace.api.MillraceException;
import java.util.concurrent.CompletableFuture;

/** A request in the committer, with its outcome until it can be reported. */
final class Pending<S, R> {
  private final Change<S, R> change;
  private final CompletableFuture<R> answer = new CompletableFuture<>();
  // Only touched by the committer's thread.
  private R result;
  private MillraceException refusal;

  Pending(Change<S, R> change) {
    this.change = change;
  }

  CompletableFuture<R> answer() {
    return answer;
  }

  Change<S, R> change() {
    return change;
  }

  /** Runs the change; a refusal is an outcome, any other exception fails the transaction. */
  void run(S store) {
    result = null;
    refusal = null;
    try {
      result = change.action().apply(store);
    } catch (MillraceException e) {
      refusal = e;
    }
  }

  void complete() {
    if (refusal != null) {
      answer.completeExceptionally(refusal);
    } else {
      answer.complete(result);
    }
  }

  /** Completes with the store's refusal, or otherwise with STORE_FAILURE. */
  void fail(String message, Throwable cause) {
    answer.completeExceptionally(
        cause instanceof MillraceException known
            ? known
            : new MillraceException(
                ErrorCode.STORE_FAILURE, message + ": " + cause.getMessage(), cause));
  }
}
