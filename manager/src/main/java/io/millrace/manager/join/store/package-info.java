/** The SQL of one-use tokens; only the package {@code join} calls it. */
package io.millrace.manager.join.store;
