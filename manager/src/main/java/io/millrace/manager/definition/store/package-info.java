/** The rows of definitions and their versions; only the package above calls it. */
package io.millrace.manager.definition.store;
