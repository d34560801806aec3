/**
 * Definitions of every kind: read from YAML with all their problems at once, compared in canonical
 * form, kept in numbered versions. A further kind is one more {@link
 * io.millrace.manager.definition.DefinitionKind}.
 */
package io.millrace.manager.definition;
