package io.millrace.platform.schema;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.cfg.JsonNodeFeature;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.networknt.schema.ExecutionContext;
import com.networknt.schema.Schema;
import com.networknt.schema.SchemaContext;
import com.networknt.schema.SchemaLocation;
import com.networknt.schema.keyword.AbstractKeyword;
import com.networknt.schema.keyword.BaseKeywordValidator;
import com.networknt.schema.keyword.KeywordValidator;
import com.networknt.schema.path.NodePath;
import java.util.Set;
import java.util.TreeSet;

/**
 * The keyword uniqueItems whose comparison ends with the bound of the check: that of the library is
 * by hash codes, which data can be made to have in common. Thread-safe.
 */
final class BoundedUniqueItems extends AbstractKeyword {
  private static final JsonMapper CANONICAL =
      JsonMapper.builder().enable(JsonNodeFeature.WRITE_PROPERTIES_SORTED).build();

  BoundedUniqueItems() {
    super("uniqueItems");
  }

  @Override
  public KeywordValidator newValidator(
      SchemaLocation location, JsonNode value, Schema parent, SchemaContext context) {
    return new ItemComparison(this, value, location, parent, context);
  }

  private static final class ItemComparison extends BaseKeywordValidator {
    private final boolean unique;

    ItemComparison(
        BoundedUniqueItems keyword,
        JsonNode value,
        SchemaLocation location,
        Schema parent,
        SchemaContext context) {
      super(keyword, value, location, parent, context);
      this.unique = value.booleanValue();
    }

    @Override
    public void validate(ExecutionContext context, JsonNode data, JsonNode whole, NodePath place) {
      if (unique && data.isArray() && repeats(data)) {
        context.addError(
            error()
                .instanceNode(data)
                .instanceLocation(place)
                .evaluationPath(context.getEvaluationPath())
                .locale(context.getExecutionConfig().getLocale())
                .build());
      }
    }

    /** Each character of an item is compared with few others, since the items are sorted. */
    private static boolean repeats(JsonNode items) {
      CheckBound bound = CheckBound.current();
      Set<String> seen = new TreeSet<>();
      for (JsonNode item : items) {
        String text = canonical(item);
        bound.spend(text.length());
        if (!seen.add(text)) {
          return true;
        }
      }
      return false;
    }

    private static String canonical(JsonNode item) {
      try {
        return CANONICAL.writeValueAsString(item);
      } catch (JsonProcessingException e) {
        throw new IllegalStateException("data that were read are always writable", e);
      }
    }
  }
}
