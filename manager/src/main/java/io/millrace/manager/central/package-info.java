/** Composes the central manager from its parts; the stand-alone process and {@code up} call it. */
package io.millrace.manager.central;
