package io.millrace.platform.schema;

import com.fasterxml.jackson.databind.JsonNode;
import com.networknt.schema.ExecutionContext;
import com.networknt.schema.Schema;
import com.networknt.schema.SchemaContext;
import com.networknt.schema.SchemaLocation;
import com.networknt.schema.keyword.AbstractKeyword;
import com.networknt.schema.keyword.Keyword;
import com.networknt.schema.keyword.KeywordValidator;
import com.networknt.schema.path.NodePath;

/**
 * A keyword of the library that spends the steps of its work before it is done, because the work
 * grows with the schema and with the data. Thread-safe.
 */
final class CountedKeyword extends AbstractKeyword {
  private final Keyword keyword;

  CountedKeyword(Keyword keyword) {
    super(keyword.getValue());
    this.keyword = keyword;
  }

  @Override
  public KeywordValidator newValidator(
      SchemaLocation location, JsonNode value, Schema parent, SchemaContext context)
      throws Exception {
    KeywordValidator validator = keyword.newValidator(location, value, parent, context);
    KeywordWork work = KeywordWork.of(getValue(), value);
    return validator == null || work == null ? validator : new CountedValidator(validator, work);
  }

  private record CountedValidator(KeywordValidator validator, KeywordWork work)
      implements KeywordValidator {
    @Override
    public void validate(ExecutionContext context, JsonNode data, JsonNode whole, NodePath place) {
      work.spend(CheckBound.current(), data);
      validator.validate(context, data, whole, place);
    }

    @Override
    public void preloadSchema() {
      validator.preloadSchema();
    }

    @Override
    public String getKeyword() {
      return validator.getKeyword();
    }

    @Override
    public SchemaLocation getSchemaLocation() {
      return validator.getSchemaLocation();
    }
  }
}
