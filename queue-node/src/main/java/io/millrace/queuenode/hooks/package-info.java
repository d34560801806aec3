/**
 * The life of this node's segments: begun with their first weight or event, closed when without
 * weight and empty, each with a command of the operator's (H-056, H-057). Called by {@code node}.
 */
package io.millrace.queuenode.hooks;
