package io.millrace.platform.schema;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.databind.JsonNode;
import com.networknt.schema.Error;
import com.networknt.schema.InputFormat;
import com.networknt.schema.Schema;
import com.networknt.schema.SchemaLocation;
import com.networknt.schema.SchemaRegistry;
import com.networknt.schema.SchemaRegistryConfig;
import com.networknt.schema.Specification;
import com.networknt.schema.SpecificationVersion;
import com.networknt.schema.dialect.DefaultDialectRegistry;
import com.networknt.schema.dialect.Dialect;
import com.networknt.schema.keyword.FormatKeyword;
import com.networknt.schema.keyword.Keyword;
import io.millrace.api.Json;
import io.millrace.api.ShownText;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * A JSON Schema, ready to check data (draft 2020-12 unless it names another one). It refers to
 * nothing outside itself. Whatever the schema and the data are, a check ends with an answer: what
 * cannot be checked does not match. Thread-safe.
 */
public final class DataSchema {
  /** The most characters of a schema, as JSON. */
  static final int LONGEST = 65_536;

  /** How deep a schema, or data that are checked, may be nested. */
  static final int DEEPEST = 100;

  private static final int SHOWN = 3;
  private static final int SHOWN_PLACE = 60;
  private static final int SHOWN_PROBLEM = 120;
  // One of each kind, so that whatever the schema refers to is used at once.
  private static final List<String> SAMPLES = List.of("{}", "[]", "\"\"", "0", "true", "null");

  private static final Map<String, Keyword> OWN =
      Map.of(
          "uniqueItems", new BoundedUniqueItems(),
          "propertyNames", new BoundedPropertyNames());

  /** Of the drafts; their own schemas are among the files of the library. */
  private static final SchemaRegistry DRAFTS = registry(new BoundedPatterns(), false);

  private final Schema schema;

  private DataSchema(Schema schema) {
    this.schema = schema;
  }

  /**
   * Compiles a schema that somebody has written: one that its draft does not allow is refused too,
   * with the places, because the library ignores what it cannot use, such as a text as maxLength.
   *
   * @throws IllegalArgumentException with the reason if it is too large, not usable or not allowed
   */
  public static DataSchema written(JsonNode definition) {
    requireBounded(definition);
    List<String> problems = problemsByDraft(definition);
    if (!problems.isEmpty()) {
      throw new IllegalArgumentException(String.join("; ", problems));
    }
    return of(definition);
  }

  /**
   * Compiles a schema.
   *
   * @throws IllegalArgumentException with the reason if it is too large or not usable
   */
  public static DataSchema of(JsonNode definition) {
    requireBounded(definition);
    BoundedPatterns patterns = new BoundedPatterns();
    try {
      SchemaRegistry registry = registry(patterns, true);
      Schema usable = registry.getSchema(definition);
      usable.initializeValidators();
      for (String sample : SAMPLES) {
        errors(usable, sample, new CheckBudget());
      }
      if (patterns.problem() != null) {
        throw new IllegalArgumentException(patterns.problem());
      }
      return new DataSchema(usable);
    } catch (StackOverflowError endless) {
      throw new IllegalArgumentException("it refers to itself without end");
    } catch (RuntimeException e) {
      // The library throws various kinds for schemas that it cannot read.
      throw new IllegalArgumentException(shown(e), e);
    }
  }

  private static void requireBounded(JsonNode definition) {
    String text = Json.write(definition);
    if (text.length() > LONGEST) {
      throw new IllegalArgumentException(
          "it has %d characters as JSON; at most %d are allowed".formatted(text.length(), LONGEST));
    }
    if (depth(text) > DEEPEST) {
      throw new IllegalArgumentException("it is nested deeper than %d levels".formatted(DEEPEST));
    }
  }

