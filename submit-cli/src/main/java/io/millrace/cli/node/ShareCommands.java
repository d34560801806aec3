package io.millrace.cli.node;

import io.millrace.api.job.Share;
import io.millrace.cli.invocation.CommandGroup;
import io.millrace.cli.invocation.Invocation;
import io.millrace.cli.invocation.OptionRefusal;
import io.millrace.cli.output.Figures;
import io.millrace.cli.output.Table;
import io.millrace.cli.output.Table.Column;
import java.util.List;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code millrace share …}: the parts of the cluster that owners of jobs have. */
@Command(name = "share", description = "Shows and sets shares of the cluster.")
public final class ShareCommands extends CommandGroup {
  private ShareCommands(Invocation invocation) {
    super(invocation);
  }

  /** The command with its subcommands. */
  public static CommandLine create(Invocation invocation) {
    return inOrder(new CommandLine(new ShareCommands(invocation)), "list set");
  }

  @Command(
      name = "list",
      description = "Lists the shares with their weights, waiting jobs and running jobs.",
      footer = {"", "Example:", "  millrace share list"})
  void list() {
    List<Share> listed = invocation.central().shares();
    invocation.list(
        listed, () -> table(listed), "no shares yet; a share is created for each owner of jobs");
  }

  private Table table(List<Share> shares) {
    Table table =
        new Table(
            Column.left("NAME", 40),
            Column.right("WEIGHT"),
            Column.right("WAITING"),
            Column.right("RUNNING"),
            Column.right("STARTED"));
    for (Share share : shares) {
      table.row(
          share.name(),
          Figures.rate(share.weight()),
          share.waiting(),
          share.running(),
          share.started());
    }
    return table;
  }

  @Command(
      name = "set",
      description = "Sets the weight of a share; waiting jobs start in proportion to the weights.",
      footer = {
        "",
        "Examples:",
        "  millrace share set ann --weight 3",
        "  millrace share set queue:alert --weight 0.5"
      })
  void set(
      @Parameters(
              paramLabel = "NAME",
              description = "Name of the share: an owner, queue:NAME, or a name given by jobs.")
          String name,
      @Option(
              names = "--weight",
              required = true,
              paramLabel = "W",
              description =
                  "Weight (required; default of a share: 1); 3 starts three times as many jobs as 1.")
          double weight) {
    OptionRefusal.unless(
        !name.isBlank(), "NAME", "specify the name of a share; see 'millrace share list'");
    OptionRefusal.outside("--weight", weight, 0.001, 1_000_000);
    Share share = invocation.central().weigh(name, weight);
    invocation.report(
        share, "share %s has weight %s".formatted(share.name(), Figures.rate(share.weight())));
  }
}
