package io.millrace.tests.definition;

import io.millrace.api.Json;
import io.millrace.api.definition.ApplyRequest.SourceFile;
import io.millrace.manager.app.KnownKinds;
import io.millrace.manager.definition.DefinitionParser;
import io.millrace.manager.definition.DefinitionParser.DefinitionReading;
import io.millrace.platform.clock.SystemClock;
import io.millrace.tests.definition.KeyProofs.Reading;
import io.millrace.tests.definition.KeyProofs.Refusal;
import java.util.List;

/** Definitions as {@code millrace apply} reads them. */
final class AppliedText {
  private static final DefinitionParser PARSER =
      new DefinitionParser(KnownKinds.all(new SystemClock()));

  private AppliedText() {}

  static <T> Reading<T> as(Class<T> type) {
    return definition -> {
      DefinitionReading reading =
          PARSER.read(List.of(new SourceFile("proof.yaml", Json.write(definition))));
      if (!reading.problems().isEmpty()) {
        throw new Refusal(String.join("\n", reading.problems()));
      }
      return reading.definitions().get(0).as(type);
    };
  }
}
