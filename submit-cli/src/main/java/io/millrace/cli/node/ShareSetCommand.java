package io.millrace.cli.node;

import io.millrace.api.job.Share;
import io.millrace.cli.invocation.Invocation;
import io.millrace.cli.invocation.Refusal;
import io.millrace.cli.output.Escaping;
import io.millrace.cli.output.Figures;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

@Command(
    name = "set",
    description = "Sets the weight of a share; shares with waiting jobs start in proportion to it.",
    footer = {
      "",
      "Examples:",
      "  millrace share set ann --weight 3",
      "  millrace share set queue:alert --weight 0.5"
    })
final class ShareSetCommand implements Callable<Integer> {
  private final Invocation invocation;

  @Parameters(paramLabel = "NAME", description = "An owner, queue:NAME, or what jobs name.")
  private String name;

  @Option(
      names = "--weight",
      required = true,
      paramLabel = "W",
      description = "1 is ordinary; 3 starts three times as much.")
  private double weight;

  ShareSetCommand(Invocation invocation) {
    this.invocation = invocation;
  }

  @Override
  public Integer call() {
    Refusal.unless(!name.isBlank(), "NAME", "give the name of a share; 'share list' shows all");
    Refusal.outside("--weight", weight, 0.001, 1_000_000);
    Share share = invocation.central().weigh(name, weight);
    String words = "share " + share.name() + " has weight " + Figures.rate(share.weight());
    invocation.answer(share, () -> invocation.terminal().line(Escaping.text(words)));
    return 0;
  }
}
