/**
 * What people see: tables, ages, colours, and text made harmless for a terminal. Every command uses
 * it.
 */
package io.millrace.cli.output;
