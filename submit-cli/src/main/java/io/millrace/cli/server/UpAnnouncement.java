package io.millrace.cli.server;

import io.millrace.cli.connection.LoginLink;
import io.millrace.cli.connection.Pointer;
import io.millrace.cli.output.Ages;
import io.millrace.cli.output.Terminal;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;

/** Tells where everything is once it runs. */
final class UpAnnouncement {
  /** How it is told. */
  enum Form {
    /** For people, on the output. */
    WORDS,
    /** For people, where messages go, because the output is for something else. */
    MESSAGES,
    /** One JSON value on the output. */
    JSON
  }

  private final Terminal terminal;
  private final Path data;
  private final Path log;
  private final Pointer pointer;

  UpAnnouncement(Terminal terminal, Path data, Path log, Pointer pointer) {
    this.terminal = terminal;
    this.data = data;
    this.log = log;
    this.pointer = pointer;
  }

  void print(LoginLink login, double seconds, Form form) {
    if (form == Form.JSON) {
      Map<String, String> value = new LinkedHashMap<>();
      value.put("url", pointer.url());
      value.put("dashboard", login.url());
      value.put("loadBalancer", pointer.loadBalancer());
      value.put("tokenFile", pointer.tokenFile());
      value.put("data", data.toString());
      terminal.json(value);
      return;
    }
    Terminal to = form == Form.MESSAGES ? terminal.messagesOnly() : terminal;
    to.line("Millrace is up after " + Ages.took(seconds) + ".");
    to.line("  dashboard      " + login.url());
    to.line("                 (works once; 'millrace dashboard' prints a new link)");
    to.line("  load balancer  " + pointer.loadBalancer());
    to.line("  token          " + pointer.tokenFile());
    to.line("  data           " + data);
    to.line("  log            " + log);
    to.line("Stop with Ctrl-C.");
  }
}
