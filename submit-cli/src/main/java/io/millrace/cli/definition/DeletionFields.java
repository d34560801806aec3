package io.millrace.cli.definition;

import io.millrace.api.definition.DeletionView;
import io.millrace.cli.output.Ages;
import io.millrace.cli.output.FieldList;
import io.millrace.cli.output.Palette.Style;
import io.millrace.cli.output.Table.Cell;
import java.time.Instant;
import java.util.Locale;

/** How far a deletion is, as the descriptions of queues and tasks show it. */
public final class DeletionFields {
  private DeletionFields() {}

  /** Adds who asked for the deletion and what it waits for; nothing if there is none. */
  public static void add(FieldList fields, DeletionView deletion, Instant now) {
    if (deletion == null) {
      return;
    }
    fields.value(
        "deletion",
        Cell.of(
            "in progress (%s) for %s, requested by %s"
                .formatted(
                    deletion.mode().name().toLowerCase(Locale.ROOT),
                    Ages.since(deletion.at(), now),
                    deletion.by()),
            Style.WARNING));
    deletion.waitsFor().forEach(line -> fields.value("waits for", line));
  }
}
