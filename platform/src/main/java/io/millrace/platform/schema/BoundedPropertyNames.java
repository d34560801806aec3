package io.millrace.platform.schema;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.TextNode;
import com.networknt.schema.Error;
import com.networknt.schema.ExecutionContext;
import com.networknt.schema.Schema;
import com.networknt.schema.SchemaContext;
import com.networknt.schema.SchemaLocation;
import com.networknt.schema.keyword.AbstractKeyword;
import com.networknt.schema.keyword.BaseKeywordValidator;
import com.networknt.schema.keyword.KeywordValidator;
import com.networknt.schema.path.NodePath;
import io.millrace.api.ShownText;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;

/**
 * The keyword propertyNames with one short error for each name: the library writes and keeps a
 * message for each error of each name, which may repeat the whole schema. Thread-safe.
 */
final class BoundedPropertyNames extends AbstractKeyword {
  private static final int SHOWN_REASON = 120;

  BoundedPropertyNames() {
    super("propertyNames");
  }

  @Override
  public KeywordValidator newValidator(
      SchemaLocation location, JsonNode value, Schema parent, SchemaContext context) {
    return new NameComparison(this, value, location, parent, context);
  }

  private static final class NameComparison extends BaseKeywordValidator {
    private final Schema rule;

    NameComparison(
        BoundedPropertyNames keyword,
        JsonNode value,
        SchemaLocation location,
        Schema parent,
        SchemaContext context) {
      super(keyword, value, location, parent, context);
      this.rule = context.newSchema(location, value, parent);
    }

    @Override
    public void preloadSchema() {
      rule.initializeValidators();
    }

    @Override
    public void validate(ExecutionContext context, JsonNode data, JsonNode whole, NodePath place) {
      if (!data.isObject()) {
        return;
      }
      CheckBound bound = CheckBound.current();
      bound.spendOnEntries(data.size());
      for (Iterator<String> names = data.fieldNames(); names.hasNext(); ) {
        String name = names.next();
        List<Error> errors = errors(context, data, place, name);
        if (!errors.isEmpty()) {
          String reason = errors.get(0).getMessage();
          bound.spend(reason.length());
          context.addError(
              error()
                  .property(name)
                  .instanceNode(data)
                  .instanceLocation(place)
                  .evaluationPath(context.getEvaluationPath())
                  .locale(context.getExecutionConfig().getLocale())
                  .arguments(name, ShownText.of(reason, SHOWN_REASON))
                  .build());
        }
      }
    }

    private List<Error> errors(
        ExecutionContext context, JsonNode data, NodePath place, String name) {
      List<Error> before = context.getErrors();
      List<Error> errors = new ArrayList<>();
      context.setErrors(errors);
      try {
        rule.validate(context, TextNode.valueOf(name), data, place.append(name));
      } finally {
        context.setErrors(before);
      }
      return errors;
    }
  }
}
