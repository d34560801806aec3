/** The SQL of noticed clock steps; only the package {@code clock} calls it. */
package io.millrace.manager.clock.store;
