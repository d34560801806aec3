package io.millrace.tests.drill.network;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * Follows the transactions of one connection to a database on behalf of holds. Statements come from
 * one thread, answers from another.
 */
final class Transactions {
  private static final int LONGEST_NAME = 16;

  private final List<StatementHold> holds;
  private final StatementReader reader = new StatementReader();
  private final Map<StatementHold, StatementHold.Progress> progress = new HashMap<>();
  // Whether the server is in autocommit mode.
  private boolean committing = true;
  private volatile StatementHold holding;

  /** The list may change concurrently. */
  Transactions(List<StatementHold> holds) {
    this.holds = holds;
  }

  /** Processes bytes about to be sent to the server; from then on this connection may be held. */
  void sent(byte[] bytes, int length) {
    for (String statement : reader.read(bytes, length)) {
      sent(statement);
    }
  }

  private void sent(String statement) {
    String start =
        statement
            .substring(0, Math.min(LONGEST_NAME, statement.length()))
            .toUpperCase(Locale.ROOT)
            .replace(" ", "");
    if (start.startsWith("SETAUTOCOMMIT")) {
      committing = start.startsWith("SETAUTOCOMMIT=1");
      progress.clear();
    } else if (!committing) {
      advance(statement);
      if (start.startsWith("COMMIT") || start.startsWith("ROLLBACK")) {
        progress.clear();
      }
    }
  }

  private void advance(String statement) {
    for (StatementHold hold : new ArrayList<>(holds)) {
      if (progress.computeIfAbsent(hold, one -> one.new Progress()).completedBy(statement)) {
        holding = hold;
      }
    }
  }

  /** Waits while this connection is held; call it before passing on data of a direction. */
  void pass(Direction direction) throws InterruptedException {
    StatementHold hold = holding;
    if (hold == null) {
      return;
    }
    if (direction == Direction.TO_CLIENT) {
      hold.answered();
    }
    hold.pass();
  }
}
