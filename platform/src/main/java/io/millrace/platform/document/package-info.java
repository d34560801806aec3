/**
 * Documents that people write, YAML or JSON, as records: unknown keys are refused with the nearest
 * known one, and all problems are reported at once, each with its path and, in a file, its line.
 * Used for configuration, definitions, job files and request bodies.
 */
package io.millrace.platform.document;
