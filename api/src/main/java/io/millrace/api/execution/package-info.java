/**
 * Where commands run: the interfaces between an execution node and its backend (J-09). Backends are
 * found with {@link java.util.ServiceLoader}.
 */
package io.millrace.api.execution;
