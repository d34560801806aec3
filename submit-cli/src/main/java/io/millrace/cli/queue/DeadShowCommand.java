package io.millrace.cli.queue;

import io.millrace.api.ErrorCode;
import io.millrace.api.Json;
import io.millrace.api.MillraceException;
import io.millrace.api.client.Listing;
import io.millrace.api.event.DeadEvent;
import io.millrace.cli.invocation.Invocation;
import io.millrace.cli.output.Ages;
import io.millrace.cli.output.FieldList;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

@Command(
    name = "show",
    description = "Shows a dead letter whole, with its reason and its data.",
    footer = {"", "Example:", "  millrace queue dead show alert q1/17"})
final class DeadShowCommand implements Callable<Integer> {
  private static final int PAGE = 1_000;

  private final Invocation invocation;

  @Parameters(index = "0", paramLabel = "NAME", description = "The queue.")
  private String queue;

  @Parameters(index = "1", paramLabel = "HANDLE", description = "Its handle, or the event's id.")
  private String wanted;

  DeadShowCommand(Invocation invocation) {
    this.invocation = invocation;
  }

  @Override
  public Integer call() {
    DeadEvent event = find();
    if (invocation.json()) {
      invocation.terminal().json(event);
      return 0;
    }
    FieldList sheet = new FieldList(invocation.palette());
    sheet.title("dead letter " + event.handle() + " of " + event.queue());
    sheet.value("id", event.id());
    sheet.value("died", Ages.since(event.diedAt(), invocation.now()) + " ago");
    sheet.value("failed", event.failures() + " times, lost " + event.returns() + " times");
    sheet.value("attributes", event.attributes() == null ? null : Json.write(event.attributes()));
    sheet.quote("Reason", event.reason());
    sheet.quote("Data", String.valueOf(event.data()));
    invocation.terminal().lines(sheet.lines());
    return 0;
  }

  private DeadEvent find() {
    String before = null;
    do {
      Listing<DeadEvent> page = invocation.central().dead(queue, PAGE, before);
      Unreached.note(invocation, page.unreached());
      Optional<DeadEvent> found = page.found().stream().filter(this::matches).findFirst();
      if (found.isPresent()) {
        return found.get();
      }
      before = page.next();
    } while (before != null);
    throw new MillraceException(
        ErrorCode.INVALID_REQUEST,
        "queue "
            + queue
            + " has no dead letter "
            + wanted
            + "; 'millrace queue dead list "
            + queue
            + "' shows all");
  }

  private boolean matches(DeadEvent event) {
    return wanted.equals(event.handle()) || wanted.equals(event.id());
  }
}
