/**
 * Definitions of every kind: read from YAML with all their problems at once, compared in canonical
 * form, stored in numbered versions. Each kind is a {@link
 * io.millrace.manager.definition.DefinitionKind}.
 */
package io.millrace.manager.definition;
