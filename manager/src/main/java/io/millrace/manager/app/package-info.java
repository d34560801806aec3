/**
 * Composes the central manager from its capabilities; only this package wires them together. The
 * stand-alone process and {@code up} start it.
 */
package io.millrace.manager.app;
