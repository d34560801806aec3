package io.millrace.cli.invocation;

import io.millrace.api.ErrorCode;
import io.millrace.api.MillraceException;
import io.millrace.cli.output.Escaping;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;

/** Asks the user to confirm a large or irreversible action; scripts use {@code --yes}. */
public final class Confirmation {
  private final Invocation invocation;

  public Confirmation(Invocation invocation) {
    this.invocation = invocation;
  }

  /**
   * Returns once the user has confirmed.
   *
   * @param what the action, such as {@code permanently deletes all events}
   * @param called description of the text, such as {@code the name of the queue}
   * @param expected the text to type
   * @throws MillraceException INVALID_REQUEST if it was not typed, or there is no terminal
   */
  public void require(String what, String called, String expected) throws IOException {
    if (!asks()) {
      throw new MillraceException(
          ErrorCode.INVALID_REQUEST, "this %s; use --yes to confirm".formatted(what));
    }
    invocation
        .terminal()
        .err()
        .print("This %s. Type %s to continue: ".formatted(Escaping.text(what), called));
    invocation.terminal().err().flush();
    String typed =
        new BufferedReader(
                new InputStreamReader(invocation.terminal().in(), StandardCharsets.UTF_8))
            .readLine();
    if (typed == null || !typed.strip().equals(expected)) {
      throw new MillraceException(ErrorCode.INVALID_REQUEST, "not confirmed; nothing was changed");
    }
  }

  /** Whether there is a terminal to ask on. */
  public boolean asks() {
    return invocation.terminal().errIsTerminal();
  }
}
