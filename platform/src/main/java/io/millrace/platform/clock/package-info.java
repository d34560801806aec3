/**
 * The only source of time. Production reads the system's clocks; tests use one that they advance.
 */
package io.millrace.platform.clock;
