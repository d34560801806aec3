/**
 * Which waiting job goes to which execution node: pure functions of a snapshot. The dispatcher
 * calls it under its claim; the simulator may too.
 */
package io.millrace.manager.placement;
