/**
 * The SPI of built-in programs: jobs that run as a thread of an execution node and are found on its
 * class path by {@link java.util.ServiceLoader}.
 */
package io.millrace.api.program;
