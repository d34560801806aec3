package io.millrace.cli.node;

import io.millrace.api.ErrorCode;
import io.millrace.api.Names;
import io.millrace.api.job.Licence;
import io.millrace.cli.invocation.Invocation;
import io.millrace.cli.invocation.Refusal;
import io.millrace.cli.output.Escaping;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

@Command(
    name = "set",
    description = "Sets how many there are of a licence; what is in use stays in use.",
    footer = {
      "",
      "Examples:",
      "  millrace licence set solver --total 5",
      "  millrace licence set solver --total 0      none any more"
    })
final class LicenceSetCommand implements Callable<Integer> {
  private final Invocation invocation;

  @Parameters(paramLabel = "NAME", description = "What jobs name with --licence.")
  private String name;

  @Option(names = "--total", required = true, paramLabel = "N", description = "How many.")
  private int total;

  LicenceSetCommand(Invocation invocation) {
    this.invocation = invocation;
  }

  @Override
  public Integer call() {
    Names.require("NAME", name, ErrorCode.INVALID_REQUEST);
    Refusal.outside("--total", total, 0, 1_000_000);
    Licence licence = invocation.central().license(name, total);
    String words = licence.name() + ": " + licence.total() + ", in use " + licence.used();
    invocation.answer(licence, () -> invocation.terminal().line(Escaping.text("licence " + words)));
    return 0;
  }
}
