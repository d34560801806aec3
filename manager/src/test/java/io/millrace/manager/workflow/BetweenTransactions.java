package io.millrace.manager.workflow;

import io.millrace.platform.database.Database;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.Jdbi;
import org.jdbi.v3.core.transaction.DelegatingTransactionHandler;
import org.jdbi.v3.core.transaction.LocalTransactionHandler;
import org.jdbi.v3.core.transaction.TransactionHandler;

/** Something that another process does between two transactions of what a test runs. One thread. */
final class BetweenTransactions extends DelegatingTransactionHandler {
  private final Runnable event;
  private int left;

  private BetweenTransactions(int transactions, Runnable event) {
    super(new LocalTransactionHandler());
    this.left = transactions;
    this.event = event;
  }

  /**
   * Runs the work, and in the middle of it the event.
   *
   * @param transactions of the work, after which the event takes place; not 0
   * @return false if the work had fewer, and was not disturbed
   */
  static boolean run(Database database, int transactions, Runnable event, Runnable work) {
    Jdbi jdbi = database.read(Handle::getJdbi);
    TransactionHandler before = jdbi.getTransactionHandler();
    BetweenTransactions between = new BetweenTransactions(transactions, event);
    jdbi.setTransactionHandler(between);
    try {
      work.run();
    } finally {
      jdbi.setTransactionHandler(before);
    }
    return between.left <= 0;
  }

  @Override
  public void commit(Handle handle) {
    super.commit(handle);
    left--;
    if (left == 0) {
      event.run();
    }
  }

  @Override
  public TransactionHandler specialize(Handle handle) {
    return this;
  }
}
