/**
 * Composes a queue node. Used by the launcher, for the process of its own and the embedded form.
 */
package io.millrace.queuenode.node;
