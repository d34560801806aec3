/** Checks data against JSON Schemas, for central managers and queue nodes alike. */
package io.millrace.platform.schema;
