package io.millrace.cli.queue;

import io.millrace.api.problem.ErrorCode;
import io.millrace.api.problem.MillraceException;
import io.millrace.cli.invocation.Invocation;
import io.millrace.cli.output.Escaping;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;

/** Asks a person before something that can't be undone; a script says {@code --yes}. */
final class Confirmation {
  private final Invocation invocation;

  Confirmation(Invocation invocation) {
    this.invocation = invocation;
  }

  /**
   * Returns when the queue's name was typed.
   *
   * @param what what is about to happen, for people
   * @throws MillraceException INVALID_REQUEST when it was not, or nobody is there to ask
   */
  void require(String queue, String what) throws IOException {
    if (!invocation.terminal().errIsTerminal()) {
      throw new MillraceException(
          ErrorCode.INVALID_REQUEST, "this " + what + ", for good; say --yes if that is meant");
    }
    invocation
        .terminal()
        .err()
        .print("This " + Escaping.text(what) + ", for good. Type the queue's name to go on: ");
    invocation.terminal().err().flush();
    String typed =
        new BufferedReader(
                new InputStreamReader(invocation.terminal().in(), StandardCharsets.UTF_8))
            .readLine();
    if (typed == null || !typed.strip().equals(queue)) {
      throw new MillraceException(ErrorCode.INVALID_REQUEST, "not confirmed; nothing was done");
    }
  }
}
