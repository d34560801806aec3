package io.millrace.api.definition;

/**
 * A definition file as it lies on the operator's disk; it may hold several YAML documents.
 *
 * @param name for messages
 * @param text YAML
 */
public record SourceFile(String name, String text) {}
