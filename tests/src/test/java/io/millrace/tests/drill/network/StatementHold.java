package io.millrace.tests.drill.network;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.regex.Pattern;

/**
 * Holds one database connection in the middle of a transaction, so that its process can be frozen
 * or killed there with its locks held. Thread-safe; takes hold once.
 *
 * <p>It takes hold when one transaction has sent statements that match the given patterns, in that
 * order and with any others between them. The last of them is carried out by the server; its answer
 * and whatever follows on this connection, the server's end of it included, waits for {@link
 * #release}. Connections must not be encrypted ({@code sslMode=DISABLED}).
 */
public final class StatementHold {
  private final List<Pattern> steps;
  private final AtomicBoolean armed = new AtomicBoolean(true);
  private final CountDownLatch reached = new CountDownLatch(1);
  private final FlowControl gate = new FlowControl();
  private volatile boolean released;

  private StatementHold(List<Pattern> steps) {
    this.steps = steps;
    gate.set(false);
  }

  /**
   * A hold on the first transaction with such statements.
   *
   * @param statements regular expressions, of which each is searched for in a whole statement,
   *     whatever its case; {@code COMMIT} as the last one holds the answer to the commit
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

  /** Waits until a connection is held and the server has answered; false when it is not in time. */
  public boolean await(Duration atMost) throws InterruptedException {
    return reached.await(atMost.toNanos(), TimeUnit.NANOSECONDS);
  }

  /** Delivers what was held, or takes no hold any more. */
  public void release() {
    armed.set(false);
    released = true;
    gate.set(true);
  }

  boolean over() {
    return released;
  }

  void answered() {
    reached.countDown();
  }

  void pass() throws InterruptedException {
    gate.pass();
  }

  /** How far one connection has come. One thread. */
  final class Progress {
    private int next;

    /** Whether this statement of a transaction completes the list, on the first such connection. */
    boolean completedBy(String statement) {
      // A statement may be written in several lines.
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
