package io.millrace.platform.http;

import com.fasterxml.jackson.annotation.JsonSetter;
import com.fasterxml.jackson.annotation.Nulls;
import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonFactoryBuilder;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.core.exc.StreamReadException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JavaType;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.MapperFeature;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.javalin.http.Context;
import io.millrace.api.ErrorCode;
import io.millrace.api.Json;
import io.millrace.api.MillraceException;
import io.millrace.api.ShownText;
import io.millrace.platform.document.DocumentBinder;
import io.millrace.platform.document.DocumentBinder.Binding;
import io.millrace.platform.document.DocumentBinder.BindingProblem;
import java.io.IOException;
import java.util.List;
import java.util.Locale;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * Reads the JSON bodies of requests. A refusal names all keys that are wrong, at most 20 in full.
 * Thread-safe.
 */
public final class BodyReader {
  private static final int MAX_SHOWN = 20;

  // Far more than a request needs; a body of the largest size can have ten times as many tokens.
  private static final StreamReadConstraints LIMITS =
      StreamReadConstraints.builder()
          .maxNestingDepth(100)
          .maxNameLength(1_000)
          .maxTokenCount(1_000_000)
          .build();

  private final JsonMapper mapper;
  private final DocumentBinder binder;
  private final ErrorCode refusal;

  private BodyReader(JsonMapper mapper, DocumentBinder binder, ErrorCode refusal) {
    this.mapper = mapper;
    this.binder = binder;
    this.refusal = refusal;
  }

  /** For what programs of any version send: unknown keys are ignored. */
  public static BodyReader tolerant() {
    JsonMapper mapper =
        limited().defaultSetterInfo(JsonSetter.Value.forContentNulls(Nulls.FAIL)).build();
    return new BodyReader(mapper, DocumentBinder.tolerant(mapper), ErrorCode.MALFORMED_BODY);
  }

  /**
   * For what people write: an unknown key, a fraction in place of an integer and a key given twice
   * are refused. Constants may be in lower case, as in files.
   */
  public static BodyReader strict() {
    JsonMapper mapper =
        limited()
            .defaultSetterInfo(JsonSetter.Value.forContentNulls(Nulls.FAIL))
            .enable(JsonParser.Feature.STRICT_DUPLICATE_DETECTION)
            .enable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
            .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
            .disable(DeserializationFeature.ACCEPT_FLOAT_AS_INT)
            .enable(MapperFeature.ACCEPT_CASE_INSENSITIVE_ENUMS)
            .addModule(Json.written())
            .build();
    return new BodyReader(mapper, new DocumentBinder(mapper), ErrorCode.INVALID_REQUEST);
  }

  /** A mapper of its own, so that its limits apply to nothing else. */
  private static JsonMapper.Builder limited() {
    JsonFactory factory = new JsonFactoryBuilder().streamReadConstraints(LIMITS).build();
    return Json.builder(factory);
  }

  /** The body as one value. */
  public <T extends Record> T one(Context ctx, Class<T> type) {
    String noun = "a JSON object";
    byte[] body = body(ctx, noun);
    try {
      T value = mapper.readValue(body, type);
      if (value != null) {
        return value;
      }
    } catch (IOException e) {
      throw refused(body, noun, e, tree -> binder.bind(tree, type));
    }
    throw new MillraceException(ErrorCode.MALFORMED_BODY, "null is not allowed; send " + noun);
  }

  /** The body as a list of values; messages about one name its index. */
  public <T extends Record> List<T> many(Context ctx, Class<T> type) {
    String noun = "a list of JSON objects";
    byte[] body = body(ctx, noun);
    JavaType list = mapper.getTypeFactory().constructCollectionType(List.class, type);
    List<T> values;
    try {
      values = mapper.readValue(body, list);
    } catch (IOException e) {
      throw refused(body, noun, e, tree -> binder.bindList(tree, type));
    }
    if (values == null) {
      throw new MillraceException(ErrorCode.MALFORMED_BODY, "null is not allowed; send " + noun);
    }
    int missing = values.indexOf(null);
    if (missing >= 0) {
      throw new MillraceException(
          ErrorCode.INVALID_REQUEST, "[" + missing + "]: null is not allowed; leave it out");
    }
    return values;
  }

  private static byte[] body(Context ctx, String noun) {
    requireJson(ctx.contentType());
    byte[] body = Requests.body(ctx);
    if (body.length == 0) {
      throw new MillraceException(
          ErrorCode.MALFORMED_BODY, "a request body is required; send " + noun);
    }
    return body;
  }

  // Without a type, it is taken as JSON.
  private static void requireJson(String contentType) {
    if (contentType == null || contentType.isBlank()) {
      return;
    }
    String type = contentType.split(";", 2)[0].strip().toLowerCase(Locale.ROOT);
    if (!type.equals("application/json") && !type.equals("text/json") && !type.endsWith("+json")) {
      throw new MillraceException(
          ErrorCode.UNSUPPORTED_MEDIA_TYPE,
          "this route does not take %s; send JSON with the header Content-Type: application/json"
              .formatted(ShownText.of(type)));
    }
  }

  /** Reads a body that was refused once more, slowly, to find everything that is wrong with it. */
  private MillraceException refused(
      byte[] body, String noun, IOException failure, Function<JsonNode, Binding<?>> binding) {
    JsonNode tree;
    try {
      tree = mapper.readTree(body);
    } catch (JsonProcessingException e) {
      return malformed(e);
    } catch (IOException e) {
      return new MillraceException(ErrorCode.MALFORMED_BODY, e.getMessage(), e);
    }
    Binding<?> found = binding.apply(tree);
    List<BindingProblem> problems = found.problems();
    if (problems.isEmpty()) {
      return failure.getCause() instanceof StreamReadException broken
          ? malformed(broken)
          : new MillraceException(refusal, "the body is not " + noun, failure);
    }
    String shown =
        problems.stream()
            .limit(MAX_SHOWN)
            .map(problem -> described(problem, noun))
            .collect(Collectors.joining("; "));
    int more = problems.size() - MAX_SHOWN;
    String rest = "; and " + (found.truncated() ? "over " : "") + more + " more problems";
    return new MillraceException(refusal, more > 0 ? shown + rest : shown, failure);
  }

  private static String described(BindingProblem problem, String noun) {
    boolean form = problem.path().isEmpty() && problem.text().startsWith("expected ");
    return form ? "the body is not " + noun + ": " + problem.text() : problem.toString();
  }

  private static MillraceException malformed(JsonProcessingException e) {
    String where =
        e.getLocation() == null
            ? ""
            : " (line "
                + e.getLocation().getLineNr()
                + ", column "
                + e.getLocation().getColumnNr()
                + ")";
    return new MillraceException(
        ErrorCode.MALFORMED_BODY, "not readable as JSON: " + Json.syntax(e) + where, e);
  }
}
