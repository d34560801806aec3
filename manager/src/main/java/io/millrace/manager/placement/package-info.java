/**
 * Which waiting job goes to which execution node, whose turn it is, and why others wait: pure
 * functions of a snapshot. The dispatcher calls it under its claim; explanations and the simulator
 * may too.
 */
package io.millrace.manager.placement;
