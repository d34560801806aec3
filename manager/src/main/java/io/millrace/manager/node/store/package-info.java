/** The SQL of registered nodes; only the package {@code node} and the dispatcher call it. */
package io.millrace.manager.node.store;
