/** Composes a queue node. Used by the launcher, for the separate process and the embedded form. */
package io.millrace.queuenode.node;