  /** What the draft of a schema does not allow in it; empty for a draft that is not known. */
  private static List<String> problemsByDraft(JsonNode definition) {
    String id =
        definition.path("$schema").asText(SpecificationVersion.DRAFT_2020_12.getDialectId());
    try {
      return SpecificationVersion.fromDialectId(id)
          .map(draft -> DRAFTS.getSchema(SchemaLocation.of(draft.getDialectId())))
          .map(rules -> described(errors(rules, Json.write(definition), new CheckBudget())))
          .orElse(List.of());
    } catch (StackOverflowError tooDeep) {
      return List.of("it is nested too deep to be checked");
    } catch (RuntimeException e) {
      return List.of(shown(e));
    }
  }

  private static SchemaRegistry registry(BoundedPatterns patterns, boolean nothingElse) {
    return SchemaRegistry.withDefaultDialect(
        SpecificationVersion.DRAFT_2020_12,
        builder ->
            builder
                .dialectRegistry(new DefaultDialectRegistry(DataSchema::bounded))
                .schemaLoader(loader -> loader.block(location -> nothingElse))
                .schemaRegistryConfig(
                    SchemaRegistryConfig.builder()
                        .regularExpressionFactory(patterns)
                        // The library checks formats without bounds, and those only of old drafts.
                        .formatAssertionsEnabled(false)
                        .build()));
  }

  private static Dialect bounded(String id) {
    Dialect known = Specification.getDialect(id);
    if (known == null) {
      return null;
    }
    Dialect.Builder dialect = Dialect.builder(known);
    for (Keyword keyword : known.getKeywords().values()) {
      // The library makes that of formats itself.
      if (!(keyword instanceof FormatKeyword)) {
        dialect.keyword(OWN.getOrDefault(keyword.getValue(), new CountedKeyword(keyword)));
      }
    }
    return dialect.build();
  }

  /**
   * Why data do not match: the first places, each shortened; empty if they do.
   *
   * @param data JSON text in UTF-8
   */
  public List<String> problems(byte[] data) {
    return problems(data, new CheckBudget());
  }

  /**
   * The same for one of several pieces of data.
   *
   * @param budget of all of them; if it is {@link CheckBudget#spent} then, the answer says nothing
   */
  public List<String> problems(byte[] data, CheckBudget budget) {
    String text = new String(data, StandardCharsets.UTF_8);
    if (depth(text) > DEEPEST) {
      return List.of("it is nested deeper than %d levels, which is not checked".formatted(DEEPEST));
    }
    try {
      return described(errors(schema, text, budget));
    } catch (StackOverflowError tooDeep) {
      return List.of("it cannot be checked: a text is too long for a pattern of the schema");
    } catch (RuntimeException e) {
      return List.of("it cannot be checked: " + shown(e));
    }
  }

  private static List<Error> errors(Schema schema, String data, CheckBudget budget) {
    CheckBound bound =
        CheckBound.begin(schema.createExecutionContext().getExecutionConfig(), budget);
    try {
      return schema.validate(bound, data, InputFormat.JSON);
    } finally {
      bound.end();
    }
  }

  private static List<String> described(List<Error> errors) {
    List<String> problems = new ArrayList<>();
    for (Error error : errors.subList(0, Math.min(SHOWN, errors.size()))) {
      String place = String.valueOf(error.getInstanceLocation());
      problems.add(
          (place.isEmpty() ? "the whole" : ShownText.of(place, SHOWN_PLACE))
              + ": "
              + ShownText.of(error.getMessage(), SHOWN_PROBLEM));
    }
    if (errors.size() > SHOWN) {
      problems.add("and " + (errors.size() - SHOWN) + " more");
    }
    return problems;
  }

  private static String shown(RuntimeException e) {
    return ShownText.of(String.valueOf(e.getMessage()), 2 * SHOWN_PROBLEM);
  }

  /** How deep a text is nested; more than allowed if it is not JSON or too deep for the reader. */
  private static int depth(String text) {
    int depth = 0;
    int deepest = 0;
    try (JsonParser parser = Json.mapper().createParser(text)) {
      while (parser.nextToken() != null && deepest <= DEEPEST) {
        if (parser.currentToken().isStructStart()) {
          depth++;
          deepest = Math.max(deepest, depth);
        } else if (parser.currentToken().isStructEnd()) {
          depth--;
        }
      }
      return deepest;
    } catch (IOException e) {
      return Integer.MAX_VALUE;
    }
  }
}
