/**
 * Measures how loaded this queue node is and names its state (H-110..H-114). The rule is pure; the
 * meter samples it.
 */
package io.millrace.queuenode.load;
