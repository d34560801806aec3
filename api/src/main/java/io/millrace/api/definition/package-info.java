/** Definitions of every kind as applied, versioned and shown. */
package io.millrace.api.definition;
