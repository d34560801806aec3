package io.millrace.manager.schedule;

import com.fasterxml.jackson.databind.MapperFeature;
import com.fasterxml.jackson.databind.MappingIterator;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import io.millrace.api.Json;
import io.millrace.api.task.TaskDefinition;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/** Reads definition documents back. */
final class Documents {
  private Documents() {}

  static List<TaskDefinition> read(String yaml) {
    List<TaskDefinition> definitions = new ArrayList<>();
    try (MappingIterator<ObjectNode> documents =
        new YAMLMapper().readerFor(ObjectNode.class).readValues(yaml)) {
      while (documents.hasNext()) {
        ObjectNode document = documents.next();
        document.remove("kind");
        definitions.add(
            Json.mapper()
                .rebuild()
                .enable(MapperFeature.ACCEPT_CASE_INSENSITIVE_ENUMS)
                .build()
                .treeToValue(document, TaskDefinition.class));
      }
    } catch (IOException e) {
      throw new IllegalStateException("not readable: " + yaml, e);
    }
    return definitions;
  }
}
