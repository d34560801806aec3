/**
 * Which waiting job goes to which execution node, whose turn it is, and why others wait: pure
 * functions of a snapshot, with the requirement expressions that they evaluate and the rows that
 * feed them.
 */
package io.millrace.manager.placement;
