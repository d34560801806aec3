package io.millrace.manager.http;

import com.fasterxml.jackson.databind.JsonNode;
import io.javalin.http.Context;
import io.millrace.api.Json;
import io.millrace.manager.definition.SecretMask;
import io.millrace.platform.http.Requests;
import io.millrace.platform.identity.Role;

/**
 * Answers that contain jobs or definitions, with their secrets only for those who may change them.
 * Stateless.
 */
final class MaskedAnswers {
  private MaskedAnswers() {}

  /** Whether the caller must not see secrets. */
  static boolean isFor(Context ctx) {
    return !Role.operators().contains(Requests.principal(ctx).role());
  }

  /** Answers with JSON. */
  static void answer(Context ctx, Object value) {
    if (isFor(ctx)) {
      JsonNode tree = Json.mapper().valueToTree(value);
      SecretMask.apply(tree);
      Requests.answer(ctx, tree);
    } else {
      Requests.answer(ctx, value);
    }
  }
}
