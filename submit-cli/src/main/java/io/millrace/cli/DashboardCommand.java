package io.millrace.cli;

import io.millrace.cli.invocation.Connection.LoginLink;
import io.millrace.cli.invocation.Invocation;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;

@Command(
    name = "dashboard",
    description = "Prints a one-time login link for the dashboard.",
    footer = {"", "Example:", "  xdg-open \"$(millrace dashboard)\""})
final class DashboardCommand implements Callable<Integer> {
  private final Invocation invocation;

  DashboardCommand(Invocation invocation) {
    this.invocation = invocation;
  }

  @Override
  public Integer call() {
    LoginLink link = LoginLink.create(invocation.connection().api());
    if (invocation.json()) {
      invocation.terminal().json(link);
    } else {
      invocation.line(link.url());
      invocation.note("the link is valid once, for ten minutes");
    }
    return 0;
  }
}
