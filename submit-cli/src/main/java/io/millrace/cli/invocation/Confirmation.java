package io.millrace.cli.invocation;

import io.millrace.api.ErrorCode;
import io.millrace.api.MillraceException;
import io.millrace.cli.output.Escaping;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;

/** Asks a person before something large or final; a script says {@code --yes}. */
public final class Confirmation {
  private final Invocation invocation;

  public Confirmation(Invocation invocation) {
    this.invocation = invocation;
  }

  /**
   * Returns when the word was typed.
   *
   * @param what what is about to happen, for people: {@code deletes all events, for good}
   * @param called what the word is, for people: {@code the queue's name}
   * @param word what is to be typed
   * @throws MillraceException INVALID_REQUEST when it was not, or nobody is there to ask
   */
  public void require(String what, String called, String word) throws IOException {
    if (!asks()) {
      throw new MillraceException(
          ErrorCode.INVALID_REQUEST, "this " + what + "; say --yes if that is meant");
    }
    invocation
        .terminal()
        .err()
        .print("This " + Escaping.text(what) + ". Type " + called + " to go on: ");
    invocation.terminal().err().flush();
    String typed =
        new BufferedReader(
                new InputStreamReader(invocation.terminal().in(), StandardCharsets.UTF_8))
            .readLine();
    if (typed == null || !typed.strip().equals(word)) {
      throw new MillraceException(ErrorCode.INVALID_REQUEST, "not confirmed; nothing was done");
    }
  }

  /** Whether somebody is there to ask. */
  public boolean asks() {
    return invocation.terminal().errIsTerminal();
  }
}
