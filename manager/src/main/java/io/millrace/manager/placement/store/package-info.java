/**
 * The tables that placement reads and writes besides the jobs: shapes. Works in its caller's
 * transaction; submission and dispatch call it.
 */
package io.millrace.manager.placement.store;
