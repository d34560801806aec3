package io.millrace.tests.drill.network;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.regex.Pattern;

/**
 * Holds one database connection in the middle of a transaction, so that its process can be frozen
 * or killed while it has locks. Thread-safe; holds once.
 *
 * <p>It holds a connection when one transaction has sent statements that match the given patterns,
 * in that order and with any others between them. The server executes the last of them; its answer
 * and everything that follows on this connection, including a close by the server, waits for {@link
 * #release}. Connections must not be encrypted ({@code sslMode=DISABLED}).
 */
public final class StatementHold {
  private final List<Pattern> steps;
  private final AtomicBoolean armed = new AtomicBoolean(true);
  private final CountDownLatch reached = new CountDownLatch(1);
  private final FlowControl flow = new FlowControl();
  private volatile boolean released;

  private StatementHold(List<Pattern> steps) {
    this.steps = steps;
    flow.set(false);
  }

  /**
   * A hold on the first transaction with matching statements.
   *
   * @param statements regular expressions, each searched for in a whole statement, ignoring case;
   *     {@code COMMIT} as the last one holds the answer to the commit
   */
  public static StatementHold after(String... statements) {
    if (statements.length == 0) {
      throw new IllegalArgumentException("a hold needs a statement to wait for");
    }
    return new StatementHold(
        List.of(statements).stream()
            .map(one -> Pattern.compile(one, Pattern.CASE_INSENSITIVE | Pattern.DOTALL))
            .toList());
  }

  /** Waits until a connection is held and the server has answered; false on timeout. */
  public boolean await(Duration atMost) throws InterruptedException {
    return reached.await(atMost.toNanos(), TimeUnit.NANOSECONDS);
  }

  /** Delivers the held data, or disables the hold. */
  public void release() {
    armed.set(false);
    released = true;
    flow.set(true);
  }

  boolean over() {
    return released;
  }

  void answered() {
    reached.countDown();
  }

  void pass() throws InterruptedException {
    flow.pass();
  }

  /** The progress of one connection. Used by one thread. */
  final class Progress {
    private int next;

    /** Whether this statement completes the list, on the first such connection. */
    boolean completedBy(String statement) {
      // A statement may span several lines.
      String line = statement.replaceAll("\\s+", " ");
      if (!armed.get() || !steps.get(next).matcher(line).find()) {
        return false;
      }
      next++;
      if (next < steps.size()) {
        return false;
      }
      next = 0;
      return armed.compareAndSet(true, false);
    }
  }
}
