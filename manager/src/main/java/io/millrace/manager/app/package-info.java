/**
 * The central manager composed of its capabilities: the only place where they are wired together.
 * The stand-alone process and {@code up} start it.
 */
package io.millrace.manager.app;
