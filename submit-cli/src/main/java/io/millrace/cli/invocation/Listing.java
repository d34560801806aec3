package io.millrace.cli.invocation;

import io.millrace.api.client.CentralClient;
import io.millrace.cli.output.Table;
import java.util.concurrent.Callable;

/**
 * A command that lists what a central manager knows.
 *
 * @param <T> as the server answers, and as JSON shows it
 */
public abstract class Listing<T> implements Callable<Integer> {
  private final Invocation invocation;
  private final String whenEmpty;

  /** The words are shown when there is nothing to list: what would change that. */
  protected Listing(Invocation invocation, String whenEmpty) {
    this.invocation = invocation;
    this.whenEmpty = whenEmpty;
  }

  /** Asks for it. */
  protected abstract T read(CentralClient central);

  /** Shows it to people. */
  protected abstract Table table(T listed);

  @Override
  public final Integer call() {
    T listed = read(invocation.central());
    invocation.answer(listed, () -> invocation.print(table(listed), whenEmpty));
    return 0;
  }
}
